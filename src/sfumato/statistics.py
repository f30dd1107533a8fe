"""Class statistics: the input of models and losses for the classes of a release, one column per statistic.

A column is a vectorised function of a block of classes: their counts over the values of one sensitive attribute, dense, as exact
integers, with the prior. A new model asks for the columns it needs and never touches a kernel. Shares are single divisions of
integers, so that a class with exactly the distribution of the prior has differences of exactly zero. Classes that have few of very
many values are not made dense: `sparse` computes some columns from their cells alone, the same numbers up to the last digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, inf, isfinite, log10
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, Mask, Payload
from sfumato.sparse import SPARSE, Cells, gain_bounds
from sfumato.vocabulary.hierarchy import Codes

Floats = npt.NDArray[np.float64]
# Real numbers that differ by no more count as equal: a bound that is met, shares that add up to one.
TOLERANCE = 1e-9
_CELLS_PER_BLOCK = 2_000_000
_WIDE = 256  # from this many values in the domain on, it pays to look only at those of each class
_FEW = 4  # a class has few values if it has at most one in this many


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The values of a sensitive attribute: labels in order (None is the missing value), numbers if they are numeric, and their tree.

    `tree[l]` is the node of each value l + 1 levels up; the last level is one root. Without a hierarchy there is only this root.
    `ordered`: whether the order has a meaning: numbers, dates, or values that the schema lists. `steps`: from each value but the last
    to the next one, the share of the whole order that lies between them; None if all are equal. Values that the schema lists and nobody
    has are not in the domain, but in these steps.
    """

    attribute: str
    labels: tuple[str | None, ...]
    tree: tuple[Codes, ...]
    numbers: Floats | None = None
    ordered: bool = True
    steps: Floats | None = None

    @property
    def size(self) -> int:
        return len(self.labels)

    def along(self) -> Floats:
        """The steps, one less than there are values."""
        return np.full(max(self.size - 1, 0), 1 / max(self.size - 1, 1)) if self.steps is None else self.steps


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some classes: counts per value (classes x values), people counted in each, and the prior (one for all, or one per class)."""

    counts: Counts
    mass: Counts
    shares: Floats
    prior: Floats
    domain: Domain

    @classmethod
    def of(cls, counts: Counts, prior: Floats, domain: Domain) -> Block:
        """From counts, with the posterior of each class."""
        mass = counts.sum(axis=1)
        return cls(counts, mass, np.asarray(counts / mass[:, None], np.float64), prior, domain)


ColumnFunction = Callable[..., npt.NDArray[Any]]
QuickColumn = Callable[["ClassStatistics", str, tuple[Any, ...]], npt.NDArray[Any] | None]


class CellsOf(Protocol):
    """The people of classes by value: cells offsets[c]:offsets[c + 1] belong to class c."""

    @property
    def offsets(self) -> Counts: ...

    @property
    def values(self) -> Codes: ...

    @property
    def people(self) -> Counts: ...


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Cells as arrays."""

    offsets: Counts
    values: Codes
    people: Counts


