"""`sfumato data`: the bundled census sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


def data(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The data set: adult.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Write a bundled data set with its schema and hierarchies, as a working example.

    Example: `sfumato data adult -o census/`
    """
    from sfumato.data import write_adult
    from sfumato.errors import UsageError, unknown

    if name != "adult":
        raise UsageError(unknown("data set", name, ["adult"], within="this version"), where="data")
    written = write_adult(output, force=force)
    if json:
        show.emit({"written": [str(path) for path in written]})
        return
    for path in written:
        show.line(f"wrote {path}")
    show.line(
        f"next: sfumato publish {output / 'adult.parquet'} -s {output / 'adult.toml'} --quasi age,workclass --node [2,1] -o out.parquet",
    )
