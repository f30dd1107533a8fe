"""Where a release goes: the file, the owner's ledger, the map of the recoding; looked at before any work is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path

from sfumato.commit.places import require_free, require_free_folder
from sfumato.errors import OutputError, SchemaError, UsageError, argument, several
from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.entering import Entering, EnteringOptions, Place
from sfumato.signing.canonical import EXACT
from sfumato.table import Table

SUFFIXES = (".parquet", ".csv", ".csv.gz")


class OutputOptions(EnteringOptions, total=False):
    """The fields of `Output` that verbs take as keyword arguments."""

    output: Place | None
    seed: int
    mapping: Place | None
    force: bool
    texts: Mapping[str, Callable[[Certificate], str]]


@dataclass(frozen=True, slots=True)
class Output(Entering):
    """Where a release goes, and the seed of its row order.

    Parameters
    ----------
    output : path, optional
        The file; on Spark a name without an ending is that of a folder of Parquet files. Without it, the release stays in memory and
        enters no ledger.
    seed : int
        Of the row order.
    mapping : path, optional
        A CSV file for the recoding, value by value; it lists values of the table, so it is the owner's.
    force : bool
        Replace what exists.
    texts : dict of str to callable, optional
        Further files beside the release, by name, each made from the certificate; they take their places together with it.
    ledger, sign, now, nonce : optional
        The ledger that it enters, and who signs it, as in `Entering`.
    """

    output: Place | None = None
    seed: int = 0
    mapping: Place | None = None
    force: bool = False
    texts: Mapping[str, Callable[[Certificate], str]] = field(default_factory=dict)

    @property
    def path(self) -> Path | None:
        return None if self.output is None else Path(self.output)

    @property
    def is_folder(self) -> bool:
        """Whether the release is a folder of files."""
        return self.path is not None and not self.path.suffix

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
        self.require_usable()
        if self.path is not None:
            self._require_places(self.path, table)

    def _require_places(self, path: Path, table: Table) -> None:
        if not path.name.endswith(SUFFIXES) and not (self.is_folder and table.engine.folders):
            raise OutputError(f"cannot tell the format; the name must end in {', '.join(SUFFIXES)}", where=str(path))
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
        self.require_apart_from_it([*self.files(), *others])

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
