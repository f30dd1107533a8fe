"""`sfumato hierarchies`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.opening import opened


def hierarchies(
    source: options.Data,
    schema: options.SchemaFile,
    quasi: options.Quasi = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write ATTRIBUTE.csv in ARX's format into this folder.", show_default=False),
    ] = None,
    force: options.Force = False,
    engine: options.EngineName = "duckdb",
    memory: options.Memory = None,
    delimiter: options.Delimiter = None,
    json: options.Json = False,
) -> None:
    """Check the hierarchies against a table and show their levels.

    Example: `sfumato hierarchies adult.parquet -s adult.toml -o levels/`
    """
    from sfumato.errors import several
    from sfumato.verbs.hierarchies import common_labels, write_hierarchies
    from sfumato.verbs.hierarchies import hierarchies as counted

    with opened(source, schema, engine=engine, memory=memory, delimiter=delimiter) as (table, watch):
        watch("counting", table.engine)
        found = counted(table, options.names(quasi))
    written = write_hierarchies(found, output, force=force) if output else []
    sizes = {name: [len(labels) for labels in counts.hierarchy(name).labels] for name, counts in found.items()}
    if json:
        show.emit({"hierarchies": sizes, "written": [str(path) for path in written]})
        return
    rows = []
    for name, counts in found.items():
        for level, size in enumerate(sizes[name]):
            labels = common_labels(counts, level)[:3] if level else ["the values themselves"]
            sample = ", ".join([*labels, "…"] if level and size > len(labels) else labels)
            rows.append([name if level == 0 else "", level, size, sample])
    console = show.out()
    console.print(show.table(None, ["attribute", "level", "labels", "for instance"], rows, right=["level", "labels"]))
    if output:
        console.print(f"wrote {several(len(written), 'file')} into {output}", soft_wrap=True)
