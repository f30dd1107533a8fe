"""The releases of a ledger that are about the same people: which there are, which table each was made of, and where its file is.

A release belongs to a sequence if it was made under the schema that is asked about. The owner's copy in the ledger names the digest of
its table, and the file that this was read from; a table that is no longer what it was is refused by its digest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, UsageError, argument, several
from sfumato.release.certificate import Certificate
from sfumato.release.chain import Entry, Proved, prove
from sfumato.release.invariant import M_INVARIANCE
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """A release in the ledger: the number of its entry, its certificate, and what only the owner knows."""

    number: int
    certificate: Certificate
    owner: Mapping[str, Any]

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
    def table(self) -> str:
        """The digest of its table."""
        return str(self.owner["input_sha256"])

    @property
    def file(self) -> Path:
        """Where it was written."""
        return Path(str(self.owner["output"]))

    @classmethod
    def of(cls, entry: Entry) -> Past:
        """The release of an entry."""
        return cls(entry.sequence, Certificate.parse(json.dumps(entry.certificate), entry.path), entry.content["owner"])


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The releases of a sequence in order, how many others the ledger has, and its head."""

    ledger: Path
    releases: tuple[Past, ...]
    others: int
    head: str

    def tables(self) -> tuple[str, ...]:
        """The digests of the tables, in the order in which they were first released."""
        return tuple(dict.fromkeys(each.table for each in self.releases))


def history_of(ledger: Path, schema: Schema, only: Sequence[int] | None = None) -> History:
    """The releases under a schema; refuses a ledger that is not complete. `only` are numbers of entries."""
    proved = prove(ledger)
    known = _releases(proved)
    for number in only or ():
        if number not in known:
            raise UsageError(f"the ledger has no release {number}", where=argument("only"))
    digest = schema.digest()
    chosen = [entry for number, entry in known.items() if only is None or number in only]
    ours = [each for each in chosen if (each.certificate or {}).get("schema_sha256") == digest]
    if only is not None and len(ours) < len(chosen):
        raise UsageError("some of these releases were made under another schema", where=argument("only"))
    return History(ledger, tuple(map(Past.of, ours)), len(known) - len(ours), proved.head)


def _releases(proved: Proved) -> dict[int, Entry]:
    """The releases that were not withdrawn, by the numbers of their entries."""
    withdrawn = {entry.withdraws for entry in proved.entries}
    return {entry.sequence: entry for entry in proved.entries if entry.certificate is not None and entry.digest not in withdrawn}


def open_tables(
    history: History, like: Source, schema: Schema, given: Sequence[Table], stack: ExitStack, *, foreign: bool = False
) -> dict[str, Table]:
    """The tables of the releases by their digests: those that were given, and others from the files that the ledger names. `foreign`:
    those that were given may have no release yet."""
    tables = {table.digest(): table for table in given}
    if given and not foreign and not set(tables) & set(history.tables()):
        raise DataError(
            f"the ledger is one of another table: none of its {several(len(history.releases), 'release')} under this schema was "
            f"made of {'it' if len(given) == 1 else 'these'}",
            where=str(history.ledger),
        )
    for past in history.releases:
        if past.table not in tables:
            tables[past.table] = _reopened(past, history, like, schema, stack)
    return tables


def _reopened(past: Past, history: History, like: Source, schema: Schema, stack: ExitStack) -> Table:
    place = past.owner.get("input")
    if place is None or not Path(place).exists():
        raise DataError(f"the table that {past.name} was made of is not at hand; name its file", where=str(history.ledger))
    table = stack.enter_context(like.beside(place, schema).open())
    if table.digest() != past.table:
        raise DataError(
            f"the table that {past.name} was made of has changed since; keep the tables of a sequence as they were, and name the file",
            where=str(place),
        )
    return table
