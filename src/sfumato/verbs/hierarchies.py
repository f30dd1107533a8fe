"""The hierarchies of a table's QIDs, checked against its values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.table import Table
from sfumato.vocabulary import arx
from sfumato.vocabulary.hierarchy import Hierarchy


def hierarchies(table: Table, quasi: Sequence[str] | None = None) -> dict[str, Hierarchy]:
    """The hierarchy of each QID over the values that occur; raises where a value is not covered."""
    return {name: table.count([name], sensitive=()).hierarchy(name) for name in table.schema.choose_quasi(quasi)}


def write_hierarchies(found: dict[str, Hierarchy], folder: Path, *, force: bool = False) -> list[Path]:
    """Each as ATTRIBUTE.csv in ARX's format; nothing that exists is replaced unless `force`."""
    paths = {name: folder / f"{name.replace('/', '_')}.csv" for name in found}
    taken = [path for path in paths.values() if path.exists()]
    if taken and not force:
        raise OutputError("exists already; --force replaces it", where=str(taken[0]))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in paths.items():
            path.write_text(arx.to_text(found[name]), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    return list(paths.values())
