"""Does a published file fit its certificate?"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from sfumato.errors import DataError, NotVerified
from sfumato.frequency import FrequencySet
from sfumato.release.certificate import Certificate, certificate_path, sha256
from sfumato.release.rederive import Published, contradiction, without_stars
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
    counts = _counted(file, told)
    found = (_rows_in_file(told) - told.rows + counts.total_rows, counts.classes)
    if found != (_rows_in_file(told), told.classes):
        raise NotVerified(
            f"the file holds {found[0]:,} rows in {found[1]:,} classes, the certificate says "
            f"{_rows_in_file(told):,} in {told.classes:,}",
            where=str(file),
        )
    if wrong := contradiction(told, counts):
        raise NotVerified(f"the certificate contradicts the file: {wrong}", where=str(file))
    return Verified(file, told, found[0], found[1])


def _rows_in_file(told: Certificate) -> int:
    return told.rows + (told.suppressed["rows"] if told.suppressed["as"] == "star" else 0)


def _counted(file: Path, told: Certificate) -> FrequencySet:
    """The classes of the file without the starred records, which the certificate counts."""
    schema = Schema(tuple(Attribute(name, Role.QUASI, builder=Published()) for name in told.quasi), missing=())
    with Table.open(file, schema) as table:
        if list(table.columns) != list(told.columns):
            raise NotVerified("the file does not have the columns that the certificate names", where=str(file))
        counts = table.count()
    return without_stars(counts, told)
