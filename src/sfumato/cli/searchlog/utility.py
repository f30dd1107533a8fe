"""`sfumato searchlog utility`."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.searchlog.given import Log, Release
from sfumato.errors import UsageError, argument


@options.takes(options.running)
def utility(
    request: options.Request,
    log: Log,
    release: Release,
    tops: Annotated[str, typer.Option("--tops", help="How many top queries are compared.")] = "10,100,1000",
    json: options.Json = False,
) -> None:
    """What a release is still good for: how much it covers, which queries are on top, where people click.

    Example: `sfumato searchlog utility searches release.parquet`
    """
    from sfumato.searchlog import utility as compare

    request.pop("loops")
    with show.watching() as watch:
        found = compare(log, release, tops=_sizes(tops), watch=watch, **request)
    if json:
        show.emit(found.as_dict())
        return
    show.out().print(show.rows(found.table()))
    show.out().print(show.rows(found.tops()))
    if found.ranks_distance is not None and found.urls_distance is not None:
        show.line(f"clicks: shares of ranks differ by {found.ranks_distance:.1%}, shares of URLs by {found.urls_distance:.1%}")


def _sizes(text: str) -> list[int]:
    parts = [each.strip() for each in text.split(",")]
    if not all(each.isascii() and each.isdigit() for each in parts):
        raise UsageError("write whole numbers, as in 10,100", where=argument("tops"))
    return [int(each) for each in parts]
