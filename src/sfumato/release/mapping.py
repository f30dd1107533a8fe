"""The recoding as a file: attribute, value, label. It lists the values of the table, so it is the owner's."""

from __future__ import annotations

import csv
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.vocabulary.recoding import Recoding


def write_mapping(recoding: Recoding, path: Path) -> None:
    """One line per value of every published QID."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["attribute", "value", "label"])
            writer.writerows(recoding.mapping())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from None
