"""The SQL that queries are built from: quoting, and labels that can be computed from a value."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.vocabulary.builders import DateKey, Key
from sfumato.vocabulary.formulas import FORMULA, MARK, NUMBER
from sfumato.vocabulary.kinds import BLANKS, PATTERNS, Kind


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A column name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def without_missing(column: str, tokens: Sequence[str]) -> str:
    """A text column with NULL for the texts that mean missing."""
    if not tokens:
        return column
    return f"CASE WHEN {column} IN ({', '.join(map(literal, tokens))}) THEN NULL ELSE {column} END"


def key_label(key: Key, value: str) -> str:
    """The label of a computed level, spelled like the builder's own."""
    if isinstance(key, DateKey):
        return _date_label(key.unit, value)
    return f"substr({value}, 1, {key.keep}) || repeat('*', greatest(length({value}) - {key.keep}, 0))"


def escaped(text: str) -> str:
    """A text column as it is written to CSV: like `vocabulary.formulas.escaped`."""
    formula = f"regexp_matches({text}, {literal(FORMULA)}) AND NOT regexp_matches({text}, {literal(NUMBER)})"
    return f"CASE WHEN {formula} THEN {literal(MARK)} || {text} ELSE {text} END"


def unescaped(text: str) -> str:
    """A text column as it is read from CSV; most cells are passed by their first letter. One call is quicker to plan than a test and a
    call: tables have thousands of columns."""
    taken_off = f"regexp_replace({text}, {literal(f'^{MARK}({FORMULA[1:]})')}, '\\1')"
    return f"CASE WHEN starts_with({text}, {literal(MARK)}) THEN {taken_off} ELSE {text} END"


_LENGTHS = {"day": 10, "month": 7, "year": 4}


def _date_label(unit: str, value: str) -> str:
    day = f"CAST(CAST({value} AS DATE) AS VARCHAR)"
    if unit == "quarter":
        return f"substr({day}, 1, 4) || '-Q' || CAST(quarter({value}) AS VARCHAR)"
    if unit == "decade":
        return f"substr({day}, 1, 3) || '0s'"
    return f"substr({day}, 1, {_LENGTHS[unit]})"


SQL_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.INTEGER: "BIGINT",
    Kind.DECIMAL: "DOUBLE",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.BOOLEAN: "BOOLEAN",
}


def cast(value: str, kind: Kind, source: Kind) -> str:
    """Values of the type `source` as values of type `kind`; NULL where they do not fit. A plain cast would round 1.5 to 2."""
    if kind is Kind.INTEGER and source is Kind.DECIMAL:
        return f"CASE WHEN ({value}) = floor({value}) THEN TRY_CAST(({value}) AS BIGINT) END"
    text = f"trim(CAST(({value}) AS VARCHAR), {literal(BLANKS)})"
    number = f"TRY_CAST({text} AS {SQL_TYPES[kind]})"
    if kind is Kind.TIMESTAMP:  # a plain cast would drop the offset; the session's time zone is UTC
        number = f"CAST(TRY_CAST({text} AS TIMESTAMPTZ) AS TIMESTAMP)"
    if kind not in PATTERNS:
        return number
    return f"CASE WHEN regexp_matches({text}, {literal(f'^({PATTERNS[kind]})$')}) THEN {number} END"


def shuffled_by(columns: Sequence[str], seed: int) -> str:
    """The sort key of a release: a seeded hash of the published row, so that the order reveals nothing about the source."""
    return f"md5({_row_text([literal(str(seed)), *columns])})"


def in_part(key: str, part: int, parts: int) -> str:
    """Whether a sort key is in one of so many equal parts of the order.

    >>> in_part("k", 0, 1), in_part("k", 1, 4)
    ('true', "k >= '4000' AND k < '8000'")
    """
    first, last = (f"{(1 << 16) * each // parts:04x}" for each in (part, part + 1))
    bounds = [f"{key} >= {literal(first)}"] if part else []
    bounds += [f"{key} < {literal(last)}"] if part + 1 < parts else []
    return " AND ".join(bounds) or "true"


def row_hash(columns: Sequence[str]) -> str:
    """A number for a row: equal for rows whose columns read alike, whether they are in the source, a Parquet or a CSV file."""
    return f"hash({_row_text(columns)})"


def _row_text(columns: Sequence[str]) -> str:
    return f"concat_ws(chr(31), {', '.join(f'coalesce(CAST({column} AS VARCHAR), chr(29))' for column in columns)})"


def summed_hashes(columns: Sequence[str], more: Sequence[str] = ()) -> str:
    """The digests of columns one by one, and of whole rows with `more`, that do not depend on the order of the rows."""
    each = [f"sum({row_hash([column])})" for column in columns]
    return ", ".join(["count(*)", *each, f"sum({row_hash([*columns, *more])})"])
