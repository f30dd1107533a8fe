"""What an exhibit is: a table, figure or claim of a source, reproduced, with every printed value beside ours.

The rule: a printed value is quoted with its place, ours is computed, and a difference has an explanation or states that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sfumato.results import Rows

NO_REASON = "no explanation found"


class Agreement(Enum):
    """How a printed value and ours compare."""

    AGREES = "agrees"
    CUT = "agrees, cut off"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Compared:
    """One printed value: what it is, where it is printed, ours, and how they compare. `why` explains a difference."""

    what: str
    where: str
    printed: str
    ours: str
    agreement: Agreement
    why: str = ""

    @property
    def agrees(self) -> bool:
        return self.agreement is not Agreement.DIFFERS

    @property
    def explained(self) -> bool:
        """Whether the value agrees or the difference is explained."""
        return self.agrees or bool(self.why)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        record = {"what": self.what, "where": self.where, "printed": self.printed, "ours": self.ours}
        return {**record, "agreement": self.agreement.value, "agrees": self.agrees, "why": self.reason}

    @property
    def reason(self) -> str:
        """Why it differs; empty if it agrees."""
        return "" if self.agrees else self.why or NO_REASON


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of an exhibit: the message of the source, the values, and optionally a chart (Vega-Lite), a table and a note."""

    message: str
    rows: tuple[Compared, ...]
    chart: dict[str, Any] | None = None
    table: Rows | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A reproduced table, figure or claim of a source. `also` are the names of other places that show the same."""

    name: str
    also: tuple[str, ...]
    source: str
    title: str
    contents: Contents

    @property
    def rows(self) -> tuple[Compared, ...]:
        return self.contents.rows

    @property
    def chart(self) -> dict[str, Any] | None:
        return self.contents.chart

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        record: dict[str, Any] = {"name": self.name, "also": list(self.also), "source": self.source, "title": self.title}
        record |= {"message": self.contents.message, "note": self.contents.note}
        record["values"] = [row.as_dict() for row in self.rows]
        if table := self.contents.table:
            record["table"] = {"heads": list(table.heads), "rows": [list(row) for row in table.rows]}
        return record


@dataclass(frozen=True, slots=True)
class Entry:
    """An exhibit that is not made yet: its names, and the function that makes its contents."""

    name: str
    also: tuple[str, ...]
    source: str
    title: str
    contents: Callable[[], Contents]

    def make(self) -> Exhibit:
        """Compute everything."""
        return Exhibit(self.name, self.also, self.source, self.title, self.contents())

    def known_as(self, name: str) -> bool:
        """Whether this is one of its names."""
        return name == self.name or name in self.also


def exhibit(name: str, *also: str, source: str, title: str) -> Callable[[Callable[[], Contents]], Entry]:
    """Decorate a function that makes the contents of an exhibit with its names, source and title."""
    return lambda contents: Entry(name, also, source, title, contents)
