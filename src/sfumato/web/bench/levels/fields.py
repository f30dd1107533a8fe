"""What somebody filled in, as a builder: the fields of a form for each sort of levels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from sfumato.errors import UsageError, unknown
from sfumato.vocabulary.builders import Addresses, Builder, Common, Countries, Cuts, Dates, Icd10, Intervals, Prefix
from sfumato.vocabulary.builders.countries import LEVELS as REGIONS
from sfumato.vocabulary.builders.dates import UNITS
from sfumato.vocabulary.builders.icd10 import LEVELS as CODES
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import PATTERNS, Kind
from sfumato.vocabulary.toml import builder_from
from sfumato.web.bench.levels.bands import coarser, cuts_of, finer, with_width, without_cut_level
from sfumato.web.bench.levels.people import Column

Fields = Mapping[str, Sequence[str]]
COARSER, FINER, REMOVE = "coarser", "finer", "remove"
_NUMBER = re.compile(PATTERNS[Kind.DECIMAL])
_LONGEST = 400  # characters of a number


def builder_of(before: Builder, fields: Fields, column: Column | None) -> Builder:
    """The levels that a form describes, of the sort that the column has now."""
    read = _FORMS.get(type(before))
    if read is None:
        raise UsageError("these levels have nothing to fill in; choose another kind of levels, or edit them as a tree")
    return builder_from(_with_common(read(before, fields), column), Path())


def with_another_level(builder: Builder, do: str, kind: Kind) -> Builder:
    """Bands with a coarser level, a finer one, or without one (`remove:2`)."""
    what, _, number = do.partition(":")
    if isinstance(builder, Intervals) and what in (COARSER, FINER):
        widths = coarser(builder.widths) if what == COARSER else finer(builder.widths, whole=kind is Kind.INTEGER)
        return Intervals(widths, builder.lower, builder.upper)
    if what != REMOVE or not isinstance(builder, Intervals | Cuts):
        raise UsageError(unknown("change", what, (COARSER, FINER, REMOVE), within="the levels of bands"))
    level, have = _whole(number, "level"), builder.widths if isinstance(builder, Intervals) else builder.cuts
    if len(have) == 1 or not 1 <= level <= len(have):
        raise UsageError("the only level cannot be removed" if len(have) == 1 else f"no level {level} of {len(have)}")
    if isinstance(builder, Cuts):
        return without_cut_level(builder, level)
    return Intervals((*builder.widths[: level - 1], *builder.widths[level:]), builder.lower, builder.upper)


def _intervals(before: Builder, fields: Fields) -> dict[str, Any]:
    widths = tuple(_number(text, "width") for text in fields.get("width", ()) if text.strip())
    changed = "".join(fields.get("changed", ()))
    if changed and 0 <= (place := _whole(changed, "level") - 1) < len(widths):
        widths = with_width(widths, place, widths[place])
    table: dict[str, Any] = {"builder": "intervals", "widths": list(widths)}
    if "fixed" in fields.get("bounds", ()):
        table |= {key: _number("".join(fields.get(key, ())), key) for key in ("lower", "upper")}
    return table


def _cuts(before: Builder, fields: Fields) -> dict[str, Any]:
    pairs = zip(fields.get("cut", ()), fields.get("top", ()), strict=False)
    kept = [(_number(cut, "cut point"), _whole(top, "level")) for cut, top in pairs if cut.strip()]
    if not kept:
        raise UsageError("give at least one cut point")
    return cuts_of(kept).declared()


def _ticked(builder: str, key: str, choices: Sequence[str]) -> Callable[[Builder, Fields], dict[str, Any]]:
    def read(before: Builder, fields: Fields) -> dict[str, Any]:
        ticked = set(fields.get("keep", ()))
        if not ticked:
            raise UsageError(f"keep at least one of {', '.join(choices)}")
        return {"builder": builder, key: [each for each in choices if each in ticked]}

    return read


def _prefix(before: Builder, fields: Fields) -> dict[str, Any]:
    return {"builder": "prefix", "keep": _wholes(fields, "keep")}


def _with_common(table: dict[str, Any], column: Column | None) -> dict[str, Any]:
    """Where more common values are to stay than are listed, those that follow in the column."""
    missing = max(table["keep"], default=0) - len(table["values"]) if table["builder"] == "common" else 0
    if missing <= 0 or column is None:
        return table
    order = sorted(zip(column.values, column.people.tolist(), strict=True), key=lambda each: -each[1])
    others = [value for value, _ in order if value not in set(table["values"])]
    return {**table, "values": [*table["values"], *others[:missing]]}


def _common(before: Builder, fields: Fields) -> dict[str, Any]:
    return {**before.declared(), "keep": _wholes(fields, "keep")}


def _addresses(before: Builder, fields: Fields) -> dict[str, Any]:
    return {"builder": "addresses", "v4": _wholes(fields, "v4"), "v6": _wholes(fields, "v6")}


_FORMS: dict[type, Callable[[Builder, Fields], dict[str, Any]]] = {
    Intervals: _intervals,
    Cuts: _cuts,
    Dates: _ticked("dates", "units", UNITS),
    Countries: _ticked("countries", "levels", REGIONS),
    Icd10: _ticked("icd10", "levels", CODES),
    Prefix: _prefix,
    Common: _common,
    Addresses: _addresses,
}


def _wholes(fields: Fields, key: str) -> list[int]:
    return [_whole(text, key) for text in fields.get(key, ()) if text.strip()]


def _whole(text: str, what: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UsageError(f"{what}: a whole number, as in 5")
    return int(text)


def _number(text: str, what: str) -> Decimal:
    text = text.strip()
    if not _NUMBER.fullmatch(text) or len(text) > _LONGEST or abs(Decimal(text).adjusted()) > _LONGEST:
        raise UsageError(f"{what}: a number, as in 5 or 2.5")
    return Decimal(plain(Decimal(text)))
