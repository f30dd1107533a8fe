"""`sfumato hierarchies`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


@options.takes(options.table, options.reading)
def hierarchies(
    request: options.Request,
    quasi: options.Quasi = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write ATTRIBUTE.csv in ARX's format into this folder.", show_default=False),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Check the hierarchies against a table and show their levels.

    Example: `sfumato hierarchies adult.parquet -s adult.toml -o levels/`
    """
    from sfumato.errors import several
    from sfumato.verbs.hierarchies import common_labels, write_hierarchies
    from sfumato.verbs.hierarchies import hierarchies as counted

    with show.watching() as watch:
        watch("counting", None)
        counts_of = counted(**request, quasi=options.names(quasi))
    written = write_hierarchies(counts_of, output, force=force) if output else []
    sizes = {name: [len(labels) for labels in counts.hierarchy(name).labels] for name, counts in counts_of.items()}
    if json:
        show.emit({"hierarchies": sizes, "written": [str(path) for path in written]})
        return
    rows = []
    for name, counts in counts_of.items():
        for level, size in enumerate(sizes[name]):
            labels = common_labels(counts, level)[:3] if level else ["the values themselves"]
            sample = ", ".join([*labels, "…"] if level and size > len(labels) else labels)
            rows.append([name if level == 0 else "", level, size, sample])
    show.out().print(show.table(None, ["attribute", "level", "labels", "for instance"], rows, right=["level", "labels"]))
    if output:
        show.line(f"wrote {several(len(written), 'file')} into {output}")
