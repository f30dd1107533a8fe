"""Active attacks: planted accounts are found again in the release, and with them the people they are joined to.

The accounts are looked for one after the other: each must have the number of neighbors that the attacker knows, and be joined to those
before it as planted. A forgiving attacker allows some neighbors more or fewer and some edges changed, and takes what fits best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.estimating.estimate import clopper_pearson
from sfumato.errors import UsageError, argument
from sfumato.graph.asked import listed
from sfumato.graph.graph import Graph, Places, require_whole
from sfumato.graph.kernels import embeddings
from sfumato.graph.methods import Changed, Method, changed, method_of
from sfumato.graph.passive import SIDE
from sfumato.graph.planting import Planted, most_targets, plant, usual_accounts
from sfumato.graph.profile import require_people, require_scipy
from sfumato.progress import Progress
from sfumato.results import Printed, Rows, percentage

EXACT, FORGIVING = 0.0, 0.2  # the share of neighbors, and of edges among the accounts, that may be other than planted
TARGETS = 20
STEPS = 20_000_000  # nodes that are tried before the attacker gives up
ATTACKERS = {"exact": EXACT, "forgiving": FORGIVING}


@dataclass(frozen=True, slots=True)
class FoundAgain:
    """What active attackers achieve in some `runs`, each with accounts and targets of its own: how many of all accounts are found, how many
    targets are named rightly or wrongly, and for how many pairs of targets it is learned rightly whether they know each other."""

    method: str
    attacker: str
    runs: int
    found: int
    targets: int
    right: int
    wrong: int
    pairs: int
    learned: int
    gave_up: int
    accounts: int
    baseline: float

    @property
    def rate(self) -> float:
        """The share of targets who are named rightly."""
        return self.right / self.targets

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval. Targets of one run are found together, so a run counts as one try."""
        return clopper_pearson(self.rate * self.runs, self.runs, SIDE)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        low, high = self.interval
        names = ("method", "attacker", "accounts", "runs", "found", "gave_up", "targets", "right", "wrong", "pairs", "learned")
        return {
            **{name: getattr(self, name) for name in names},
            "rate": self.rate,
            "low": low,
            "high": high,
            "baseline": self.baseline,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ActiveAttacks(Printed):
    """Active attacks on several methods."""

    attempts: tuple[FoundAgain, ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"attempts": [each.as_dict() for each in self.attempts]}

    def table(self) -> Rows:
        """One row per method and attacker."""
        heads = ("method", "attacker", "accounts", "named", "interval", "wrongly", "pairs", "baseline")
        return Rows(heads, tuple(map(_row, self.attempts)))


def _row(each: FoundAgain) -> tuple[Any, ...]:
    low, high = (percentage(end) for end in each.interval)
    found = percentage(each.found / (each.runs * each.accounts))
    pairs = percentage(each.learned / each.pairs) if each.pairs else "–"
    wrong = percentage(each.wrong / each.targets)
    return each.method, each.attacker, found, percentage(each.rate), f"{low} to {high}", wrong, pairs, percentage(each.baseline)


def attack_actively(
    graph: Graph,
    methods: str | Method | Sequence[str | Method],
    *,
    accounts: int | None = None,
    targets: int | None = None,
    runs: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
) -> ActiveAttacks:
    """Plant accounts, publish, find them again.

    Parameters
    ----------
    graph : Graph
        The graph before the attacker joins it.
    methods : str, Method, or sequence of them
        How it is published.
    accounts : int, optional
        How many accounts are planted; by default the binary logarithm of the people, at least five.
    targets : int, optional
        How many people are looked for; by default 20, or as many as there are.
    runs : int
        How often all of it is tried, with other accounts, targets and releases.
    seed : int
        Of everything that is random.
    progress : callable, optional
        Called with the runs done and all of them.

    Returns
    -------
    ActiveAttacks
        How often accounts and targets are found, by method, for an exact and a forgiving attacker.
    """
    require_scipy()
    require_people(graph)
    require_whole(runs, 1, "runs")
    require_whole(seed, 0, "seed")
    chosen = [method_of(each) for each in listed(methods)]
    if not chosen:
        raise UsageError("name a method", where=argument("methods"))
    count = usual_accounts(graph.nodes) if accounts is None else accounts
    wanted = min(TARGETS, most_targets(count), graph.nodes) if targets is None else targets
    results: dict[tuple[str, str], list[_Run]] = {}
    done = 0
    for run in range(runs):
        planted = plant(graph, count, wanted, np.random.default_rng([seed, run]))
        for method in chosen:
            release = changed(planted.graph, method, seed=seed * 1_000_003 + run)
            for name, tolerance in ATTACKERS.items():
                results.setdefault((str(method), name), []).append(_try(graph, planted, release, tolerance))
            done += 1
            if progress:
                progress(done, runs * len(chosen))
    return ActiveAttacks(tuple(_summed(*names, each, count, graph.nodes) for names, each in results.items()))


@dataclass(frozen=True, slots=True)
class _Run:
    found: int
    gave_up: bool
    targets: int
    right: int
    wrong: int
    pairs: int
    learned: int


def _summed(method: str, attacker: str, runs: Sequence[_Run], accounts: int, nodes: int) -> FoundAgain:
    targets, right, wrong, pairs, learned, gave_up = (
        sum(getattr(each, name) for each in runs) for name in ("targets", "right", "wrong", "pairs", "learned", "gave_up")
    )
    found = sum(each.found for each in runs)
    return FoundAgain(method, attacker, len(runs), found, targets, right, wrong, pairs, learned, gave_up, accounts, 1 / nodes)


def _try(graph: Graph, planted: Planted, release: Changed, tolerance: float) -> _Run:
    """One attack, and how right it was."""
    where, gave_up = find(release.graph, planted, tolerance)
    named = {} if where is None else targets_of(release.graph, planted, where, exact=tolerance == EXACT)
    truth = release.truth
    right = [place for place, node in named.items() if node == truth[planted.targets[place]]]
    count = len(planted.targets)
    before, after = set(graph.keys.tolist()), set(release.graph.keys.tolist())
    learned = 0
    for number, one in enumerate(right):
        for other in right[:number]:
            learned += (_key(graph, planted.targets[one], planted.targets[other]) in before) == (
                _key(release.graph, named[one], named[other]) in after
            )
    found = 0 if where is None else int((truth[planted.accounts] == where).sum())
    return _Run(found, gave_up, count, len(right), len(named) - len(right), count * (count - 1) // 2, learned)


def _key(graph: Graph, one: int, other: int) -> int:
    return int(min(one, other)) * graph.nodes + int(max(one, other))


def find(release: Graph, planted: Planted, tolerance: float = EXACT, steps: int = STEPS) -> tuple[Places | None, bool]:
    """The nodes of the release that look like the planted accounts, in their order; None unless one choice fits better than all others.
    Also whether the search was given up.

    First everything must be as planted, then numbers of neighbors may differ, then also one edge among the accounts, two, four, up to the
    tolerance: a small budget rules out most choices at their first accounts, of which at most twice their part of the budget may differ.
    """
    accounts = np.arange(len(planted.accounts) + 1)
    pairs = accounts * (accounts - 1) / 2
    room = np.ceil(planted.degrees * tolerance).astype(np.int64)
    most = int(tolerance * pairs[-1])
    budgets = [0, *(min(2**power, most) for power in range(most.bit_length() + 1))] if most else [0] * (tolerance > 0)
    for slack, budget in [(0 * room, 0), *((room, each) for each in budgets)]:
        allowed = np.minimum(np.ceil(2 * budget * pairs / pairs[-1]), budget).astype(np.int64)
        bounds = planted.degrees - slack, planted.degrees + slack
        shape = release.offsets, release.neighbors, *bounds, planted.matrix
        best, count, taken = embeddings(*shape, allowed, tolerance > 0, steps)
        if count or taken > steps:
            return (best[0] if count == 1 and taken <= steps else None), bool(taken > steps)
    return None, False


def targets_of(release: Graph, planted: Planted, where: Places, *, exact: bool) -> dict[int, int]:
    """The node of each target that is named: the only one that is joined to just the accounts of its mark or, for a forgiving attacker, the
    only one that comes nearest and differs in one account at most."""
    joined: dict[int, set[int]] = {}
    for account, node in enumerate(where.tolist()):
        for near in release.neighbors[release.offsets[node] : release.offsets[node + 1]].tolist():
            joined.setdefault(near, set()).add(account)
    for node in where.tolist():
        joined.pop(node, None)
    found = {}
    for place, mark in enumerate(planted.marks):
        apart = sorted((len(mark ^ accounts), node) for node, accounts in joined.items())
        nearest = [node for differs, node in apart if differs == apart[0][0]]
        if len(nearest) == 1 and apart[0][0] <= (0 if exact else 1):
            found[place] = nearest[0]
    return found
