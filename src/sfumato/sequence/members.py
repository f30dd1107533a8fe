"""From the releases of a ledger to people by their classes: which class of each release everybody is in.

A release at a node is worked out from its table; where people were suppressed, its file says which classes are left. An m-invariant
release is read, with the owner's map of who is in which group. Other releases are refused: a local recoding does not record who is in
which class, and where an operation has changed values, the classes of the file say nothing about people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import DataError, NotVerified, UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.release.certificate import sha256
from sfumato.release.invariant import M_INVARIANCE
from sfumato.release.reading import read_release
from sfumato.sequence.files import read_groups, read_map
from sfumato.sequence.history import Past
from sfumato.sequence.joint import Joint, Member, of_one_table, of_owners
from sfumato.sequence.rows import Rows, by_owner, counted
from sfumato.table import Table
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Schema, Suppressed


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A release that is not published yet: its table, node and kept classes, what it promises, and whether the suppressed stay as `*`."""

    name: str
    table: str
    node: Mapping[str, int]
    kept: FrequencySet
    models: tuple[str, ...] = ()
    starred: bool = False


def joint_of(releases: Sequence[Past], tables: Mapping[str, Table], schema: Schema, planned: Planned | None = None) -> Joint:
    """People by their classes in some releases, and in one that is planned; refuses releases whose people cannot be told."""
    for past in releases:
        _require_kind(past)
    asked: list[Past | Planned] = [*releases, *([planned] if planned else [])]
    needed = {each.table: tables[each.table] for each in asked}
    if len(needed) == 1 and schema.owner is None:
        (table,) = needed.values()
        rows, counts = counted(table, _meet(asked, schema))
        members = [_member(each, rows, table) for each in asked]
        return of_one_table(members, counts, table.schema)
    if schema.owner is None:
        raise UsageError(
            "the ledger has releases of several tables, and without an owner column nobody knows which rows are one person's; give a "
            "column the role 'owner', or keep a ledger for each table",
            where="the schema",
        )
    quasi = [name for name in schema.quasi if any(name in _node(each) for each in asked)]
    read = {digest: by_owner(table, quasi) for digest, table in needed.items()}
    members = [_member(each, read[each.table], needed[each.table]) for each in asked]
    return of_owners(members, read, needed[asked[0].table].schema)


def _node(release: Past | Planned) -> Mapping[str, int]:
    return release.node if isinstance(release, Planned) else release.certificate.node


def _meet(releases: Sequence[Past | Planned], schema: Schema) -> dict[str, int]:
    """The lowest level of every QID that is in any release."""
    levels = {name: [_node(each)[name] for each in releases if name in _node(each)] for name in schema.quasi}
    return {name: min(each) for name, each in levels.items() if each}


def _require_kind(past: Past) -> None:
    certificate, leave = past.certificate, f"; audit the others ({argument('only')}), or keep it in another ledger"
    if certificate.recoding == Recoding.kind:
        return
    if certificate.method is None:
        raise DataError(f"{past.name} is a local recoding, and the ledger does not say who is in which of its classes{leave}")
    if certificate.method["name"] != M_INVARIANCE:
        raise DataError(
            f"{past.name} was made by {certificate.method['name']}, which leaves no classes of people that could be put together{leave}"
        )


def _member(release: Past | Planned, rows: Rows, table: Table) -> Member:
    if isinstance(release, Planned):
        numbers, classes = rows.numbers(release.node, release.kept)
        return Member(release.name, release.table, numbers, classes + release.starred, models=release.models)
    if release.certificate.method is not None:
        return _invariant(release, rows, table)
    suppressed = release.certificate.suppressed
    try:
        numbers, classes = rows.numbers(release.certificate.node, _written(release, table) if suppressed["people"] else None)
    except DataError as error:
        raise DataError(f"{release.name} {error.message}; is it a release of this table?") from None
    if classes != release.certificate.classes:
        raise DataError(
            f"{release.name} has {release.certificate.classes:,} classes, and its table {classes:,}; is it a release of this table?"
        )
    shown = suppressed["as"] == Suppressed.STAR.value and suppressed["people"] and "sensitive" not in suppressed
    return Member(str(release.number), release.table, numbers, classes + bool(shown), models=release.models)


def _written(past: Past, table: Table) -> FrequencySet:
    """The classes of a written file."""
    _require_file(past)
    return read_release(table.source.beside(past.file), table.declared).counts


def _require_file(past: Past) -> None:
    if not past.file.exists():
        raise DataError(f"the file of {past.name} is gone, and it says who was suppressed; put it back", where=str(past.file))
    if sha256(past.file) != past.certificate.sha256:
        raise NotVerified(f"the file of {past.name} was changed: its digest differs", where=str(past.file))


def _invariant(past: Past, rows: Rows, table: Table) -> Member:
    """An m-invariant release: the groups of people by the owner's map, their sensitive values by the file."""
    _require_file(past)
    groups = read_groups(table, past.file)
    number_of = read_map(past.owner.get("method", {}).get("map"), past.name)
    numbers = number_of.of(rows.owners)
    if (numbers < 1).any() or int(numbers.max()) > groups.count:
        raise DataError(f"the map of {past.name} has other people than its table", where=number_of.place)
    method = past.certificate.method
    assert method is not None  # noqa: S101  it is m-invariant
    return Member(str(past.number), past.table, numbers.astype(np.int32), groups.count, stated=groups.stated, m=method.get("m"))
