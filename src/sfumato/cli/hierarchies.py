"""`sfumato hierarchies`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


def hierarchies(
    source: options.Data,
    schema: options.SchemaFile,
    quasi: options.Quasi = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write ATTRIBUTE.csv in ARX's format into this folder.", show_default=False),
    ] = None,
    force: options.Force = False,
    memory: options.Memory = None,
    delimiter: options.Delimiter = None,
    json: options.Json = False,
) -> None:
    """Check the hierarchies against a table and show their levels.

    Example: `sfumato hierarchies adult.parquet -s adult.toml -o levels/`
    """
    from sfumato.table import Table
    from sfumato.verbs.hierarchies import hierarchies as bound
    from sfumato.verbs.hierarchies import write_hierarchies

    with show.watching() as watch, Table.open(source, schema, memory_limit=memory, delimiter=delimiter) as table:
        watch("counting", table.engine)
        found = bound(table, options.names(quasi))
    written = write_hierarchies(found, output, force=force) if output else []
    if json:
        levels = {name: [len(labels) for labels in hierarchy.labels] for name, hierarchy in found.items()}
        show.emit({"hierarchies": levels, "written": [str(path) for path in written]})
        return
    rows = []
    for name, hierarchy in found.items():
        for level, labels in enumerate(hierarchy.labels):
            sample = ", ".join(labels[:3]) + (", …" if len(labels) > 3 else "") if level else "the values themselves"
            rows.append([name if level == 0 else "", level, len(labels), sample])
    console = show.out()
    console.print(show.table(None, ["attribute", "level", "labels", "for instance"], rows, right=["level", "labels"]))
    if output:
        console.print(f"wrote {len(written)} files into {output}", soft_wrap=True)
