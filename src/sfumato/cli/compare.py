"""`sfumato compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


def two_releases(
    first: Annotated[Path, typer.Argument(metavar="A", help="A published file, whoever made it.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another release of the same table.", show_default=False)],
    schema: options.SchemaFile,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The original table: what A and B tell together needs it.", show_default=False),
    ] = None,
) -> options.Request:
    """Two published files, the schema they were made under, and the original."""
    request: options.Request = {"first": first, "second": second, "schema": schema}
    return request | ({} if original is None else {"original": original})


@options.takes(two_releases, options.reading, options.judging)
def compare(request: options.Request, json: options.Json = False) -> None:
    """Compare two releases of one table: losses, models, risk and distributions, and what somebody learns who has both.

    With --original, people are grouped by the pair of their classes in A and B. No one can learn more from both files than from this.

    Example: `sfumato compare out.parquet safe.parquet -s adult.toml --original adult.parquet`
    """
    from sfumato.verbs.compare import compare as compare_releases

    with show.watching() as watch:
        watch("comparing", None)
        compared = compare_releases(**request)
    if json:
        show.emit(compared.as_dict())
        return
    console = show.out()
    console.print(show.rows(compared.table()))
    if compared.first.verdicts:
        console.print(show.rows(compared.models(), title="models satisfied"))
    for each in compared.distributions:
        rows = [["(missing)" if value is None else value, one, other] for value, one, other in each.shares]
        rows += [["(held by few)", *each.others]] if any(each.others) else []
        title = f"distribution of {each.sensitive}: {each.distance:.4f} apart"
        console.print(show.table(title, ["", "first", "second"], rows, right=["first", "second"]))
    for line in compared.unknown:
        show.line(f"not known: {line}")
    show.line(f"first: {compared.first.name}; second: {compared.second.name}; prior: {compared.prior}")
