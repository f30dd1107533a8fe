"""`sfumato dimensions`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.check import Models, Sensitive
from sfumato.cli.explore import Suppress


def dimensions(
    source: options.Data,
    schema: options.SchemaFile,
    model: Models = None,
    suppress: Suppress = "0",
    quasi: options.Quasi = None,
    sensitive: Sensitive = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the figure as SVG or PNG.", show_default=False)
    ] = None,
    force: options.Force = False,
    memory: options.Memory = None,
    json: options.Json = False,
) -> None:
    """Show the curse of dimensionality: classes, losses and feasible nodes against the number of QIDs, in the order of --quasi.

    Example: `sfumato dimensions adult.parquet -s adult.toml -m k-anonymity:5 -o curse.svg`
    """
    from sfumato.search.problem import Loops
    from sfumato.verbs.dimensions import dimensions as explore_dimensions

    if output:
        from sfumato.release.targets import require_free

        require_free(output, force)
    with show.watching() as watch:
        found = explore_dimensions(
            source,
            schema,
            models=model or ["k-anonymity:5"],
            suppress=suppress,
            quasi=options.names(quasi),
            sensitive=options.names(sensitive),
            memory_limit=memory,
            loops=Loops.IF_WORTH_LOADING,
            progress=show.progress(watch, "exploring"),
        )
    if output:
        from sfumato.reporting.charts import write_chart
        from sfumato.reporting.dimensions import dimensions_chart

        write_chart(dimensions_chart(found), output)
    if json:
        show.emit(found.as_dict() | ({"written": str(output)} if output else {}))
        return
    show.out().print(show.rows(found.table(), title=f"feasible: {', '.join(found.models)}"))
    if output:
        show.out().print(f"wrote {output}", soft_wrap=True)
