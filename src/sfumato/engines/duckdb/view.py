"""The view over a source: its columns under the names of their places, read as they are written."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.engines.duckdb.sql import SQL
from sfumato.engines.relational.columns import Columns
from sfumato.engines.relational.written import read_as
from sfumato.vocabulary.dialect import Written


def selected(columns: Columns, written: Mapping[str, Written]) -> str:
    """The columns of the view: enumerations as text, and texts that are not plain as canonical ones."""
    chosen = []
    for place, (name, physical) in zip(columns.places, columns.physical.items(), strict=True):
        text = f"CAST({place} AS VARCHAR)" if physical.startswith("ENUM") else place
        if columns.is_text(name) and name in written:
            text = read_as(SQL, text, written[name])
        chosen.append(place if text == place else f"{text} AS {place}")
    return ", ".join(chosen)
