"""From the values of a column to codes: shared by all engines, from Arrow arrays of distinct values.

An engine groups by raw values and this module assigns their codes. So counting costs no more than a plain GROUP BY, and types,
missing values and hierarchies are interpreted in one place only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import texts, to_numpy
from sfumato.engines.kernels import cast, drop_null, index_in, unique
from sfumato.errors import DataError, argument, raise_alone, several
from sfumato.vocabulary.builders import Keyed, Suppression
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Kind, Role, canonical, natural_order
from sfumato.vocabulary.spelling import Speller

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sfumato.vocabulary.schema import Attribute

ARROW_TYPES = {
    Kind.TEXT: pa.string(),
    Kind.INTEGER: pa.int64(),
    Kind.DECIMAL: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us"),
    Kind.BOOLEAN: pa.bool_(),
}


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The distinct non-null keys of a column and their codes at the hierarchy's floor. A key is a raw value, or a computed label."""

    keys: pa.Array
    codes: Codes
    hierarchy: Hierarchy

    @property
    def missing(self) -> int:
        """The code of the missing value at the floor."""
        return self.hierarchy.codes(self.hierarchy.floor) - 1

    def above(self, floor: int) -> Encoding:
        """The same keys with their codes at a higher level."""
        codes = self.hierarchy.ancestors(self.hierarchy.floor, floor)[self.codes]
        return Encoding(self.keys, codes, self.hierarchy.above(floor))

    def encode(self, column: pa.ChunkedArray | pa.Array) -> Codes:
        """The codes of a column of keys."""
        # The missing value as the last key: replacing nulls afterwards would make pyarrow load pandas.
        keys = pa.concat_arrays([self.keys, pa.nulls(1, self.keys.type)])
        places = to_numpy(index_in(column, keys))
        codes: Codes = np.append(self.codes, np.int32(self.missing))[places]
        return codes


def encoding_of(attribute: Attribute, raw: pa.Array, missing: Sequence[str], floor: int = 0) -> Encoding:
    """The encoding of an attribute over the distinct raw values that occur, its codes at level `floor`."""
    kind = attribute.kind or Kind.TEXT
    keys = _distinct(raw)
    leaves = canonical_texts(attribute, keys, missing)
    values = natural_order(kind, {text for text in leaves if text is not None})
    # Only a QID is published at a root, from which the value `*` could not be told; a column of guards may hold it.
    listed = attribute.role is not Role.QUASI and isinstance(attribute.builder, Suppression)
    hierarchy = Hierarchy.flat(values) if listed else attribute.builder.build(attribute.name, kind, values)
    code_of: dict[str | None, int] = {leaf: code for code, leaf in enumerate(hierarchy.labels[0])}
    code_of[None] = len(hierarchy.labels[0])
    codes = np.fromiter((code_of[leaf] for leaf in leaves), np.int32, len(leaves))
    return Encoding(keys, codes, hierarchy).above(floor)


def encoding_above(attribute: Attribute, builder: Keyed, labels: pa.Array, floor: int) -> Encoding:
    """The encoding over the labels of level `floor` that an engine has computed."""
    keys = _distinct(labels)
    values = sorted(keys.to_pylist())
    hierarchy = builder.build_above(attribute.name, attribute.kind or Kind.TEXT, floor, values)
    codes = to_numpy(index_in(keys, texts(values)))
    return Encoding(keys, codes.astype(np.int32), hierarchy)


def encoding_at_root(attribute: Attribute) -> Encoding:
    """The encoding of an attribute that is published at its root only, for builders that compute levels from any value."""
    kind = attribute.kind or Kind.TEXT
    hierarchy = attribute.builder.build(attribute.name, kind, [])
    return Encoding(texts([]), np.empty(0, np.int32), hierarchy.above(hierarchy.height))


def _distinct(raw: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(raw.type):
        raw = cast(raw, raw.type.value_type)
    keys = drop_null(unique(raw))
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


def canonical_texts(attribute: Attribute, keys: pa.Array, missing: Sequence[str]) -> list[str | None]:
    """The canonical text of each raw value, None where it means missing; refuses values that do not fit the type."""
    kind = attribute.kind or Kind.TEXT
    if (kind, keys.type) in _TYPED:
        return _typed_texts(attribute.name, kind, keys)
    blank = frozenset(missing)
    spelled = _speller(attribute, kind, missing)
    result: list[str | None] = []
    misfits, values = 0, _objects(attribute.name, keys)
    for value in values:
        if value is None or (value in blank if isinstance(value, str) else _is_nan(value)):
            result.append(None)
            continue
        text = canonical(kind, value if isinstance(value, str) else _written(value, kind))
        misfits += text is None
        result.append(spelled(text) if spelled and text is not None else text)
    if misfits:
        raise misfit(attribute.name, kind, misfits, commas=_fit_with_commas(kind, values, blank))
    return result


def _fit_with_commas(kind: Kind, values: Sequence[Any], missing: Collection[str]) -> bool:
    """Whether written values that do not fit all would, if a comma were their decimal sign."""
    if kind is not Kind.DECIMAL:
        return False
    written = [value for value in values if value is not None and value not in missing]
    if not all(isinstance(value, str) and "." not in value for value in written):
        return False
    return all(canonical(kind, value.replace(",", ".", 1)) is not None for value in written)


_TYPED = {(Kind.DECIMAL, pa.float64()), (Kind.INTEGER, pa.int64())}


def _typed_texts(name: str, kind: Kind, keys: pa.Array) -> list[str | None]:
    """Of numbers that have their type already, the same without writing and reading each."""
    values = [None if value is None or _is_nan(value) else value for value in keys.to_pylist()]
    if misfits := sum(value is not None and math.isinf(value) for value in values):
        raise misfit(name, kind, misfits)
    return [None if value is None else repr(value + 0) for value in values]  # -0.0 is 0.0


def _speller(attribute: Attribute, kind: Kind, missing: Sequence[str]) -> Speller | None:
    """What merges the spellings of a text, if the schema wants it."""
    if not attribute.normalize or kind is not Kind.TEXT:
        return None
    return Speller.of(attribute.builder.build(attribute.name, kind, []).labels[0], missing)


def _objects(name: str, keys: pa.Array) -> list[Any]:
    """The values as Python objects; Python has no moments before year 1 or after 9999."""
    try:
        return list(keys.to_pylist())
    except (OverflowError, ValueError):
        raise_alone(DataError("some values cannot be read, such as dates after the year 9999", where=f"column {name!r}"))


def misfit(name: str, kind: Kind, count: int, *, commas: bool = False) -> DataError:
    """The error for values that do not fit the declared type. `commas`: they would with a decimal comma."""
    remedy = "correct the data, or declare another type or the texts that mean missing"
    if commas:
        comma = argument("decimal", "','")
        remedy = f"if the comma is the decimal sign, {comma} reads all of them"
    wrong = f"{several(count, 'distinct value')} do{'es' * (count == 1)} not fit type {kind.value!r}"
    return DataError(f"{wrong}; {remedy}", where=f"column {name!r}")


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | Decimal) and math.isnan(value)


def _written(value: Any, kind: Kind) -> str:
    """A typed value as text that `canonical` reads."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | Decimal) and kind is Kind.INTEGER and math.isfinite(value) and value == int(value):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        midnight = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return value.date().isoformat() if kind is Kind.DATE and midnight else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, date) else str(value)


def typed_values(kind: Kind, labels: Sequence[str | None]) -> pa.Array:
    """Canonical texts as values of their type."""
    return cast(texts(labels), ARROW_TYPES[kind])
