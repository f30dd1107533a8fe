"""From the releases of a ledger to people by their classes: which class of each release everybody is in.

A release at a node is worked out from its table; where people were suppressed, its file says which classes are left. For a local
recoding the owner's copy says which class every combination of values is in. An m-invariant release is read, with the owner's map of
who is in which group. Other releases are refused: where a recoding divides people with the same values, or an operation has changed
values, nobody knows who is in which class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sfumato.errors import DataError, NotVerified, SfumatoError, UsageError, argument, several
from sfumato.frequency import FrequencySet
from sfumato.release.cells import CellClasses
from sfumato.release.certificate import sha256
from sfumato.release.invariant import M_INVARIANCE
from sfumato.release.reading import read_release
from sfumato.sequence.classes import Member
from sfumato.sequence.files import Groups, Placed, read_groups, read_map
from sfumato.sequence.history import Lose, Past, refuse
from sfumato.sequence.joint import Joint, of_one_table, of_owners
from sfumato.sequence.rows import Rows, by_owner, counted
from sfumato.sequence.strangers import written_otherwise
from sfumato.table import Table
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Schema, Suppressed

OWN_LEDGER = "keep such releases in a ledger of their own"
NO_OWNER = (
    "without an owner column nobody knows which rows are one person's; give a column the role "
    "'owner', or keep a ledger for each table"
)


@dataclass(frozen=True, slots=True, eq=False)
class InGroups:
    """What the file and the map of an m-invariant release say: its groups, and who is in which. `after`: the map that it began with."""

    m: int | None
    groups: Groups
    placed: Placed
    after: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A release that is not published yet: its table, node and kept classes, or the classes of all combinations of values (`cells`), or
    the groups of an m-invariant one; whether the suppressed stay as `*`, what it promises, about which sensitive attributes, and whether
    beliefs were stated for that."""

    name: str
    table: str
    node: Mapping[str, int] = field(default_factory=dict)
    kept: FrequencySet | None = None
    cells: CellClasses | None = None
    starred: bool = False
    models: tuple[str, ...] = ()
    about: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    beliefs: bool = False
    in_groups: InGroups | None = None


def joint_of(
    releases: Sequence[Past], tables: Mapping[str, Table], schema: Schema, planned: Planned | None = None, lose: Lose = refuse
) -> Joint:
    """People by their classes in some releases, and in one that is planned. `lose` gets the releases whose people cannot be told."""
    kept = [past for past in releases if is_of_a_kind(past, lose, chosen=planned is None)]
    asked: list[Past | Planned] = [*kept, *([planned] if planned else [])]
    needed = {each.table: tables[each.table] for each in asked}
    # Bounds on one table follow from its count, whose rows may be several of a person. What an audit measures is about people with one.
    counted_alone = planned is not None and planned.in_groups is None and not any(past.certificate.method for past in kept)
    if len(needed) == 1 and (schema.owner is None or counted_alone):
        (table,) = needed.values()
        rows, counts = counted(table, _meet(asked, schema))
        members = _members(asked, dict.fromkeys(needed, rows), needed, lose)
        return of_one_table(members, counts, table.schema)
    if schema.owner is None:
        raise UsageError(f"the ledger has releases of several tables, and {NO_OWNER}", where="the schema")
    quasi = [name for name in schema.quasi if any(name in _node(each) for each in asked)]
    read = _read(asked, needed, quasi, lose)
    _lose_strangers(kept, planned, read, lose)
    members = _members([each for each in asked if each.table in read], read, needed, lose)
    return of_owners(members, read, needed[asked[0].table].schema)


def is_of_a_kind(past: Past, lose: Lose, *, chosen: bool = False) -> bool:
    """Whether a release is of a kind that leaves classes of people; if not, `lose` gets it. `chosen`: others can be chosen."""
    try:
        _require_kind(past, f"audit the others ({argument('only')}), or keep it in another ledger" if chosen else OWN_LEDGER)
    except DataError as error:
        lose(past, error)
        return False
    return True


def _read(asked: Sequence[Past | Planned], tables: Mapping[str, Table], quasi: Sequence[str], lose: Lose) -> dict[str, Rows]:
    """The rows of the tables by owner; where a table cannot be read, all its releases are lost."""
    read: dict[str, Rows] = {}
    for digest, table in tables.items():
        own = [each for each in asked if each.table == digest]
        try:
            read[digest] = by_owner(table, quasi)
        except SfumatoError as error:
            if any(isinstance(each, Planned) for each in own):
                raise
            for each in own:
                if isinstance(each, Past):
                    lose(each, error)
    return read


