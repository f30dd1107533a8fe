"""Published columns as numbers that a model can learn from.

Numbers, dates and their intervals become a midpoint and a width, all other labels are categories. A missing value has the midpoint of the
whole column and a mark of its own. A column that says the same of every row is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from sfumato.vocabulary.builders.dates import days_of
from sfumato.vocabulary.hierarchy import ROOT, Codes
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import ORDERED, Range

Floats = npt.NDArray[np.float64]
MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
_DAY = 86_400


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A published column: its type before it was generalized, its labels, and for each row the place of its label. One past the last
    label is the missing value."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    codes: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Columns for a model, a row for each row: first the numbers, then categories as codes, of which there are `categories`."""

    matrix: Floats
    names: tuple[str, ...]
    categories: int

    @property
    def numbers(self) -> int:
        return int(self.matrix.shape[1]) - self.categories


def features_of(columns: Sequence[Column], rows: int) -> Features:
    """The columns as features. Where nothing differs between rows there is one that is zero: a model needs one to be a model."""
    telling = [column for column in columns if len(column.codes) and (column.codes != column.codes[0]).any()]
    numbers = {column.name: parts for column in telling if (parts := _numbers(column)) is not None}
    others = [column for column in telling if column.name not in numbers]
    names = [f"{name} {part}" for name, parts in numbers.items() for part in parts] + [column.name for column in others]
    values = [each for parts in numbers.values() for each in parts.values()] + [column.codes for column in others]
    if not values:
        return Features(np.zeros((rows, 1)), ("nothing",), 0)
    return Features(np.stack(values, axis=1).astype(np.float64), tuple(names), len(others))


def _numbers(column: Column) -> dict[str, Floats] | None:
    """Midpoint and width of each row, where these are numbers or moments; None for categories. A part that is always the same is left
    out."""
    spans = _spans(column)
    if spans is None:
        return None
    ends = spans[np.isfinite(spans)]
    low, high = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 0.0)
    lower, upper = np.clip(spans[:, 0], low, high), np.clip(spans[:, 1], low, high)
    middle = np.append((lower + upper) / 2, (low + high) / 2)[column.codes]
    width = np.append(upper - lower, 0.0)[column.codes]
    missing = (column.codes == len(column.labels)).astype(np.float64)
    parts = {"midpoint": middle, "width": width, "missing": missing}
    return {name: values for name, values in parts.items() if (values != values[0]).any()}


def _spans(column: Column) -> Floats | None:
    """Both ends of every label; None unless all are numbers or all are moments, beside the root."""
    if column.kind not in ORDERED:
        return None
    ranges = [(-math.inf, math.inf) if label == ROOT else range_of(column.kind, label) for label in column.labels]
    kinds = {type(each.lower) for each in ranges if isinstance(each, Range)}
    if None in ranges or len(kinds) != 1:
        return None
    ends = [each if isinstance(each, tuple) else (end_of(each.lower), end_of(each.upper)) for each in ranges if each is not None]
    return np.array(ends, np.float64)


def range_of(kind: Kind, label: str) -> Range | None:
    """What a label stands for: a month, a quarter, a year or a decade of dates is a range, too, and `2023` then no number."""
    days = days_of(label) if kind in MOMENTS else None
    return Range.parse(label) if days is None else Range(days[0].isoformat(), days[1].isoformat())


def end_of(end: Decimal | str) -> float:
    """An end of a range as a number: moments in days. Texts before and after all moments are its ends without an end."""
    if isinstance(end, Decimal):
        return float(end)
    if not end[:1].isdigit():
        return math.inf if end else -math.inf
    moment = datetime.fromisoformat(end)
    return (moment.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds() / _DAY
