"""Columns of class statistics from the cells that there are, for classes that have few of the many values of a sensitive attribute.

The same columns as `statistics` makes of dense blocks. What the values that a class lacks add up to is taken from running sums of the
prior, gap by gap: in ascending order of the prior, so that no gap is a small difference of large numbers, and in extended precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, added

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer]
ColumnFunction = Callable[..., npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Cells:
    """Classes by their cells, offsets[c]:offsets[c + 1] for class c, none without any; `prior`, `tree`, `steps` are the domain's."""

    offsets: Counts
    values: Codes
    people: Counts
    prior: Floats
    tree: Sequence[Codes]
    steps: Floats

    @property
    def starts(self) -> Counts:
        return self.offsets[:-1]

    @cached_property
    def mass(self) -> Counts:
        return np.add.reduceat(self.people, self.starts)

    @cached_property
    def class_of(self) -> Counts:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def shares(self) -> Floats:
        """The share of each cell in its class."""
        return np.asarray(self.people / self.mass[self.class_of], np.float64)

    @cached_property
    def expected(self) -> Floats:
        """The prior of each cell's value."""
        return self.prior[self.values]

    @cached_property
    def gaps(self) -> Floats:
        return self.shares - self.expected

    def sums(self, terms: Floats) -> Floats:
        return np.add.reduceat(terms, self.starts)

    def lacking(self, weights: Floats) -> Floats:
        """Per class the weights of the values that it lacks, added up; weights rise with the prior."""
        ascending = np.argsort(self.prior, kind="stable")
        rank = np.empty(len(ascending), np.int64)
        rank[ascending] = np.arange(len(ascending))
        running = np.concatenate(([0], np.cumsum(weights[ascending].astype(np.longdouble))))
        place = np.sort(self.class_of * len(rank) + rank[self.values]) % len(rank)
        before = np.concatenate(([0], place[:-1] + 1))
        before[self.starts] = 0
        last = place[self.offsets[1:] - 1]
        return np.asarray(np.add.reduceat(running[place] - running[before], self.starts) + running[-1] - running[last + 1], float)

    @cached_property
    def lacking_prior(self) -> Floats:
        return self.lacking(self.prior)


def _ratio(over: Floats, under: Floats) -> Floats:
    """over / under with 0 / 0 = 0 and x / 0 = infinity."""
    return np.divide(over, under, out=np.where(over > 0, np.inf, 0.0), where=under > 0)


def _kl(cells: Cells) -> Floats:
    return np.maximum(cells.sums(cells.shares * np.log2(_ratio(cells.shares, cells.expected))), 0)


def _js(cells: Cells) -> Floats:
    """A value that a class lacks lies at half its prior in the middle: one bit for each person of the prior."""
    x, a = cells.shares, cells.expected
    middle = (x + a) / 2
    own = np.maximum(cells.sums(x * np.log2(x / middle)), 0)
    logs = np.log2(a / middle, out=np.zeros_like(a), where=a > 0)
    return (own + np.maximum(cells.sums(a * logs) + cells.lacking_prior, 0)) / 2


def _utility_distribution(cells: Cells) -> Floats:
    """As `utility_distribution_of`: the largest share is taken apart, one of them where several are."""
    x, class_of = cells.shares, cells.class_of
    top = cells.people == np.maximum.reduceat(cells.people, cells.starts)[class_of]
    first = np.minimum.reduceat(np.where(top, np.arange(len(x)), len(x)), cells.starts)
    others = x.copy()
    others[first] = 0.0
    largest, squares = x[first], cells.sums(others**2)
    own = largest * np.sqrt(cells.sums(others) ** 2 + squares)
    return own + cells.sums(others * np.sqrt(1 - 2 * others + (largest**2 + squares)[class_of]))


def _emd_ordered(cells: Cells) -> Floats:
    """Between two values that a class has, its running share x is the same and that of the prior, A, rises: the sum of |x - A| over
    the steps of the gap follows from running sums of A and the place where A passes x."""
    size = len(cells.prior)
    if size < 2:
        return np.zeros(len(cells.mass))
    order = np.argsort(cells.class_of * size + cells.values)
    values, people = cells.values[order].astype(np.int64), cells.people[order]
    running = np.cumsum(people)
    before = np.concatenate(([0], running))[cells.starts]
    x = (running - before[cells.class_of]) / cells.mass[cells.class_of]
    prior = np.cumsum(cells.prior.astype(np.longdouble))[:-1]
    areas = np.concatenate(([0], np.cumsum(prior * cells.steps)))
    way = np.concatenate(([0], np.cumsum(cells.steps.astype(np.longdouble))))
    ends = np.concatenate((values[1:], [size - 1]))
    ends[cells.offsets[1:] - 1] = size - 1
    starts = np.minimum(values, size - 1)
    passed = np.clip(np.searchsorted(prior.astype(np.float64), x), starts, ends)
    moved = (2 * way[passed] - way[starts] - way[ends]) * x + areas[starts] + areas[ends] - 2 * areas[passed]
    return np.asarray(np.add.reduceat(moved, cells.starts) + areas[values[cells.starts]], np.float64)