@dataclass(frozen=True, slots=True, eq=False)
class ClassStatistics:
    """The classes of a release with the counts of one sensitive attribute.

    `sizes` are people per class, `cells` those under the classes; `prior` has one row, or one per class. The people of a class's cells
    add up to its size unless owners have several values. `quick` may compute a column more quickly.
    """

    sizes: Counts
    cells: CellsOf
    prior: Floats
    domain: Domain
    extremes: dict[tuple[Any, ...], float] = field(default_factory=dict, repr=False)
    quick: QuickColumn | None = field(default=None, repr=False)
    _column_cache: dict[tuple[Any, ...], npt.NDArray[Any]] = field(default_factory=dict, repr=False)
    _block_cache: list[Block] = field(default_factory=list, repr=False)
    _split_cache: list[_Split] = field(default_factory=list, repr=False)

    @classmethod
    def of(cls, sizes: Counts, payload: Payload, prior: Floats, domain: Domain) -> ClassStatistics:
        """From a payload whose codes are those of the domain."""
        return cls(sizes, payload, np.atleast_2d(prior), domain)

    def with_cells(self, sizes: Counts, cells: CellsOf, quick: QuickColumn | None = None) -> ClassStatistics:
        """Other classes against the same prior, which must apply to all of them; cached columns are not carried over."""
        return ClassStatistics(sizes, cells, self.prior, self.domain, self.extremes, quick)

    @property
    def offsets(self) -> Counts:
        return self.cells.offsets

    @property
    def values(self) -> Codes:
        return self.cells.values

    @property
    def people(self) -> Counts:
        return self.cells.people

    @property
    def classes(self) -> int:
        return len(self.sizes)

    def column(self, name: str, *parameters: Any) -> npt.NDArray[Any]:
        """A statistic of every class, computed on first use."""
        key = (name, *parameters)
        if key not in self._column_cache:
            quick = self.quick(self, name, parameters) if self.quick else None
            self._column_cache[key] = self._plain(name, parameters) if quick is None else quick
        return self._column_cache[key]

    def _plain(self, name: str, parameters: tuple[Any, ...]) -> npt.NDArray[Any]:
        if name == "prior_entropy" and len(self.prior) == 1:
            return np.full(self.classes, entropy_of(self.prior[0]))
        split = self._split() if name in SPARSE else None
        if split is None:
            return self._dense(name, parameters)
        some = SPARSE[name](split.cells, *parameters)
        if split.thin.all():
            return some
        column = np.empty(self.classes, some.dtype)
        column[split.thin], column[~split.thin] = some, split.others._dense(name, parameters)
        return column

    def _split(self) -> _Split | None:
        """The classes that have few of very many values, and the others; None if no class has few."""
        if self.domain.size < _WIDE or len(self.prior) > 1 or not (self.people > 0).all():
            return None
        if not self._split_cache:
            cells = np.diff(self.offsets)
            self._split_cache.append(_Split.of(self, (cells > 0) & (cells * _FEW <= self.domain.size)))
        return self._split_cache[0] if self._split_cache[0].thin.any() else None

    def _dense(self, name: str, parameters: tuple[Any, ...]) -> npt.NDArray[Any]:
        compute = COLUMNS[name]
        parts = [compute(block, *parameters) for block in self._all_blocks()]
        return np.concatenate(parts) if parts else np.zeros(0)

    def most(self, name: str, *parameters: Any) -> float:
        """The largest possible value of a convex column: a class whose people all have one value takes it.

        With a prior for every class there is no such value: infinity. `extremes` caches it for all classes against the same prior;
        threads that ask at the same time may each compute it, with the same result.
        """
        if len(self.prior) > 1:
            return inf
        key = (name, *parameters)
        if key not in self.extremes:
            each = np.arange(self.domain.size + 1)
            ones = np.ones(self.domain.size, np.int64)
            pure = ClassStatistics(ones, Held(each, each[:-1].astype(np.int32), ones), self.prior, self.domain)
            self.extremes[key] = float(pure.column(name, *parameters).max(initial=0))
        return self.extremes[key]

    def only(self, marked: Mask) -> ClassStatistics:
        """The marked classes, without the quick way to columns."""
        cells = np.repeat(marked, np.diff(self.offsets))
        offsets = np.concatenate(([0], np.cumsum(np.diff(self.offsets)[marked]))).astype(np.int64)
        prior = self.prior if len(self.prior) == 1 else self.prior[marked]
        held = Held(offsets, self.values[cells], self.people[cells])
        return ClassStatistics(self.sizes[marked], held, prior, self.domain, self.extremes)

    def _all_blocks(self) -> Sequence[Block] | Iterator[Block]:
        """All classes in blocks; if there is one block only, it is cached for the next column."""
        if self.classes * self.domain.size > _CELLS_PER_BLOCK:
            return self._blocks()
        if not self._block_cache:
            self._block_cache.extend(self._blocks())
        return self._block_cache

    def _blocks(self) -> Iterator[Block]:
        """The classes in dense blocks of bounded size."""
        step = max(1, _CELLS_PER_BLOCK // max(self.domain.size, 1))
        class_of = np.repeat(np.arange(self.classes), np.diff(self.offsets))
        for start in range(0, self.classes, step):
            stop = min(start + step, self.classes)
            cells = slice(self.offsets[start], self.offsets[stop])
            counts = np.zeros((stop - start, self.domain.size), np.int64)
            counts[class_of[cells] - start, self.values[cells]] = self.people[cells]
            prior = self.prior if len(self.prior) == 1 else self.prior[start:stop]
            yield Block.of(counts, prior, self.domain)


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """Which classes have few values, their cells, and the statistics of the other classes."""

    thin: Mask
    cells: Cells
    others: ClassStatistics

    @classmethod
    def of(cls, whole: ClassStatistics, thin: Mask) -> _Split:
        some = whole.only(thin)
        domain = some.domain
        cells = Cells(some.offsets, some.values, some.people, some.prior[0], domain.tree, domain.along())
        return cls(thin, cells, whole.only(~thin))


def entropy_of(shares: Floats) -> Floats:
    """Shannon entropy in bits along the last axis; 0 log 0 = 0."""
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs((shares * logs).sum(axis=-1)))


