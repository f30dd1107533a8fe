"""Addresses that are known to be bad or good: a text file with one a line. What follows # is a remark."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from sfumato.applications.ato.importing.cleaning import canonical
from sfumato.errors import DataError
from sfumato.inputs import text
from sfumato.inputs.files import MB

_LARGEST = 16 * MB


def read_known(file: str | PathLike[str]) -> frozenset[str]:
    """The addresses of a file, in the spelling of the events; refuses a line that is none, by its number.

    Parameters
    ----------
    file : path
        A text with one address a line. What follows # is a remark.
    """
    path, found = Path(file), set()
    for number, line in enumerate(text(path, _LARGEST).splitlines(), start=1):
        if written := line.partition("#")[0].strip():
            found.add(_canonical(written, path, number))
    if not found:
        raise DataError("no address in it; write one a line", where=str(path))
    return frozenset(found)


def _canonical(written: str, path: Path, number: int) -> str:
    found = canonical(written)
    if found is None:
        raise DataError(f"line {number} is no IPv4 or IPv6 address", where=str(path))
    return found
