"""Does a published file fit its certificate?"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from sfumato.errors import DataError, NotVerified
from sfumato.release.certificate import Certificate, certificate_path, sha256
from sfumato.release.rederive import Published
from sfumato.table import Table
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema


@dataclass(frozen=True, slots=True)
class Verified:
    """What was counted again from the file and found as certified."""

    path: Path
    certificate: Certificate
    rows: int
    classes: int


def verify(path: str | PathLike[str], certificate: str | PathLike[str] | None = None) -> Verified:
    """Check a published file against its certificate: digest, columns, rows and classes. Raises `NotVerified` if it does not fit."""
    file = Path(path)
    if not file.is_file():
        raise DataError("no such file", where=str(file))
    told = Certificate.read(Path(certificate) if certificate else certificate_path(file))
    if file.stat().st_size != told.bytes or sha256(file) != told.sha256:
        raise NotVerified("the file is not the one that was certified: its digest differs", where=str(file))
    rows, classes = _counted(file, told)
    if (rows, classes) != (_rows_in_file(told), told.classes):
        raise NotVerified(
            f"the file holds {rows:,} rows in {classes:,} classes, the certificate says "
            f"{_rows_in_file(told):,} in {told.classes:,}",
            where=str(file),
        )
    return Verified(file, told, rows, classes)


def _rows_in_file(told: Certificate) -> int:
    return told.rows + (told.suppressed["rows"] if told.suppressed["as"] == "star" else 0)


def _counted(file: Path, told: Certificate) -> tuple[int, int]:
    """Rows and classes of the file; starred records, which the certificate counts, form no class."""
    schema = Schema(tuple(Attribute(name, Role.QUASI, builder=Published()) for name in told.node))
    with Table.open(file, schema) as table:
        if list(table.columns) != list(told.columns):
            raise NotVerified("the file does not have the columns that the certificate names", where=str(file))
        counts = table.count()
    starred = _rows_in_file(told) - told.rows
    stars = [all(label == "*" for label in counts.labels(number)) for number in range(1, counts.classes + 1)] if starred else []
    alone = any(star and int(counts.rows[place]) == starred for place, star in enumerate(stars))
    return counts.total_rows, counts.classes - alone
