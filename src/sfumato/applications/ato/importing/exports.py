"""Exports as CSV: those of the portals for Office 365, with each record as a text in `AuditData`, and for Entra, with a column for each of
its properties."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from sfumato.errors import DataError, raise_alone
from sfumato.inputs.cells import cells_up_to

_TYPE = b"#TYPE"  # what PowerShell writes above the header
_AUDIT, _ENTRA = "AuditData", "Date (UTC)"
_NAMES = {
    "Request ID": "id",
    _ENTRA: "createdDateTime",
    "Username": "userPrincipalName",
    "User ID": "userId",
    "IP address": "ipAddress",
    "User agent": "userAgent",
    "Home tenant ID": "homeTenantId",
    "Resource tenant ID": "resourceTenantId",
}


def is_export(head: bytes) -> bool:
    """Whether a first line is that of an export."""
    return head.startswith(_TYPE) or any(name.encode() in head for name in (_AUDIT, _ENTRA))


def rows_of(path: Path, file: IO[bytes], longest: int) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """The number of each row below the header, its text, and the record that it stands for."""
    number = 0
    with io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as text:
        try:
            rows = _rows(text, longest)
            header = next(rows)
            header = next(rows, []) if header and header[0].startswith(_TYPE.decode()) else header
            for number, row in enumerate(rows, start=1):
                named = dict(zip(header, row, strict=False))
                if row:
                    yield number, _written(row), _entra(named) if _ENTRA in header else named
        except csv.Error:
            raise_alone(DataError(f"row {number + 1:,} cannot be read as CSV; is the file whole?", where=str(path)))


def _rows(text: IO[str], longest: int) -> Iterator[list[str]]:
    rows = csv.reader(text, strict=True)
    while True:
        with cells_up_to(longest):
            row = next(rows, None)
        if row is None:
            return
        yield row


def _written(row: list[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(row)
    return line.getvalue().encode()


def _entra(row: dict[str, str]) -> dict[str, Any]:
    """A row as the record that the Graph API would have given. A place is written as city, state, country."""
    record: dict[str, Any] = {name: row[column] for column, name in _NAMES.items() if row.get(column)}
    code = row.get("Sign-in error code", "")
    if not code.isdigit() and row.get("Status") == "Success":
        code = "0"
    return record | {"status": {"errorCode": code}, "location": {"countryOrRegion": row.get("Location", "").rpartition(",")[2]}}
