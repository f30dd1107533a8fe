"""`sfumato profile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


def profile(
    source: options.Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the schema to this file.", show_default=False)
    ] = None,
    force: options.Force = False,
    engine: options.EngineName = "duckdb",
    memory: options.Memory = None,
    delimiter: options.Delimiter = None,
    json: options.Json = False,
) -> None:
    """Look at a table and suggest a schema: roles, types and hierarchies, with the reasons.

    Example: `sfumato profile patients.csv -o schema.toml`
    """
    from sfumato.release.targets import require_free
    from sfumato.verbs.profile import profile as profile_table
    from sfumato.verbs.profile import write_schema

    if output:
        require_free(output, force)
    with show.watching() as watch:
        found = profile_table(source, engine=engine, memory_limit=memory, delimiter=delimiter, watch=watch)
    if output:
        write_schema(found, output)
    if json:
        show.emit({"rows": found.rows, "schema": str(output) if output else None, "attributes": found.as_dicts()})
        return
    rows = [
        [s.attribute.name, s.attribute.role.value, s.kind, s.distinct, f"{s.separation:.0%}", s.reason] for s in found.suggestions
    ]
    heads = ["column", "role", "type", "distinct", "separates", "why"]
    console = show.out()
    console.print(show.table(None, heads, rows, right=["distinct", "separates"]))
    if output:
        console.print(f"wrote {output}: read every line of it, then publish with --schema {output}", soft_wrap=True)
    else:
        console.print("-o schema.toml writes this as a schema", soft_wrap=True)
