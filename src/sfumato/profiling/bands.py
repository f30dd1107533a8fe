"""Bands of numbers from how they are spread: about as many people in each, cut at numbers that are easy to read, open at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from statistics import median

from sfumato.profiling.column import ColumnProfile
from sfumato.profiling.spread import SHARED
from sfumato.vocabulary.builders import Cuts
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind

_LARGEST = 290  # digits of a number that a schema can hold, nearly
_WIDEST = 0.2  # of the records in one band, if no single value has more
_PARTS = (16, 6, 2)  # bands of each level, about


def bands_of(column: ColumnProfile) -> tuple[Cuts, str] | None:
    """Cut points of up to three levels; None if the numbers are too few or too much alike to be merged."""
    finest = _readable_cuts(column)
    levels: list[tuple[Decimal, ...]] = []
    cuts: Sequence[Decimal] = finest
    for parts in _PARTS:
        cuts = _nearest(column, cuts, min(parts, max(2, column.present // SHARED)))  # a band of one record would tell its value
        bands_below = len(levels[-1]) + 1 if levels else column.distinct
        if cuts and len(cuts) + 1 < bands_below:
            levels.append(tuple(cuts))
    if not levels or any(abs(cut.adjusted()) >= _LARGEST for cut in levels[0]):
        return None
    return Cuts(tuple(levels)), f"{', '.join(str(len(level) + 1) for level in levels)} bands, with about as many people in each"


def _readable_cuts(column: ColumnProfile) -> list[Decimal]:
    """Numbers near the quantiles: multiples of one round number where that keeps the bands about equal, else each is rounded by as much
    as the distance to the next one allows."""
    quantiles = sorted(set(column.spread.quantiles([part / _PARTS[0] for part in range(1, _PARTS[0])])))
    if not quantiles:
        return []
    whole = column.type is Kind.INTEGER
    least, most = column.spread.quantiles([0, 1])
    ends = [least, *quantiles, most]
    gaps = [
        min((abs(number - other) for other in (before, after) if other != number), default=0.0)
        for before, number, after in zip(ends, quantiles, ends[2:], strict=False)
    ]
    usual = median(gaps)
    cuts = _inside({_rounded(number, 3 * usual, whole=whole) for number in quantiles}, least, most)
    if _widest(column, cuts) > max(_WIDEST, column.spread.most / column.present):
        each = {_rounded(number, gap, whole=whole) for number, gap in zip(quantiles, gaps, strict=True)}
        cuts = _inside(each, least, most)
    return cuts


def _inside(cuts: set[Decimal], least: float, most: float) -> list[Decimal]:
    return sorted(cut for cut in cuts if Decimal(least) < cut <= Decimal(most))


def _widest(column: ColumnProfile, cuts: Sequence[Decimal]) -> float:
    """The largest share of records between two cuts."""
    shares = [0.0, *column.spread.below([float(cut) for cut in cuts]), 1.0]
    return max(after - before for before, after in pairwise(shares))


def _rounded(number: float, gap: float, *, whole: bool) -> Decimal:
    """A number as a multiple of 1, 2 or 5 times a power of ten that is no more than a gap.

    >>> str(_rounded(37.4, 4.0, whole=True)), str(_rounded(1834.2, 900.0, whole=False)), str(_rounded(0.123, 0.01, whole=False))
    ('38', '2000', '0.12')
    """
    size = Decimal(gap) if gap else Decimal(1)
    power = Decimal(10) ** size.adjusted()
    unit = power * next(factor for factor in (5, 2, 1) if factor * power <= size)
    unit = max(unit, Decimal(1)) if whole else unit
    return Decimal(plain((Decimal(number) / unit).to_integral_value() * unit))


def _nearest(column: ColumnProfile, cuts: Sequence[Decimal], parts: int) -> list[Decimal]:
    """Some of the cut points, which divide the records into about so many equal parts, none of fewer than five."""
    shares = column.spread.below([float(cut) for cut in cuts])
    chosen = (
        {min(range(len(cuts)), key=lambda place: abs(shares[place] - part / parts)) for part in range(1, parts)}
        if cuts
        else set()
    )
    least = min(1 / (3 * parts), 0.5) if column.present > 3 * parts * SHARED else 0.0
    kept: list[int] = []
    for place in sorted(chosen):
        if shares[place] - (shares[kept[-1]] if kept else 0.0) >= least and 1 - shares[place] >= least:
            kept.append(place)
    return [cuts[place] for place in kept]
