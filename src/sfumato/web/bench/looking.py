"""A table looked at once: what each column was taken for and why, and how its values are distributed. Kept in a file of the project."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.beliefs import Prior
from sfumato.commit.locks import held
from sfumato.commit.writing import write_text
from sfumato.table import Table
from sfumato.table.marginals import marginals_of
from sfumato.table.source import SOURCE_OPTIONS
from sfumato.verbs.init import begin_with
from sfumato.verbs.profile import profile
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema
from sfumato.vocabulary.toml import schema_text
from sfumato.web.bench.exploring import state_of
from sfumato.web.bench.jobs import Watch
from sfumato.web.bench.owning import Owners, nobody
from sfumato.web.bench.project import LIMITS, Project

VERSION = 1


@dataclass(frozen=True, slots=True)
class Column:
    """What was found in a column, and what it was taken for. `as_quasi` is how it could be generalized, if it tells people apart;
    `values` are its values with the rows that have them, None if there are too many."""

    name: str
    kind: Kind
    role: Role
    reason: str
    why: str
    distinct: int
    missing: int
    alone: int
    as_quasi: Attribute | None
    values: Prior | None


@dataclass(frozen=True, slots=True)
class Looked:
    """The table as it is; `basis` changes when it has to be looked at again. `owners` knows who has each value of a column."""

    basis: str
    rows: int
    read_as: tuple[str, ...]
    columns: Mapping[str, Column]
    owners: Owners = nobody

    @classmethod
    def read(cls, project: Project) -> Looked | None:
        """What was found; None if nobody has looked yet."""
        try:
            document = json.loads(project.looked_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        if document.get("version") != VERSION:
            return None
        quasi = Schema.parse(document["as_quasi"], folder=project.folder) if document["as_quasi"] else None
        known = {each.name: each for each in quasi.attributes} if quasi else {}
        columns = {each["name"]: _column(each, known) for each in document["columns"]}
        return cls(document.get("basis", ""), document["rows"], tuple(document["read_as"]), columns)


def _column(entry: Mapping[str, Any], as_quasi: Mapping[str, Attribute]) -> Column:
    name, values = entry["name"], entry["values"]
    prior = None if values is None else Prior(name, tuple(values), np.array(entry["people"], np.int64))
    plain = {key: entry[key] for key in ("reason", "why", "distinct", "missing", "alone")}
    return Column(name, Kind(entry["kind"]), Role(entry["role"]), **plain, as_quasi=as_quasi.get(name), values=prior)


def look(project: Project, watch: Watch) -> dict[str, Any]:
    """Look at every column of the table once. A project that is not begun begins with what was found."""
    source = project.source if project.begun or project.table is None else project.table
    profiled = profile(replace(source, schema=None), watch=watch.step)
    if not project.begun:
        begin_with(source, profiled, project.folder)
    with Table.open(project.source) as table:
        watch.step("counting values", table.engine)
        basis, every = look_basis(project), _every(table.schema)
        marginals = marginals_of(table.engine, every, [each.name for each in every.attributes])
    suggested = tuple(each.as_quasi for each in profiled.suggestions if each.as_quasi)
    columns = []
    for each in profiled.suggestions:
        prior = marginals.get(each.attribute.name)
        columns.append(
            {
                "name": each.attribute.name,
                "kind": each.kind,
                "role": each.attribute.role.value,
                "reason": each.reason,
                "why": each.why,
                "distinct": each.distinct,
                "missing": each.missing,
                "alone": each.alone,
                "values": None if prior is None else list(prior.values),
                "people": None if prior is None else prior.people.tolist(),
            }
        )
    document = {
        "version": VERSION,
        "basis": basis,
        "rows": profiled.rows,
        "read_as": list(profiled.read_as),
        "as_quasi": schema_text(replace(table.schema, attributes=suggested)) if suggested else "",
        "columns": columns,
    }
    with held(project.folder):
        write_text(project.looked_file, json.dumps(document, ensure_ascii=False), force=True)
    return {}


def look_basis(project: Project) -> str:
    """A digest of what was looked at: the table, and how it is read. Roles and levels do not matter."""
    read = {name: str(getattr(project.source, name)) for name in ("data", *SOURCE_OPTIONS) if name not in LIMITS}
    known = [_every(project.schema).digest(), read, state_of(project.source.data)]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def _every(schema: Schema) -> Schema:
    """Every column, as it is."""
    plain = (replace(each, role=Role.PLAIN, builder=Suppression()) for each in schema.attributes)
    return replace(schema, attributes=tuple(plain))
