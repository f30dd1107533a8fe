"""The Shapley value (Shapley 1953): what each player adds to a coalition, in the mean over all orders in which the players may come.

Up to eight players every coalition is evaluated once, and the value is exact. With more, orders are drawn, each together with its
reverse, and the value has an interval. Payments follow by a rule that is stated: nothing is paid if all together gain nothing; else a
negative value pays nothing, and the positive ones are scaled so that the payments together are the whole sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.progress import Progress
from sfumato.results import Printed, Rows

EXACT = 8  # players
MOST = 32
Floats = npt.NDArray[np.float64]
Value = Callable[[frozenset[int]], float]
_Z = 1.959963984540054  # of a normal interval at the level 0.95
_ROUNDING = 1e-9
_FEWEST_PAIRS = 15  # of orders; fewer give no interval worth the name


@dataclass(frozen=True, slots=True)
class Shapley(Printed):
    """The value of each player, numbered from 0; `intervals` where orders were sampled, else None. Together they are `total`: the value of
    all players less that of none. `coalitions` is how many were evaluated."""

    values: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...] | None
    total: float
    coalitions: int

    def payments(self, budget: float) -> tuple[float, ...]:
        """A sum divided by contribution: values below 0 count as 0, the others are scaled. Nobody is paid if all together gain nothing.

        >>> Shapley((3.0, 1.0, -1.0), None, 3.0, 8).payments(100)
        (75.0, 25.0, 0.0)
        >>> Shapley((1.0, -2.0), None, -1.0, 4).payments(100)
        (0.0, 0.0)
        """
        if not 0 <= budget < float("inf"):
            raise UsageError("must be a sum of at least 0; 100 would work", where=argument("pay"))
        above = [max(each, 0.0) for each in self.values]
        whole = sum(above)
        return tuple(budget * each / whole if self.total > _ROUNDING else 0.0 for each in above)

    def table(self) -> Rows:
        """One row per player."""
        ends = self.intervals or ((None, None),) * len(self.values)
        return Rows(
            ("player", "value", "low", "high"),
            tuple((place, v, *e) for place, (v, e) in enumerate(zip(self.values, ends, strict=True))),
        )

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"values": self.values, "intervals": self.intervals, "total": self.total, "coalitions": self.coalitions}


def shapley(players: int, value: Value, *, permutations: int = 200, seed: int = 0, progress: Progress | None = None) -> Shapley:
    """The Shapley values of a game.

    Parameters
    ----------
    players : int
        How many there are, at least 1.
    value : function
        What a coalition is worth, a frozen set of players numbered from 0. Each coalition is asked for once.
    permutations : int
        How many orders are drawn if there are more than eight players; at least 30.
    seed : int
        Of the orders.
    progress : function, optional
        Called with the coalitions evaluated, or the orders drawn, and all of them.

    Returns
    -------
    Shapley
        The values, exact or with an interval.
    """
    if not 1 <= players <= MOST:
        raise UsageError(f"must be 1 to {MOST}", where=argument("players"))
    if players <= EXACT:
        return _exact(players, value, progress)
    if permutations < 2 * _FEWEST_PAIRS:
        raise UsageError(f"must be at least {2 * _FEWEST_PAIRS}; 200 would work", where=argument("permutations"))
    return _sampled(players, value, permutations, seed, progress)


def _exact(players: int, value: Value, progress: Progress | None) -> Shapley:
    worth = np.empty(1 << players)
    for number in range(len(worth)):
        worth[number] = value(_coalition(number))
        if progress:
            progress(number + 1, len(worth))
    sizes = np.array([number.bit_count() for number in range(len(worth))])
    weights = np.array([1 / (players * comb(players - 1, size)) for size in range(players)] + [0.0])
    values = []
    for player in range(players):
        without = np.flatnonzero(~np.arange(len(worth)) >> player & 1)
        values.append(float((weights[sizes[without]] * (worth[without | 1 << player] - worth[without])).sum()))
    return Shapley(tuple(values), None, float(worth[-1] - worth[0]), len(worth))


def _sampled(players: int, value: Value, permutations: int, seed: int, progress: Progress | None) -> Shapley:
    known: dict[frozenset[int], float] = {}

    def asked(coalition: frozenset[int]) -> float:
        if coalition not in known:
            known[coalition] = value(coalition)
        return known[coalition]

    chance, pairs = np.random.default_rng(seed), (permutations + 1) // 2
    means = np.empty((pairs, players))
    for place in range(pairs):
        order = chance.permutation(players)
        means[place] = (_added(order, asked) + _added(order[::-1], asked)) / 2
        if progress:
            progress(place + 1, pairs)
    half = _Z * means.std(axis=0, ddof=1) / sqrt(pairs)
    values = means.mean(axis=0)
    ends = tuple((float(each - room), float(each + room)) for each, room in zip(values, half, strict=True))
    total = asked(frozenset(range(players))) - asked(frozenset())
    return Shapley(tuple(map(float, values)), ends, total, len(known))


def _added(order: npt.NDArray[np.int64], value: Value) -> Floats:
    """What each player adds as they come in an order."""
    added = np.empty(len(order))
    for player, before, after in _steps(order):
        added[player] = value(after) - value(before)
    return added


def _steps(order: npt.NDArray[np.int64]) -> Iterator[tuple[int, frozenset[int], frozenset[int]]]:
    inside: frozenset[int] = frozenset()
    for player in order.tolist():
        yield player, inside, inside | {player}
        inside = inside | {player}


def _coalition(number: int) -> frozenset[int]:
    return frozenset(place for place in range(number.bit_length()) if number >> place & 1)
