"""What the workbench knows of its table: looked at once, and again when the schema changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from sfumato.commit.locks import held
from sfumato.errors import SfumatoError, UsageError
from sfumato.frequency import Counts, FrequencySet, Incidence
from sfumato.question.population import PopulationOf
from sfumato.table import Table
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Schema
from sfumato.web.bench.exploring import Explored, explored_in, explored_state, state_of
from sfumato.web.bench.jobs import Work
from sfumato.web.bench.looking import Looked, look_basis
from sfumato.web.bench.owning import owners_of
from sfumato.web.bench.project import Project
from sfumato.web.bench.telling import AsItIs, as_it_is


@dataclass(slots=True)
class Bench:
    """A project that is worked on. What takes long is kept until the schema changes. `here`: its folder is on the computer of whoever
    looks at its pages."""

    project: Project
    work: Work
    here: bool = True
    _looked: tuple[int, Looked] | None = None
    _counted: tuple[tuple[Any, ...], FrequencySet] | None = None
    _risk: tuple[tuple[Any, ...], AsItIs] | None = None
    _explored: tuple[tuple[Any, ...], Explored | None] | None = None
    _owners: tuple[tuple[str, str | None], dict[str, Incidence]] | None = None
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
                self._looked = None if found is None else (stamp, replace(found, owners=self._owners_of))
            return None if self._looked is None else self._looked[1]

    @property
    def fresh(self) -> bool:
        """Whether what is known of the columns is true of the table as it is now."""
        try:
            return self.looked is not None and self.looked.basis == look_basis(self.project)
        except SfumatoError:
            return False

    def _owners_of(self, name: str) -> Incidence | None:
        """Who has each value of a column, where people have several rows; counted once, whatever its levels are."""
        with self._lock:
            owner, looked = self.project.schema.owner, self.looked
            prior = looked.columns[name].values if looked and name in looked.columns else None
            if looked is None or prior is None or owner in (None, name):
                return None
            if self._owners is None or self._owners[0] != (looked.basis, owner):
                self._owners = ((looked.basis, owner), {})
            known = self._owners[1]
            if name not in known:
                known[name] = owners_of(self.project, prior)
            return known[name]

    def give_role(self, name: str, role: str) -> None:
        """Write another role of a column into the schema. As a quasi-identifier it gets the levels that were suggested for it."""
        with self._lock, held(self.project.folder):  # another workbench, or the shell, may write it meanwhile
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
            state = self._table_state()
            if self._counted is None or self._counted[0] != state:
                with Table.open(self.project.source) as table:
                    self._counted = (state, table.count())
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
        with self._lock:
            question = self.project.recipe.question
            state = (self._table_state(), question.population_size, str(question.population))
            if self._risk is None or self._risk[0] != state:
                counts = self.counts()
                people = None if question.population is None else self._population(counts)
                self._risk = (state, as_it_is(counts, question.population_size, people))
            return self._risk[1]

    def _population(self, counts: FrequencySet) -> Counts:
        """The people of the larger table who fit each class."""
        source, schema = self.project.source, self.project.schema
        larger = source.beside(self.project.recipe.question.population)
        return PopulationOf.counted(larger, schema, counts.node.attributes)(counts).people

    def _table_state(self) -> tuple[Any, ...]:
        """Changes when the table or its schema does, not with what is asked of it."""
        project = self.project
        return project.schema_file.stat().st_mtime_ns, repr(replace(project.source, schema=None)), state_of(project.source.data)


def schema_has(schema: Schema, name: str) -> bool:
    """Whether a column is known."""
    return any(each.name == name for each in schema.attributes)
