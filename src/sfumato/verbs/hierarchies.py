"""The hierarchies of a table's QIDs, checked against its values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.frequency import FrequencySet
from sfumato.naming import FEW
from sfumato.release.targets import require_folder
from sfumato.table import Table
from sfumato.vocabulary import arx
from sfumato.vocabulary.node import Node


def hierarchies(table: Table, quasi: Sequence[str] | None = None) -> dict[str, FrequencySet]:
    """The counts of each QID alone, with its hierarchy; raises where a value is not covered."""
    return {name: table.count([name], sensitive=()) for name in table.schema.choose_quasi(quasi)}


def common_labels(counts: FrequencySet, level: int) -> list[str]:
    """The labels of a level that at least five people share: the others are not for showing."""
    at_level = counts.roll_up(Node(counts.node.attributes, (level,)))
    labels = [at_level.labels(number)[0] for number in range(1, at_level.classes + 1) if at_level.people[number - 1] >= FEW]
    return [label for label in labels if label is not None]


def write_hierarchies(found: dict[str, FrequencySet], folder: Path, *, force: bool = False) -> list[Path]:
    """Each as ATTRIBUTE.csv in ARX's format; nothing that exists is replaced unless `force`."""
    require_folder(folder)
    paths = {name: folder / f"{name.replace('/', '_')}.csv" for name in found}
    taken = [path for path in paths.values() if path.exists()]
    if taken and not force:
        raise OutputError("exists already; --force replaces it", where=str(taken[0]))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in paths.items():
            path.write_text(arx.to_text(found[name].hierarchy(name)), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    return list(paths.values())
