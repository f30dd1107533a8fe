"""A small table about people, and a plain Python reading of it: the oracle of the engine contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from sfumato import Schema

ROWS = [
    # name, age, zip, seen, ip, disease, ward, note
    ("Ann", 17, "12345", "2023-12-31", "10.0.0.1", "flu", "A", "x"),
    ("Ben", 25, "12399", "2024-01-01", "10.0.0.2", "flu", "A", None),
    ("Cy", 25, "12399", "2024-02-29", "10.0.1.1", "cold", "B", "y,z"),
    ("Di", 49, "98765", "2024-03-31", "10.0.1.9", "cold", "B", 'he said "no"'),
    ("Ed", 50, "98765", "2024-04-01", "2001:db8::1", "flu", "B", "x"),
    ("Flo", None, "98700", None, "2001:db8::2", None, "A", "x"),
    ("Gus", 75, None, "1999-07-15", None, "gout", "A", "é"),
    ("Ann", 17, "12345", "2023-12-31", "10.0.0.1", "flu", "A", "x"),
]
COLUMNS = ["name", "age", "zip", "seen", "ip", "disease", "ward", "note"]

SCHEMA = """
[table]
missing = ["", "?"]

[attributes.name]
role = "identifier"

[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [25, 50] }

[attributes.zip]
role = "quasi"
type = "text"
hierarchy = { builder = "prefix", keep = [3, 1] }

[attributes.seen]
role = "quasi"
type = "date"
hierarchy = { builder = "dates" }

[attributes.ip]
role = "quasi"
type = "text"
hierarchy = { builder = "addresses" }

[attributes.disease]
role = "sensitive"
type = "text"
values = ["flu", "cold", "gout"]

[attributes.ward]
role = "sensitive"

[attributes.note]
role = "plain"
"""


def schema(**roles: str) -> Schema:
    """The schema, with other roles for some columns."""
    text = SCHEMA
    for name, role in roles.items():
        head = f"[attributes.{name}]\nrole = "
        start = text.index(head) + len(head)
        text = text[:start] + f'"{role}"' + text[text.index("\n", start) :]
    return Schema.parse(text)


def up(attribute: str, level: int) -> Callable[[object], str | None]:
    """The label of a value at a level, worked out without sfumato."""

    def label(value: object) -> str | None:
        if value is None:
            return None
        return LABELS[attribute](value, level) if level else str(value)

    return label


def _age(value: object, level: int) -> str:
    assert isinstance(value, int)
    if level == 1:
        return {0: "[0, 25)", 1: "[25, 50)", 2: "[50, 75)", 3: "[75, 100]"}[min(value // 25, 3)]
    return "[0, 50)" if value < 50 else "[50, 100]"


def _zip(value: object, level: int) -> str:
    keep = (3, 1)[level - 1]
    return str(value)[:keep].ljust(5, "*")


def _seen(value: object, level: int) -> str:
    year, month, _ = str(value).split("-")
    quarter = {"01": 1, "02": 1, "03": 1, "04": 2, "07": 3, "12": 4}[month]
    return [f"{year}-{month}", f"{year}-Q{quarter}", year, year[:3] + "0s"][level - 1]


def _ip(value: object, level: int) -> str:
    if ":" in str(value):
        return ["2001:db8::/64", "2001:db8::/48"][level - 1]
    a, b, c, _ = str(value).split(".")
    return [f"{a}.{b}.{c}.0/24", f"{a}.{b}.0.0/16"][level - 1]


LABELS: dict[str, Callable[[object, int], str]] = {"age": _age, "zip": _zip, "seen": _seen, "ip": _ip}
HEIGHTS = {"age": 3, "zip": 3, "seen": 5, "ip": 3}


def labels_of(row: Sequence[object], node: dict[str, int]) -> tuple[str | None, ...]:
    """The published QIDs of a row."""
    result = []
    for name, level in node.items():
        value = row[COLUMNS.index(name)]
        result.append("*" if level == HEIGHTS[name] else up(name, level)(value))
    return tuple(result)


def classes(node: dict[str, int]) -> Counter[tuple[str | None, ...]]:
    """Rows per class."""
    return Counter(labels_of(row, node) for row in ROWS)


def cells(node: dict[str, int], sensitive: str) -> Counter[tuple[tuple[str | None, ...], object]]:
    """Rows per class and sensitive value."""
    return Counter((labels_of(row, node), row[COLUMNS.index(sensitive)]) for row in ROWS)


def people(node: dict[str, int]) -> dict[tuple[str | None, ...], int]:
    """Distinct names per class, for counts with `name` as owner."""
    pairs = {(labels_of(row, node), row[0]) for row in ROWS}
    return dict(Counter(labels for labels, _ in pairs))
