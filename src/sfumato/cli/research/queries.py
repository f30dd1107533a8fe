"""`sfumato queries`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.research.learn import Nodes, Published, given_releases
from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from sfumato.learn import Workload


@options.takes(options.table, options.reading, options.judging, options.releasing)
def queries(
    request: options.Request,
    nodes: Nodes = None,
    published: Published = None,
    count: Annotated[int, typer.Option("--count", help="How many random queries.", min=1)] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random queries.", min=0)] = 0,
    own: Annotated[
        Path | None, typer.Option("--queries", help="Queries of your own, a TOML file, in their place.", show_default=False)
    ] = None,
    json: options.Json = False,
) -> None:
    """Ask count queries of the original and of each release: how far off are the answers of a release?

    Random ones have ranges and sets over one to three columns. The error is relative to the true count, or to a thousandth of the rows if
    that is more.

    Example: `sfumato queries adult.parquet -s adult.toml --nodes '[1,1,1,1,1,0,0] [4,2,3,2,2,1,1]' --count 200`
    """
    from sfumato.learn.workload import query_errors

    if bool(nodes) == bool(published):
        raise UsageError(f"say what to ask: {argument('nodes')} or {argument('releases')}, one of them", where="queries")
    original, given = request.pop("data"), given_releases(nodes, published)
    found = query_errors(original, given, **request, count=count, seed=seed, queries=own)
    if json:
        show.emit(found.as_dict())
    else:
        _show(found)


def _show(found: Workload) -> None:
    console = show.out()
    asked = several(len(found.queries), "query", "queries")
    what = f"{asked} of your own" if found.own else f"{asked} at random, seed {found.seed}"
    console.print(show.rows(found.table(), title=f"relative error of {what}: mean and quantiles"))
    if found.own:
        for each in found.releases:
            console.print(show.rows(found.answers(each), title=each.name))
