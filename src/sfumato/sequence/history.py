"""The releases of a ledger that are about the same people: which there are, which table each was made of, and where its file is.

A release belongs to a sequence if it was made under the schema that is asked about. The owner's copy in the ledger names the digest of
its table, and the file that this was read from; a table that is no longer what it was is refused by its digest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from sfumato.errors import DataError, SfumatoError, UsageError, argument, several
from sfumato.release.cells import CellClasses
from sfumato.release.certificate import Certificate
from sfumato.release.certifying import place_of
from sfumato.release.chain import Entry, Proved, prove
from sfumato.release.invariant import M_INVARIANCE
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.vocabulary.dialect import PLAIN, Dialect
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Schema

# Why a release is not audited.
ANOTHER_SCHEMA, NOT_ASKED, WITHDRAWN, NO_TABLE = "made under another schema", "not asked for", "withdrawn", "not of a table"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A release of the ledger that is not audited: the number of its entry, its file, and why."""

    number: str
    file: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """A release in the ledger: the number of its entry, its certificate, what only the owner knows, and of a local recoding which class
    every combination of values is in, if anybody knows."""

    number: int
    certificate: Certificate
    owner: Mapping[str, Any]
    cells: CellClasses | None = None

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return f"release {self.number} ({self.certificate.file})"

    @property
    def models(self) -> tuple[str, ...]:
        """What it promises."""
        models = tuple(dict.fromkeys(str(each["model"]) for each in self.certificate.models or ()))
        method = self.certificate.method
        return (*models, f"{M_INVARIANCE}:{method['m']}") if method is not None and "m" in method else models

    @property
    def about(self) -> Mapping[str, tuple[str, ...]]:
        """Which sensitive attributes each model that needs one is about."""
        found: dict[str, list[str]] = {}
        for each in self.certificate.models or ():
            if "sensitive" in each:
                found.setdefault(str(each["model"]), []).append(str(each["sensitive"]))
        return {model: tuple(names) for model, names in found.items()}

    def is_like(self, schema: Schema) -> bool:
        """Whether a schema has its owners, or a sensitive attribute and a QID of it, by their names, whatever case these are in."""
        certificate = self.certificate
        owners = (name for name, role in certificate.withheld.items() if role == Role.OWNER.value)
        if schema.owner is not None and _share_a_name(owners, [schema.owner]):
            return True
        return _share_a_name(certificate.sensitive, schema.sensitive) and _share_a_name(certificate.heights, schema.quasi)

    @property
    def beliefs(self) -> bool:
        """Whether it was judged with stated beliefs."""
        return bool(self.owner.get("beliefs"))

    @property
    def table(self) -> str:
        """The digest of its table."""
        return str(self.owner["input_sha256"])

    @property
    def dialect(self) -> Dialect:
        """How its table was read."""
        return Dialect(**self.owner.get("dialect", {}))

    @property
    def file(self) -> Path:
        """Where it was written."""
        return Path(str(self.owner["output"]))

    @property
    def mapping(self) -> str | None:
        """Of an m-invariant release, the owner's map of who is in which group."""
        place = self.owner.get("method", {}).get("map")
        return None if place is None else str(place)

    @classmethod
    def of(cls, entry: Entry) -> Past:
        """The release of an entry."""
        owner = entry.content["owner"]
        cells = CellClasses.parse(owner["cells"], entry.path) if "cells" in owner else None
        return cls(entry.sequence, Certificate.parse(json.dumps(entry.certificate), entry.path), owner, cells)