def _ratio(over: Floats, under: Floats) -> Floats:
    """over / under with 0 / 0 = 0 and x / 0 = infinity."""
    over, under = np.broadcast_arrays(over, under)
    without = np.where(over > 0, np.inf, 0.0)
    return np.divide(over, under, out=without.astype(np.float64), where=under > 0)


def _divergence(shares: Floats, prior: Floats) -> Floats:
    """Kullback-Leibler divergence in bits; infinite where the prior rules out a value that occurs."""
    ratio = _ratio(shares, prior)
    logs = np.log2(ratio, out=np.zeros_like(ratio), where=ratio > 0)
    terms = np.where(shares > 0, shares * np.where(shares > 0, logs, 0), 0)
    return np.asarray(np.maximum(terms.sum(axis=1), 0))


def _jensen_shannon(block: Block) -> Floats:
    middle = (block.shares + block.prior) / 2
    prior = np.broadcast_to(block.prior, block.shares.shape)
    return (_divergence(block.shares, middle) + _divergence(prior, middle)) / 2


def _hellinger(block: Block) -> Floats:
    return np.asarray(np.sqrt(((np.sqrt(block.shares) - np.sqrt(block.prior)) ** 2).sum(axis=1) / 2))


def utility_distribution_of(shares: Floats) -> Floats:
    """sum_i x_i sqrt(1 - 2 x_i + sum_j x_j^2) along the last axis; near x_i = 1 the root is taken from the other shares alone."""
    top = shares.argmax(axis=-1, keepdims=True)
    others = shares.copy()
    np.put_along_axis(others, top, 0.0, axis=-1)
    largest = np.take_along_axis(shares, top, axis=-1)
    squares = (others**2).sum(axis=-1, keepdims=True)
    own = largest * np.sqrt(others.sum(axis=-1, keepdims=True) ** 2 + squares)
    rest = (others * np.sqrt(1 - 2 * others + largest**2 + squares)).sum(axis=-1)
    return np.asarray(own[..., 0] + rest)


def _tail(block: Block, start: int) -> Counts:
    """The people of the start-th most frequent value and of all rarer ones."""
    falling = -np.sort(-block.counts, axis=1)
    return np.asarray(falling[:, start - 1 :].sum(axis=1))


def _emd_ordered(block: Block) -> Floats:
    gaps = np.cumsum(block.shares - block.prior, axis=1)[:, :-1]
    return np.asarray((np.abs(gaps) * block.domain.along()).sum(axis=1))


def _emd_hierarchical(block: Block) -> Floats:
    """Per internal node its height times the mass that must cross it: the lesser of its children's total surplus and total deficit."""
    extra = block.shares - block.prior
    cost = np.zeros(len(extra))
    below: npt.NDArray[np.integer] = np.arange(block.domain.size)
    for height, nodes in enumerate(block.domain.tree, start=1):
        parent = np.zeros(int(below.max(initial=0)) + 1, np.int64)
        parent[below] = nodes
        count = int(nodes.max(initial=0)) + 1
        over, under = _gathered(np.maximum(extra, 0), parent, count), _gathered(np.maximum(-extra, 0), parent, count)
        cost += height * np.minimum(over, under).sum(axis=1)
        extra, below = _gathered(extra, parent, count), nodes
    return cost / len(block.domain.tree)


def _gathered(columns: Floats, group_of: npt.NDArray[np.integer], groups: int) -> Floats:
    """Sums of columns per group."""
    total = np.zeros((len(columns), groups))
    np.add.at(total.T, group_of, columns.T)
    return total


