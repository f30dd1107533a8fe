"""`sfumato subsets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show

if TYPE_CHECKING:
    from sfumato.verbs.subsets import Subsets

INFEASIBLE = 1


@options.takes(options.table, options.reading, options.judging, options.releasing, options.starting, options.limiting)
def subsets(
    request: options.Request,
    keep: Annotated[
        str | None, typer.Option("--keep", help="QIDs that must be released, as in age,sex.", show_default=False)
    ] = None,
    minimize: options.Minimize = None,
    json: options.Json = False,
) -> None:
    """Recommend which QIDs to release: of each size, the subset that satisfies the models at the least loss.

    A QID counts as released if it is below the top of its hierarchy. --json has every subset. Exit 1 if none satisfies the models.

    Example: `sfumato subsets adult.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.3`
    """
    from sfumato.verbs.subsets import subsets as compare

    with show.watching() as watch:
        progress = show.progress(watch, "exploring")
        result = compare(**request, keep=options.names(keep) or (), minimize=minimize, progress=progress)
    if json:
        show.emit(result.as_dict())
    else:
        _show(result)
        show.if_incomplete(result.complete)
    if result.best is None:
        raise typer.Exit(INFEASIBLE)


def _show(result: Subsets) -> None:
    console, best = show.out(), result.best
    if best is None:
        show.line(f"no subset satisfies {', '.join(result.models)}; 'sfumato anonymize' says which bounds would work")
        return
    console.print(show.rows(result.table(), title=f"the best of each size by {result.minimize}: {', '.join(result.models)}"))
    feasible = sum(subset.best is not None for subset in result.subsets)
    show.line(f"{feasible:,} of {len(result.subsets):,} subsets can be released")
    if best.quasi:
        import shlex

        from sfumato.reporting.again import names_of

        words = shlex.join(["--quasi", names_of(best.quasi)])
        show.line(f"the best: {', '.join(best.quasi)}; 'sfumato anonymize' with {words} makes it")
