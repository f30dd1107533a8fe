"""The SQL that reads a column as it is written: its texts as canonical ones.

A text that is not written as declared is left as it is. Where that could be taken for another number (`1.234` where commas are decimal
signs), points and commas change places, so that it fits no type.
"""

from __future__ import annotations

from sfumato.engines.relational.sql import Sql
from sfumato.vocabulary.dialect import ISO, MONTHS, NAMED_MONTH, PLAIN, Days, Numbers, Written
from sfumato.vocabulary.kinds import BLANKS

_AROUND = BLANKS + "\u00a0"
# What is written for one sign between thousands.
_SIGNS = {".": "[.]", ",": "[,]", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}
_PARTS = {"d": "([0-9]{1,2})", "m": "([0-9]{1,2})", "b": f"({NAMED_MONTH})", "y": "([0-9]{4})"}
_CLOSE = _PARTS | {"d": "([0-9]{2})", "m": "([0-9]{2})"}  # where no sign divides them
_SHORT_NAMES = "".join(name[:3] for name in MONTHS)
_TIME = "(?:[ T]+([0-9]{1,2}):([0-9]{2})(:[0-9]{2}(?:[.][0-9]{1,6})?)? ?([aApP][mM])?)?"


def read_as(sql: Sql, column: str, written: Written) -> str:
    """A text column as canonical text; NULL where it means missing."""
    text = sql.trimmed(column, _AROUND)
    value = column
    if written.numbers not in (None, PLAIN):
        value = _number(sql, text, written.numbers)
    elif written.days not in (None, ISO):
        value = _day(sql, column, text, written.days)
    if not written.missing:
        return value
    return f"CASE WHEN {text} IN ({', '.join(map(sql.literal, written.missing))}) THEN NULL ELSE {value} END"


def _number(sql: Sql, text: str, numbers: Numbers) -> str:
    def pointed(value: str) -> str:
        return f"translate({value}, '.,', ',.')" if numbers.decimal == "," else value

    if numbers.thousands is None:
        return pointed(text)
    sign = _SIGNS[numbers.thousands]
    grouped = f"[+-]?[1-9][0-9]{{0,2}}({sign}[0-9]{{3}})+([{numbers.decimal}][0-9]*)?"
    without = pointed(sql.without(text, sign))
    return f"CASE WHEN {sql.matches(text, grouped)} THEN {without} ELSE {pointed(text)} END"


def _day(sql: Sql, column: str, text: str, days: Days) -> str:
    parts, sign = (_PARTS, f"[{days.sign}]") if days.sign else (_CLOSE, "")
    if days.last is not None:
        parts = parts | {"y": "([0-9]{2})"}
    whole = sign.join(parts[each] for each in days.order) + _TIME

    def part(place: int) -> str:
        return f"regexp_extract({text}, {sql.literal(whole)}, {place})"

    day, month, year = (part(days.order.index(each) + 1) for each in ("dby" if days.by_name else "dmy"))
    if days.by_name:
        month = sql.text(f"CAST(floor((instr('{_SHORT_NAMES}', lower(left({month}, 3))) + 2) / 3) AS INTEGER)")
    if days.last is not None:
        year = sql.text(f"{days.last} - ({days.last} - TRY_CAST({year} AS INTEGER)) % 100")
    date = f"{year} || '-' || lpad({month}, 2, '0') || '-' || lpad({day}, 2, '0')"
    hour = f"TRY_CAST({part(4)} AS INTEGER)"
    half = f"CASE lower({part(7)}) WHEN 'am' THEN {hour} % 12 WHEN 'pm' THEN {hour} % 12 + 12 ELSE {hour} END"
    time = f"' ' || lpad({sql.text(half)}, 2, '0') || ':' || {part(5)} || CASE {part(6)} WHEN '' THEN ':00' ELSE {part(6)} END"
    moment = f"CASE WHEN {part(4)} = '' THEN {date} ELSE {date} || {time} END"
    return f"CASE WHEN {sql.matches(text, whole)} THEN {moment} ELSE {column} END"
