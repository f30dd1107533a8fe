"""Bins for columns with many numbers or dates, so that a reader sees a shape and not a list of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sfumato.statistics import Floats
from sfumato.vocabulary.builders.dates import days_of
from sfumato.vocabulary.kinds import Kind

NUMBERS = frozenset({Kind.INTEGER, Kind.DECIMAL})
MOMENTS = frozenset({Kind.DATE, Kind.TIMESTAMP})
MOST_VALUES = 16  # with more numbers, a column is shown in bins
_WANTED = 12
_TAIL = 0.005  # outliers at each end, who share the last bin


@dataclass(frozen=True, slots=True)
class Bins:
    """Equally wide bins of numbers, or years: `places[v]` is the bin of the v-th value, -1 for the missing one. The outer bins of
    numbers are open. `words` says how wide they are: `in bands of 10,000`."""

    edges: tuple[float, ...]
    places: tuple[int, ...]
    names: tuple[str, ...]
    words: str


def binned(values: Sequence[str | None], people: Sequence[int], kind: Kind | None, most: int = MOST_VALUES) -> Bins | None:
    """Bins over the values of a column; None if it has few of them, or no order."""
    if len(values) <= most:
        return None
    if kind in MOMENTS:
        return _years(values)
    numbers = numbers_of(values, kind) if kind in NUMBERS else None
    return None if numbers is None else _numeric(numbers, np.asarray(people, np.float64))


def numbers_of(values: Sequence[str | None], kind: Kind | None) -> Floats | None:
    """Values as numbers, dates as days; NaN for the missing one, None where a value is neither."""
    try:
        if kind in NUMBERS:
            return np.array([math.nan if value is None else float(value) for value in values])
        if kind in MOMENTS:
            days = [None if value is None else days_of(value[:10]) for value in values]
            return np.array([math.nan if day is None else float(day[0].toordinal()) for day in days])
    except ValueError:
        return None
    return None


def _numeric(numbers: Floats, people: Floats) -> Bins | None:
    finite = np.isfinite(numbers)
    if not finite.any():
        return None
    order = np.argsort(numbers[finite])
    ascending, weights = numbers[finite][order], people[finite][order].cumsum()
    low, high = (ascending[np.searchsorted(weights, share * weights[-1])] for share in (_TAIL, 1 - _TAIL))
    if high <= low:
        return None
    step = _round_step((high - low) / _WANTED)
    first = math.floor(low / step)
    count = max(math.floor(high / step) - first + 1, 2)
    places = np.clip(np.floor(np.where(finite, numbers, 0) / step) - first, 0, count - 1).astype(int)
    edges = tuple(float(f"{(first + place) * step:.12g}") for place in range(count + 1))
    names = [f"{_number(one)} to under {_number(other)}" for one, other in pairwise(edges)]
    names[0], names[-1] = f"below {_number(edges[1])}", f"{_number(edges[-2])} and more"
    return Bins(edges, tuple(np.where(finite, places, -1).tolist()), tuple(names), f"in bands of {_number(step)}")


def _years(values: Sequence[str | None]) -> Bins | None:
    """Years, or decades where there are many years."""
    for length, ending, words in ((4, "", "by year"), (3, "0s", "by decade")):
        texts = [None if value is None else value[:length] + ending for value in values]
        names = sorted({text for text in texts if text is not None})
        if len(names) <= 2 * _WANTED or ending:
            place_of: dict[str | None, int] = {None: -1} | {name: place for place, name in enumerate(names)}
            return Bins((), tuple(place_of[text] for text in texts), tuple(names), words)
    return None


def _round_step(rough: float) -> float:
    """The next 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if rough <= power * factor * (1 + 1e-9))


def _number(value: float) -> str:
    """
    >>> _number(20000.0), _number(0.25), _number(-1.5)
    ('20,000', '0.25', '−1.5')
    """
    text = f"{value:,.10f}".rstrip("0").rstrip(".") if value % 1 else f"{value:,.0f}"
    return text.replace("-", "−")
