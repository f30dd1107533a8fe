"""What the workbench knows of its table: looked at once, and again when the schema changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from sfumato.assessment.risk import THRESHOLD, Risk, risk
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.reporting.overview import Sizes
from sfumato.reporting.views.disclosed import sizes_of
from sfumato.table import Table
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Schema
from sfumato.web.bench.exploring import Explored, explored_in, explored_state
from sfumato.web.bench.jobs import Work
from sfumato.web.bench.looking import Looked
from sfumato.web.bench.project import Project

MOST_PAIRS = 12  # QIDs whose pairs are counted


@dataclass(frozen=True, slots=True)
class Telling:
    """How much some columns tell people apart together: the people who are alone, and those in classes of fewer than five."""

    columns: tuple[str, ...]
    alone: int
    few: int
    classes: int


@dataclass(frozen=True, slots=True)
class AsItIs:
    """The risk of the table as it is, for somebody who knows all quasi-identifiers, and the columns and pairs that tell most."""

    people: int
    classes: int
    risk: Risk
    sizes: Sizes
    single: tuple[Telling, ...]
    pairs: tuple[Telling, ...]


@dataclass(slots=True)
class Bench:
    """A project that is worked on. What takes long is kept until the schema changes."""

    project: Project
    work: Work
    _looked: tuple[int, Looked] | None = None
    _counted: tuple[tuple[int, int], FrequencySet] | None = None
    _explored: tuple[tuple[Any, ...], Explored | None] | None = None
    _lock: RLock = field(default_factory=RLock)

    @property
    def looked(self) -> Looked | None:
        """The table as it is; None if nobody has looked yet."""
        with self._lock:
            try:
                stamp = self.project.looked_file.stat().st_mtime_ns
            except FileNotFoundError:
                return None
            if self._looked is None or self._looked[0] != stamp:
                found = Looked.read(self.project)
                self._looked = None if found is None else (stamp, found)
            return None if self._looked is None else self._looked[1]

    def give_role(self, name: str, role: str) -> None:
        """Write another role of a column into the schema. As a quasi-identifier it gets the levels that were suggested for it."""
        with self._lock:
            schema, chosen = self.project.schema, Role(role)
            before = schema[name]
            found = self.looked.columns.get(name) if self.looked else None
            levels = before.builder if chosen in (Role.QUASI, Role.SENSITIVE) else Suppression()
            attribute = replace(before, role=chosen, builder=levels)
            if chosen is Role.QUASI and isinstance(before.builder, Suppression) and found and found.as_quasi:
                attribute = replace(found.as_quasi, role=chosen)
            if chosen is Role.OWNER and (owner := next(iter(schema.names(Role.OWNER)), name)) != name:
                raise UsageError(f"one column names the owner, and that is {owner!r}", where=name)
            changed = tuple(attribute if each.name == name else each for each in schema.attributes)
            self.project.write_schema(replace(schema, attributes=changed), self._comments(name))

    def _comments(self, changed: str) -> dict[str, str]:
        known = self.looked.columns if self.looked else {}
        return {name: each.why if name != changed else "decided on the workbench" for name, each in known.items()}

    def counts(self) -> FrequencySet:
        """The table counted by its quasi-identifiers, as they are."""
        with self._lock:
            stamp = self.project.stamp
            if self._counted is None or self._counted[0] != stamp:
                with Table.open(self.project.source) as table:
                    self._counted = (stamp, table.count())
            return self._counted[1]

    def explored(self) -> Explored | None:
        """The policy space of the table as it is now; None if it has to be explored first."""
        with self._lock:
            state = explored_state(self.project)
            if self._explored is None or self._explored[0] != state:
                self._explored = (state, explored_in(self.project))
            return self._explored[1]

    def as_it_is(self) -> AsItIs:
        """The risk of the table as it is."""
        counts = self.counts()
        names = counts.node.attributes
        single = sorted((_telling(counts, (name,)) for name in names), key=_most_first)
        kept = names[:MOST_PAIRS]
        pairs = sorted((_telling(counts, (a, b)) for at, a in enumerate(kept) for b in kept[at + 1 :]), key=_most_first)
        return AsItIs(
            counts.total_people, counts.classes, risk(counts), sizes_of(counts, None), tuple(single), tuple(pairs[:MOST_PAIRS])
        )


def _telling(counts: FrequencySet, names: tuple[str, ...]) -> Telling:
    sizes = counts.project(names).people
    return Telling(names, int((sizes == 1).sum()), int(sizes[sizes < THRESHOLD].sum()), len(sizes))


def _most_first(each: Telling) -> tuple[int, int, int]:
    return -each.alone, -each.few, -each.classes


def schema_has(schema: Schema, name: str) -> bool:
    """Whether a column is known."""
    return any(each.name == name for each in schema.attributes)