def _emd_hierarchical(cells: Cells) -> Floats:
    """As in `statistics`, over the nodes that a class has people under; the others of a parent lack their share of the prior."""
    cost, height = np.zeros(len(cells.mass)), 0
    class_of, people, prior = cells.class_of, cells.people, cells.prior
    nodes: npt.NDArray[np.int64] = cells.values.astype(np.int64)
    below: npt.NDArray[np.integer] = np.arange(len(cells.prior))
    for height, level in enumerate(cells.tree, start=1):
        parent_of = np.zeros(int(below.max(initial=0)) + 1, np.int64)
        parent_of[below] = level
        count = int(level.max(initial=0)) + 1
        above: Floats = np.bincount(parent_of, weights=prior, minlength=count).astype(np.float64)
        keys, group = np.unique(class_of * count + parent_of[nodes], return_inverse=True)
        gaps = people / cells.mass[class_of] - prior[nodes]
        over, under = (np.bincount(group, weights=np.maximum(sign * gaps, 0)) for sign in (1, -1))
        parents = keys % count
        lacking = np.maximum(above[parents] - np.bincount(group, weights=prior[nodes]), 0)
        class_of, nodes, prior = keys // count, parents, above
        below = level
        cost += height * np.bincount(class_of, weights=np.minimum(over, under + lacking), minlength=len(cost))
        people = added(people, group, len(keys))
    return cost / height


def _log_ratio(cells: Cells) -> Floats:
    """A value that a class lacks and the prior has makes it infinite."""
    ratio = _ratio(cells.shares, cells.expected)
    logs = np.maximum.reduceat(np.where(cells.expected > 0, np.abs(np.log2(ratio)), 0), cells.starts)
    held = np.add.reduceat((cells.expected > 0).astype(np.int64), cells.starts)
    return np.where(held < np.count_nonzero(cells.prior), np.inf, logs)


def _gain(cells: Cells, bounds: Floats | None = None) -> Floats:
    gain = np.maximum(_ratio(cells.gaps, cells.expected), 0)
    return np.maximum.reduceat(gain if bounds is None else _ratio(gain, bounds), cells.starts)


def gain_bounds(prior: Floats, beta: float) -> Floats:
    """What each value may gain at the most, relative to its prior: min(beta, -ln of it)."""
    return np.minimum(beta, -np.log(prior, out=np.full(prior.shape, -np.inf), where=prior > 0))


SPARSE: dict[str, ColumnFunction] = {
    "mass": lambda c: c.mass,
    "distinct": lambda c: np.diff(c.offsets),
    "top": lambda c: np.maximum.reduceat(c.people, c.starts),
    "largest": lambda c: np.maximum.reduceat(c.people, c.starts) / c.mass,
    "entropy": lambda c: np.abs(c.sums(c.shares * np.log2(c.shares))),
    "distribution": lambda c: np.sqrt(c.sums(c.gaps**2) + c.lacking(c.prior**2)),
    "l1": lambda c: c.sums(np.abs(c.gaps)) + c.lacking_prior,
    "kl": _kl,
    "js": _js,
    "hellinger": lambda c: np.sqrt((c.sums((np.sqrt(c.shares) - np.sqrt(c.expected)) ** 2) + c.lacking_prior) / 2),
    "chi2": lambda c: c.sums(_ratio(c.gaps**2, c.expected)) + c.lacking_prior,
    "emd_equal": lambda c: (c.sums(np.abs(c.gaps)) + c.lacking_prior) / 2,
    "emd_ordered": _emd_ordered,
    "emd_hierarchical": _emd_hierarchical,
    "utility_distribution": _utility_distribution,
    "gain": _gain,
    "capped_gain": lambda c, beta: _gain(c, gain_bounds(c.expected, beta)),
    "log_ratio": _log_ratio,
}
