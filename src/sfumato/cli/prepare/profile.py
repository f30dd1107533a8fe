"""`sfumato profile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


@options.takes(options.reading)
def profile(
    request: options.Request,
    data: options.Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the schema to this file.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Profile a table and suggest a schema: roles, types and hierarchies, with reasons.

    Example: `sfumato profile patients.csv -o schema.toml`
    """
    from sfumato.commit.places import require_free
    from sfumato.verbs.profile import profile as profile_table
    from sfumato.verbs.profile import write_schema

    if output:
        require_free(output, force)
    with show.watching() as watch:
        result = profile_table(data, **request, watch=watch)
    if output:
        write_schema(result, output, force=force)
    if json:
        written = {"rows": result.rows, "schema": str(output) if output else None, "source": result.schema.source.declared()}
        show.emit({**written, "read_as": list(result.read_as), "attributes": result.as_dicts()})
        return
    rows = [
        [s.attribute.name, s.attribute.role.value, s.kind, s.distinct, f"{s.separation:.0%}", s.reason]
        for s in result.suggestions
    ]
    heads = ["column", "role", "type", "distinct", "separates", "why"]
    console = show.out()
    console.print(show.table(None, heads, rows, right=["distinct", "separates"]))
    for line in result.read_as:
        show.line(line)
    if output:
        show.line(f"wrote {output}: read every line of it, then publish with --schema {output}")
    else:
        show.line("-o schema.toml writes this as a schema")