def _share_a_name(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two lists of columns have a name in common; a name in capitals is the same name."""
    return not {name.casefold() for name in one}.isdisjoint(name.casefold() for name in other)


def read_alike(one: Dialect, other: Dialect) -> bool:
    """Whether two readings of the same bytes have the same values."""
    return (one.numbers() or PLAIN) == (other.numbers() or PLAIN) and one.days() == other.days()


Lose = Callable[[Past, SfumatoError], object]


def refuse(past: Past, error: SfumatoError) -> NoReturn:
    """Do without no release: what is wrong with one is an error. Others take a release out, and go on without it."""
    raise error


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The releases of a sequence in order, those of the ledger that are not in it, and its head. `elsewhere` are the entries of releases
    under other schemas."""

    ledger: Path
    releases: tuple[Past, ...]
    left_out: tuple[LeftOut, ...]
    head: str
    elsewhere: tuple[Entry, ...] = ()

    @property
    def others(self) -> int:
        """How many releases of the ledger are not in the sequence; those that were withdrawn do not count."""
        return sum(each.reason != WITHDRAWN for each in self.left_out)

    def of_the_same_people(self, table: Table, *, promising: bool) -> tuple[Past, ...]:
        """The releases under another schema that are of a table, of what its file held before, or of tables with columns of the same
        names: the owners, or a sensitive attribute and a QID. `promising`: only those that promise something."""
        if not self.elsewhere:
            return ()
        digest, place = table.digest(), place_of(table)
        others = [past for past in map(Past.of, self.elsewhere) if past.models or not promising]
        return tuple(
            past
            for past in others
            if past.table == digest or (place is not None and past.owner.get("input") == place) or past.is_like(table.declared)
        )

    def tables(self) -> tuple[str, ...]:
        """The digests of the tables, in the order in which they were first released."""
        return tuple(dict.fromkeys(each.table for each in self.releases))


def history_of(ledger: Path, schema: Schema, only: Sequence[int] | None = None) -> History:
    """The releases under a schema; refuses a ledger that is not complete. `only` are numbers of entries."""
    proved = prove(ledger)
    known = _releases(proved)
    for number in only or ():
        if number not in known:
            raise UsageError(f"the ledger has no release {number} of a table", where=argument("only"))
    digest = schema.digest()
    chosen = [entry for number, entry in known.items() if only is None or number in only]
    ours = [each for each in chosen if (each.certificate or {}).get("schema_sha256") == digest]
    if only is not None and len(ours) < len(chosen):
        raise UsageError("some of these releases were made under another schema", where=argument("only"))
    elsewhere = tuple(entry for entry in chosen if entry not in ours)
    return History(ledger, tuple(map(Past.of, ours)), _left_out(proved, known, ours, only), proved.head, elsewhere)


def _left_out(
    proved: Proved, known: Mapping[int, Entry], ours: Sequence[Entry], only: Sequence[int] | None
) -> tuple[LeftOut, ...]:
    """The other releases of the ledger, each with the reason why it is not audited."""
    taken = {entry.sequence for entry in ours}
    return tuple(
        LeftOut(str(entry.sequence), str(entry.certificate["file"]), _reason(entry, known, only))
        for entry in proved.entries
        if entry.certificate is not None and entry.sequence not in taken
    )


def _reason(entry: Entry, known: Mapping[int, Entry], only: Sequence[int] | None) -> str:
    if not entry.of_table:
        return NO_TABLE
    if entry.sequence not in known:
        return WITHDRAWN
    return ANOTHER_SCHEMA if only is None or entry.sequence in only else NOT_ASKED


def _releases(proved: Proved) -> dict[int, Entry]:
    """The releases of tables that were not withdrawn, by the numbers of their entries."""
    withdrawn = {entry.withdraws for entry in proved.entries}
    return {entry.sequence: entry for entry in proved.entries if entry.of_table and entry.digest not in withdrawn}


def open_tables(
    history: History,
    like: Source,
    schema: Schema,
    given: Sequence[Table],
    stack: ExitStack,
    *,
    foreign: bool = False,
    lose: Lose = refuse,
) -> dict[str, Table]:
    """The tables of the releases by their digests: those that were given, and others from the files that the ledger names. `foreign`:
    those that were given may have no release yet, and no others can be. `lose` gets the releases whose tables cannot be opened."""
    tables = {table.digest(): table for table in given}
    if given and not foreign and not set(tables) & set(history.tables()):
        raise DataError(
            f"the ledger is one of another table: none of its {several(len(history.releases), 'release')} under this schema was "
            f"made of {'it' if len(given) == 1 else 'these'}",
            where=str(history.ledger),
        )
    for past in history.releases:
        if past.table not in tables:
            try:
                tables[past.table] = _reopened(past, history, like, schema, stack, named=not foreign)
            except SfumatoError as error:
                lose(past, error)
        elif not read_alike(past.dialect, tables[past.table].dialect):
            how = " or ".join(map(argument, ("decimal", "thousands", "dates")))
            lose(past, DataError(f"{past.name} was made of the same file, read in another way ({how}); read it in one way"))
    return tables


def _reopened(past: Past, history: History, like: Source, schema: Schema, stack: ExitStack, *, named: bool) -> Table:
    """The table of a release, from where the ledger says that it was; `named`: another file can be named."""
    place = past.owner.get("input")
    if place is None or not Path(place).exists():
        raise DataError(
            f"the table that {past.name} was made of is not at hand; {'name its file' if named else 'put its file back'}",
            where=str(history.ledger),
        )
    table = stack.enter_context(replace(like.beside(place, schema), **past.dialect.declared()).open())
    if table.digest() != past.table:
        raise DataError(
            f"the table that {past.name} was made of has changed since; keep the tables of a sequence as they were"
            + (", and name the file" if named else ", each in a file of its own"),
            where=str(place),
        )
    return table