def _lose_strangers(kept: Sequence[Past], planned: Planned | None, read: dict[str, Rows], lose: Lose) -> None:
    """Take out the tables that write owners in another way than those before: they would not be followed from one to the other."""
    asked: list[Past | Planned] = [*([planned] if planned else []), *kept]
    names = {each.table: each.name for each in reversed(asked)}
    hint = "write them in one way" if planned else f"audit the others ({argument('only')})"
    order = [table for table in dict.fromkeys(each.table for each in asked) if table in read]
    apart = written_otherwise({table: read[table].owners for table in order})
    known: list[str] = []
    for table in order:
        other = next((each for each in known if (each, table) in apart), None)
        if other is None:
            known.append(table)
            continue
        del read[table]
        for past in (each for each in kept if each.table == table):
            lose(past, _written_otherwise(past.name, names[other], apart[other, table], hint))


def _written_otherwise(name: str, other: str, people: int, hint: str) -> DataError:
    return DataError(
        f"{name} and {other} were made of tables that write {several(people, 'owner')} in different ways, such as 7, 7.0 and 007 or a1 and "
        f"A1; {hint}"
    )


def _members(asked: Sequence[Past | Planned], rows: Mapping[str, Rows], tables: Mapping[str, Table], lose: Lose) -> list[Member]:
    members = []
    for each in asked:
        try:
            members.append(_member(each, rows[each.table], tables[each.table]))
        except SfumatoError as error:
            if isinstance(each, Planned):
                raise
            lose(each, error)
    return members


def _node(release: Past | Planned) -> Mapping[str, int]:
    """The levels from which the classes of a release can be told."""
    if release.cells is not None:
        return dict.fromkeys(release.cells.quasi, 0)
    return release.node if isinstance(release, Planned) else release.certificate.node


def _meet(releases: Sequence[Past | Planned], schema: Schema) -> dict[str, int]:
    """The lowest level of every QID that is in any release."""
    levels = {name: [_node(each)[name] for each in releases if name in _node(each)] for name in schema.quasi}
    return {name: min(each) for name, each in levels.items() if each}


def _require_kind(past: Past, hint: str) -> None:
    """Refuse a release whose file does not say who is in which class; `hint` says what would work."""
    certificate = past.certificate
    if certificate.recoding == Recoding.kind or past.cells is not None:
        return
    if certificate.method is None:
        raise DataError(f"{past.name} is a local recoding, and the ledger does not say who is in which of its classes; {hint}")
    if certificate.method["name"] != M_INVARIANCE:
        raise DataError(
            f"{past.name} was made by {certificate.method['name']}, which leaves no classes of people that could be put together; {hint}"
        )


def _member(release: Past | Planned, rows: Rows, table: Table) -> Member:
    if isinstance(release, Planned):
        if release.in_groups is not None:
            return _grouped(release.name, release.table, rows, release.in_groups)
        numbers, classes = (
            rows.numbers(release.node, release.kept) if release.cells is None else rows.numbers_by_cells(release.cells)
        )
        return _promising(
            release, Member(release.name, release.table, numbers, classes + release.starred, starred=release.starred)
        )
    if release.certificate.method is not None:
        return _invariant(release, rows, table)
    suppressed = release.certificate.suppressed
    left_out = bool(
        suppressed["classes"]
    )  # whoever has several rows may be in another class, too, so that no person is suppressed
    written = _written(release, table) if left_out else None
    try:
        if release.cells is None:
            numbers, classes = rows.numbers(release.certificate.node, written)
        else:
            numbers, classes = rows.numbers_by_cells(release.cells)
    except DataError as error:
        raise DataError(f"{release.name} {error.message}; is it a release of this table?") from None
    if classes != release.certificate.classes:
        raise DataError(
            f"{release.name} has {release.certificate.classes:,} classes, and its table {classes:,}; is it a release of this table?"
        )
    shown = left_out and suppressed["as"] == Suppressed.STAR.value and "sensitive" not in suppressed
    return _promising(release, Member(str(release.number), release.table, numbers, classes + shown, starred=shown))


def _promising(release: Past | Planned, member: Member) -> Member:
    """A member with what its release promises."""
    return replace(member, models=release.models, about=release.about, beliefs=release.beliefs)


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
    placed = read_map(past.mapping, past.name)
    if past.owner.get("map_sha256") not in (None, sha256(Path(placed.place))):
        raise DataError(
            f"the map of {past.name} is another one than was written with it; keep every map in a file of its own",
            where=placed.place,
        )
    method = past.certificate.method
    assert method is not None  # noqa: S101  it is m-invariant
    try:
        return _grouped(str(past.number), past.table, rows, InGroups(method.get("m"), groups, placed))
    except DataError as error:
        raise DataError(f"the map of {past.name} {error.message}", where=placed.place) from None


def _grouped(name: str, table: str, rows: Rows, given: InGroups) -> Member:
    """An m-invariant release, from who is in which of its groups."""
    numbers = given.placed.of(rows.owners)
    if (numbers < 1).any() or int(numbers.max()) > given.groups.count:
        raise DataError("has other people than its table")
    return Member(name, table, numbers.astype(np.int32), given.groups.count, stated=given.groups.stated, m=given.m)
