"""The recoding as a file: attribute, value, label, or the labels of every cell. It lists values of the table, so it is the owner's."""

from __future__ import annotations

import csv
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.vocabulary.recoding import AnyRecoding


def write_mapping(recoding: AnyRecoding, path: Path) -> None:
    """One line per value of every published QID or, for a local recoding, per cell and class."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(recoding.mapped)
            writer.writerows(recoding.mapping())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from None
