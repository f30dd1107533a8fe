"""The hierarchies of a table's QIDs, checked against its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from sfumato.commit.call import one_call
from sfumato.commit.writing import written_together
from sfumato.frequency import FrequencySet
from sfumato.naming import FEW
from sfumato.options import divided
from sfumato.question.question import names_of
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.vocabulary import arx
from sfumato.vocabulary.node import Node


@one_call()
def hierarchies(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    quasi: Sequence[str] | str | None = None,
    output: str | PathLike[str] | None = None,
    force: bool = False,
    **options: Unpack[SourceOptions],
) -> dict[str, FrequencySet]:
    """Count each QID alone, with its hierarchy; raises where a value is not covered.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    quasi : str or list of str, optional
        The QIDs; all by default.
    output : path, optional
        A folder to write each hierarchy into, in ARX's format.
    force : bool
        Replace what exists.
    **options
        The fields of `Source`.

    Returns
    -------
    dict of str to FrequencySet
        The counts of each QID.
    """
    (settings,) = divided(options, SOURCE_OPTIONS)
    with opened(data, schema, settings) as table:
        counts = {name: table.count([name], sensitive=()) for name in table.schema.choose_quasi(names_of(quasi, "quasi"))}
    if output is not None:
        write_hierarchies(counts, Path(output), force=force)
    return counts


def common_labels(counts: FrequencySet, level: int) -> list[str]:
    """The labels of a level that at least five people share: the others are not for showing."""
    at_level = counts.roll_up(Node(counts.node.attributes, (level,)))
    labels = [at_level.labels(number)[0] for number in range(1, at_level.classes + 1) if at_level.people[number - 1] >= FEW]
    return [label for label in labels if label is not None]


def write_hierarchies(counts: Mapping[str, FrequencySet], folder: Path, *, force: bool = False) -> list[Path]:
    """Each as ATTRIBUTE.csv in ARX's format; nothing that exists is replaced unless `force`."""
    files = tuple(f"{name.replace('/', '_')}.csv" for name in counts)
    with written_together(folder, files, force=force) as hidden:
        for name, place in zip(counts, hidden, strict=True):
            place.write_text(arx.to_text(counts[name].hierarchy(name)), encoding="utf-8")
    return [folder / file for file in files]
