"""Where a release goes: the file, the owner's ledger, the map of the recoding; looked at before any work is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TypedDict

from sfumato.commit.places import require_different, require_free, require_free_folder
from sfumato.errors import OutputError, SchemaError, UsageError, argument, several
from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.chain import NONCE, is_entry
from sfumato.release.ledger import default_ledger
from sfumato.signing.canonical import EXACT
from sfumato.signing.keys import PrivateKey
from sfumato.table import Table

SUFFIXES = (".parquet", ".csv", ".csv.gz")
Place = str | PathLike[str]


class OutputOptions(TypedDict, total=False):
    """The fields of `Output` that verbs take as keyword arguments."""

    output: Place | None
    seed: int
    ledger: Place | None
    mapping: Place | None
    force: bool
    sign: Place | PrivateKey | None
    now: datetime | None
    nonce: bytes | None
    texts: Mapping[str, Callable[[Certificate], str]]


@dataclass(frozen=True, slots=True)
class Output:
    """Where a release goes, and the seed of its row order.

    Parameters
    ----------
    output : path, optional
        The file; on Spark a name without an ending is that of a folder of Parquet files. Without it, the release stays in memory and
        enters no ledger.
    seed : int
        Of the row order.
    ledger : path, optional
        The folder for the owner's copy of the certificate.
    mapping : path, optional
        A CSV file for the recoding, value by value; it lists values of the table, so it is the owner's.
    force : bool
        Replace what exists.
    sign : PrivateKey or path, optional
        The private key to sign with, or its file.
    now : datetime, optional
        The time that the certificate states; the system's unless it is given.
    nonce : bytes, optional
        The 16 bytes that make the ledger's entry unguessable; from the system unless they are given.
    texts : dict of str to callable, optional
        Further files beside the release, by name, each made from the certificate; they take their places together with it.
    """

    output: Place | None = None
    seed: int = 0
    ledger: Place | None = None
    mapping: Place | None = None
    force: bool = False
    sign: Place | PrivateKey | None = None
    now: datetime | None = None
    nonce: bytes | None = None
    texts: Mapping[str, Callable[[Certificate], str]] = field(default_factory=dict)

    @property
    def path(self) -> Path | None:
        return None if self.output is None else Path(self.output)

    @property
    def is_folder(self) -> bool:
        """Whether the release is a folder of files."""
        return self.path is not None and not self.path.suffix

    @property
    def folder(self) -> Path:
        """The ledger."""
        return Path(self.ledger) if self.ledger else default_ledger()

    def time(self) -> str:
        """The time that the certificate states."""
        return (self.now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")

    def signer(self) -> PrivateKey | None:
        """The key to sign with."""
        return self.sign if isinstance(self.sign, PrivateKey | None) else PrivateKey.read(self.sign)

    def files(self) -> list[Path]:
        """Everything that is written but for the ledger."""
        if self.path is None:
            return []
        beside = [self.path.with_name(name) for name in self.texts]
        return [self.path, certificate_path(self.path), *([Path(self.mapping)] if self.mapping else []), *beside]

    def require(self, table: Table) -> None:
        """Refuse, before the work, a table with columns that nobody gave a role, and places that cannot be used."""
        if undeclared := table.undeclared():
            raise SchemaError(
                f"{several(len(undeclared), 'column')} of the data not declared: {', '.join(undeclared)}; "
                f"give each a role ('identifier' keeps it from being published)",
                where="the schema",
            )
        if abs(self.seed) > EXACT:
            raise UsageError(
                "a whole number of at most 15 digits, so that every reader of the certificate sees the same",
                where=argument("seed"),
            )
        if self.nonce is not None and len(self.nonce) != NONCE:
            raise UsageError(f"{NONCE} random bytes", where=argument("nonce"))
        self.signer()
        if self.path is not None:
            self._require_places(self.path, table)

    def _require_places(self, path: Path, table: Table) -> None:
        if not path.name.endswith(SUFFIXES) and not (self.is_folder and table.engine.folders):
            raise OutputError(f"cannot tell the format; the name must end in {', '.join(SUFFIXES)}", where=str(path))
        if self.ledger is not None and not str(self.ledger):
            raise OutputError("the ledger needs the name of a folder", where=argument("ledger"))
        for target in self.files():
            if target == path and self.is_folder:
                require_free_folder(target)
            else:
                require_free(target, self.force)
        self.require_apart()
        self._require_outside(table)

    def require_no_other_table(self) -> None:
        """Refuse to replace a release of two tables by one that would leave the second of them where it is."""
        former = None if self.path is None else _second_table(self.path)
        if former is not None and former not in self.files() and former.exists():
            raise OutputError("the second table of the release that would be replaced; remove it first", where=str(former))

    def require_apart(self, *others: Path) -> None:
        """Refuse two outputs at one place (`others` are written beside the release), and one in the place of a ledger entry."""
        targets = [*self.files(), *others]
        require_different(targets)
        for target in targets:
            if is_entry(target.name) and target.resolve().parent == self.folder.resolve():
                raise OutputError("this is the place of an entry of the ledger; choose another name", where=str(target))

    def _require_outside(self, table: Table) -> None:
        """Refuse a place among the files of a table that is a folder: the release would be part of the table from then on."""
        data = table.source.data
        folder = Path(data).resolve() if isinstance(data, str | PathLike) and Path(data).is_dir() else None
        for target in self.files():
            if folder is not None and folder in target.resolve().parents:
                raise OutputError("the table is this folder; write somewhere else", where=str(target))


def _second_table(path: Path) -> Path | None:
    """The second table of the release at a place, if its certificate names one. What is to be replaced is no input, and may be anything."""
    try:
        certificate = json.loads(certificate_path(path).read_text(encoding="utf-8"))
        return path.with_name(Path(certificate["method"]["beside"]["file"]).name)
    except (OSError, ValueError, LookupError, TypeError):
        return None


OUTPUT_OPTIONS: Sequence[str] = tuple(each.name for each in fields(Output))
