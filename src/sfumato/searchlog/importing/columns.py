"""Which column of a log is what: the lecture's table, AOL's layout, or as somebody says."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from sfumato.errors import DataError, UsageError, argument, several, unknown

REQUIRED, OPTIONAL = ("user", "query", "time"), ("rank", "url")
FIELDS = (*REQUIRED, *OPTIONAL)
LECTURE = {"user": "User ID", "query": "Query", "time": "Time", "rank": "Rank", "url": "URL"}
AOL_COLUMNS = {"user": "AnonID", "query": "Query", "time": "QueryTime", "rank": "ItemRank", "url": "ClickURL"}
AOL, COLUMNS, YANDEX = "aol", "columns", "yandex"
LAYOUTS = {"lecture": LECTURE, AOL: AOL_COLUMNS}
FORMATS = (*LAYOUTS, YANDEX, COLUMNS)
_EXAMPLE = "user=Who,query=Text,time=When,rank=Rank,url=Clicked"


def mapping_of(form: str, columns: Mapping[str, str] | str | None) -> dict[str, str]:
    """The columns of a layout, or those that are said; refuses what every row needs and nobody names."""
    if form not in FORMATS:
        raise UsageError(unknown("format", form, FORMATS, within="this version"), where=argument("format"))
    if form != COLUMNS:
        if columns is not None:
            raise UsageError(f"only {argument('format', COLUMNS)} has this; leave it out", where=argument("columns"))
        return dict(LAYOUTS.get(form, {}))
    named = _named(columns)
    for name in named:
        if name not in FIELDS:
            raise UsageError(unknown("field", name, FIELDS, within="a search log"), where=argument("columns"))
    missing = [name for name in REQUIRED if name not in named]
    if missing:
        raise UsageError(f"names no column for {', '.join(missing)}; write {_EXAMPLE}", where=argument("columns"))
    if len(set(named.values())) < len(named):
        raise UsageError(f"gives one column to several fields; write {_EXAMPLE}", where=argument("columns"))
    return named


def _named(columns: Mapping[str, str] | str | None) -> dict[str, str]:
    if columns is None:
        raise UsageError(f"say which column is what, as in {_EXAMPLE}", where=argument("columns"))
    if not isinstance(columns, str):
        return dict(columns)
    pairs = [pair.partition("=") for pair in columns.split(",")]
    names = [name.strip() for name, _, _ in pairs]
    if any(not equals for _, equals, _ in pairs) or len(set(names)) < len(names):
        raise UsageError(f"write each field once and its column, as in {_EXAMPLE}", where=argument("columns"))
    return dict(zip(names, (column.strip() for _, _, column in pairs), strict=True))


def spelled(mapping: Mapping[str, str], have: Sequence[str]) -> dict[str, str]:
    """The mapping with columns as a file spells them, without those that it does not have."""
    known = {plain(name): name for name in have}
    chosen = {field: column if column in have else known.get(plain(column), "") for field, column in mapping.items()}
    return {field: column for field, column in chosen.items() if column}


def present(mapping: Mapping[str, str], have: Sequence[str], where: str, needed: Collection[str] = REQUIRED) -> dict[str, str]:
    """The same; refuses a file without the `needed` ones. Its columns are not listed: without a header they are the first row's values."""
    chosen = spelled(mapping, have)
    for field, column in mapping.items():
        if field not in chosen and field in needed:
            what = "a log without people: no" if field == "user" else "no"
            raise DataError(
                f"{what} column {column!r} among the {several(len(have), 'name')} in the first line; is it the header? "
                f"{argument('columns')} says which column is what",
                where=where,
            )
    return chosen


def plain(name: str) -> str:
    """A name without its blanks and signs, in small letters."""
    return re.sub(r"[\W_]", "", name).casefold()
