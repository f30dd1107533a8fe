"""`sfumato data` and `sfumato demo`: the bundled census sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.publish import record, show_release


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


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("sfumato-demo"),
    json: options.Json = False,
) -> None:
    """Publish the census sample at age bands of 25 years and workclass as Gov or Non-Gov, and show the eight classes.

    Example: `sfumato demo`
    """
    from sfumato.commit.places import require_folder
    from sfumato.data import adult
    from sfumato.errors import OutputError
    from sfumato.verbs.publish import publish

    require_folder(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made: {error.strerror}", where=str(output)) from None
    with show.watching() as watch, adult() as table:
        release = publish(
            table,
            quasi=["age", "workclass"],
            node=[2, 1],
            output=output / "adult-release.parquet",
            ledger=output / "ledger",
            force=True,
            watch=watch,
        )
    if json:
        show.emit(record(release))
        return
    show.out().print("The census sample (30,162 people, UCI Adult), published at age=2, workclass=1:")
    show.line("")
    show_release(release)
    show.line("")
    show.line(f"next: sfumato verify {release.path}")
