"""An active attacker's accounts: planted before the release, joined among themselves and to targets (Backstrom, Dwork and Kleinberg 2007).

The accounts are a path, and every other pair of them is joined at random, so nobody else's friends look like that. Each target is joined
to accounts of its own choice, which say who it is when the accounts are found again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import ceil, log2

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, several
from sfumato.graph.graph import Graph, Places, require_whole


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """A graph with an attacker's accounts as its last nodes. `inner` says which accounts are joined, `targets` who is looked for,
    `marks` the accounts that each target is joined to, `degrees` how many neighbors each account has."""

    graph: Graph
    accounts: Places
    inner: tuple[frozenset[int], ...]
    targets: Places
    marks: tuple[frozenset[int], ...]
    degrees: Places

    @property
    def matrix(self) -> npt.NDArray[np.bool_]:
        """Which accounts are joined."""
        count = len(self.inner)
        return np.array([[other in row for other in range(count)] for row in self.inner], bool)


def usual_accounts(nodes: int) -> int:
    """One account for each doubling of the people, and at least five.

    Backstrom, Dwork and Kleinberg prove that somewhat more than twice as many are enough, and find in experiments that far fewer are.
    """
    return max(5, ceil(log2(max(nodes, 2))))


def plant(graph: Graph, accounts: int, targets: int, rng: np.random.Generator) -> Planted:
    """Add accounts to a graph and join them to targets: people drawn at random, and some whom these know."""
    _require(graph, accounts, targets)
    inner = _path(accounts, rng)
    chosen = _targets(graph, targets, rng)
    marks = _marks(accounts, targets, rng)
    new = graph.nodes + np.arange(accounts)
    pairs = [(new[one], new[other]) for one in range(accounts) for other in inner[one] if one < other]
    pairs += [(target, new[account]) for target, mark in zip(chosen, marks, strict=True) for account in mark]
    planted = Graph.of(graph.nodes + accounts, np.concatenate((graph.edges.astype(np.int64), np.array(pairs))))
    return Planted(planted, new, inner, chosen, marks, planted.degrees[new])


def _path(accounts: int, rng: np.random.Generator) -> tuple[frozenset[int], ...]:
    joined: list[set[int]] = [set() for _ in range(accounts)]
    for one, other in combinations(range(accounts), 2):
        if other == one + 1 or rng.random() < 0.5:
            joined[one].add(other)
            joined[other].add(one)
    return tuple(map(frozenset, joined))


def _targets(graph: Graph, count: int, rng: np.random.Generator) -> Places:
    """Half are drawn at random; the others know one of these, as far as there are such people: there is something to learn."""
    drawn = rng.choice(graph.nodes, count, replace=False)
    near = np.concatenate([graph.neighbors[graph.offsets[each] : graph.offsets[each + 1]] for each in drawn[: (count + 1) // 2]])
    near = np.setdiff1d(near, drawn)
    some = rng.choice(near, min(len(near), count // 2), replace=False)
    return np.concatenate((drawn[: count - len(some)], some.astype(np.int64)))


def _marks(accounts: int, count: int, rng: np.random.Generator) -> tuple[frozenset[int], ...]:
    """A set of two or three accounts for each target, no two the same."""
    possible = [frozenset(each) for size in (2, 3) for each in combinations(range(accounts), size)]
    return tuple(possible[place] for place in rng.choice(len(possible), count, replace=False))


def most_targets(accounts: int) -> int:
    """How many targets so many accounts can mark."""
    return accounts * (accounts - 1) // 2 + accounts * (accounts - 1) * (accounts - 2) // 6


def _require(graph: Graph, accounts: int, targets: int) -> None:
    require_whole(accounts, 0, "accounts")
    require_whole(targets, 0, "targets")
    if accounts < 3:
        raise UsageError("an attacker plants at least three accounts", where=argument("accounts"))
    most = min(most_targets(accounts), graph.nodes)
    if not 1 <= targets <= most:
        raise UsageError(f"{several(accounts, 'account')} mark between 1 and {most:,} targets here", where=argument("targets"))