COLUMNS: dict[str, ColumnFunction] = {
    "mass": lambda b: b.mass,
    "distinct": lambda b: (b.counts > 0).sum(axis=1),
    "top": lambda b: b.counts.max(axis=1, initial=0),
    "tail": _tail,
    "largest": lambda b: b.shares.max(axis=1, initial=0),
    "entropy": lambda b: entropy_of(b.shares),
    "prior_entropy": lambda b: np.broadcast_to(entropy_of(b.prior), len(b.mass)),
    "people_with": lambda b, code: b.counts[:, code],
    "pairs_under": lambda b, codes: b.counts[:, np.array(codes, np.int64)].sum(axis=1),
    "distribution": lambda b: np.sqrt(((b.shares - b.prior) ** 2).sum(axis=1)),
    "l1": lambda b: np.abs(b.shares - b.prior).sum(axis=1),
    "kl": lambda b: _divergence(b.shares, b.prior),
    "js": _jensen_shannon,
    "hellinger": _hellinger,
    "chi2": lambda b: _ratio((b.shares - b.prior) ** 2, b.prior).sum(axis=1),
    "emd_equal": lambda b: np.abs(b.shares - b.prior).sum(axis=1) / 2,
    "emd_ordered": _emd_ordered,
    "emd_hierarchical": _emd_hierarchical,
    "utility_distribution": lambda b: utility_distribution_of(b.shares),
    "gain": lambda b: np.maximum(_ratio(b.shares - b.prior, b.prior), 0).max(axis=1, initial=0),
    "capped_gain": lambda b, beta: _capped_gain(b, beta),
    "log_ratio": lambda b: _log_ratio(b),
    "distinct_numbers": lambda b: (b.counts[:, _numbered(b)] > 0).sum(axis=1),
    "range": lambda b: _range(b),
    "crowding": lambda b, radius, relative: _crowding(b, radius, relative),
}


def _capped_gain(block: Block, beta: float) -> Floats:
    """The largest relative gain of a value as a share of min(beta, -ln of its prior)."""
    prior = np.broadcast_to(block.prior, block.shares.shape)
    bound = gain_bounds(prior, beta)
    gain = np.maximum(_ratio(block.shares - prior, prior), 0)
    return np.asarray(_ratio(gain, bound).max(axis=1, initial=0))


def _log_ratio(block: Block) -> Floats:
    """The largest |log2(x / a)| over the values of the prior; a value that a class lacks makes it infinite."""
    ratio = _ratio(block.shares, block.prior)
    logs = np.log2(ratio, out=np.full_like(ratio, -np.inf), where=ratio > 0)
    return np.asarray(np.where(block.prior > 0, np.abs(logs), 0).max(axis=1, initial=0))


def _numbered(block: Block) -> Mask:
    """Which values are numbers; the missing value is not."""
    if block.domain.numbers is None:
        raise TypeError(block.domain.attribute)
    return np.isfinite(block.domain.numbers)


def _range(block: Block) -> Floats:
    """Largest minus smallest number of each class; 0 where there is none."""
    numbers = np.asarray(block.domain.numbers)
    present = (block.counts > 0) & _numbered(block)
    high = np.where(present, numbers, -np.inf).max(axis=1, initial=-np.inf)
    low = np.where(present, numbers, np.inf).min(axis=1, initial=np.inf)
    return np.where(present.any(axis=1), high - low, 0.0)


def _crowding(block: Block, radius: float, relative: bool) -> Floats:
    """The largest share of people whose number lies within a radius of some number of the class."""
    numbers = np.asarray(block.domain.numbers)
    known = np.flatnonzero(_numbered(block))
    order = known[np.argsort(numbers[known], kind="stable")]
    values = numbers[order]
    reach = radius * np.abs(values) if relative else np.full(len(values), radius)
    low = np.searchsorted(values, values - reach - TOLERANCE, side="left")
    high = np.searchsorted(values, values + reach + TOLERANCE, side="right")
    running = np.concatenate([np.zeros((len(block.counts), 1), np.int64), np.cumsum(block.counts[:, order], axis=1)], axis=1)
    near = np.where(block.counts[:, order] > 0, running[:, high] - running[:, low], 0)
    return np.asarray(near.max(axis=1, initial=0) / block.mass)


def that_works(bound: float, *, upwards: bool) -> float:
    """A bound with four digits, rounded to the side that works; a whole number, zero and infinity stay as they are.

    >>> that_works(0.59561, upwards=True), that_works(0.59569, upwards=False), that_works(30162, upwards=False)
    (0.5957, 0.5956, 30162)
    """
    if bound == 0 or not isfinite(bound) or bound == int(bound):
        return bound
    digits = 10.0 ** (3 - floor(log10(abs(bound))))
    return (ceil(bound * digits) if upwards else floor(bound * digits)) / digits
