"""What an exhibit is: something a source shows, made again, with every printed value beside ours.

The rule: a printed value is quoted with its place, ours is computed, and a difference says why or says that nobody knows.
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
    """One printed value: what it is, where it stands, ours, and how they compare. `why` explains a difference."""

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
        """Whether there is nothing to explain, or it is explained."""
        return self.agrees or bool(self.why)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        told = {"what": self.what, "where": self.where, "printed": self.printed, "ours": self.ours}
        return {**told, "agreement": self.agreement.value, "agrees": self.agrees, "why": self.reason}

    @property
    def reason(self) -> str:
        """Why it differs; nothing where it does not."""
        return "" if self.agrees else self.why or NO_REASON


@dataclass(frozen=True, slots=True)
class Contents:
    """What an exhibit is made of: the point that the source makes, the values, and a chart (Vega-Lite), a table, a note."""

    message: str
    rows: tuple[Compared, ...]
    chart: dict[str, Any] | None = None
    table: Rows | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Something a source shows, made again. `also` are the names of the other places where the same is shown."""

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
        told: dict[str, Any] = {"name": self.name, "also": list(self.also), "source": self.source, "title": self.title}
        told |= {"message": self.contents.message, "note": self.contents.note}
        told["values"] = [row.as_dict() for row in self.rows]
        if table := self.contents.table:
            told["table"] = {"heads": list(table.heads), "rows": [list(row) for row in table.rows]}
        return told


@dataclass(frozen=True, slots=True)
class Entry:
    """An exhibit that is still to be made: what it is called and how it is made."""

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
    """Name a function that makes the contents of an exhibit."""
    return lambda contents: Entry(name, also, source, title, contents)
