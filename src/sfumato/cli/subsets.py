"""`sfumato subsets`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.check import Models, PriorFile, Protect, Sensitive
from sfumato.cli.explore import Suppress

if TYPE_CHECKING:
    from sfumato.verbs.subsets import Subsets

INFEASIBLE = 1


def subsets(
    source: options.Data,
    schema: options.SchemaFile,
    model: Models = None,
    protect: Protect = None,
    keep: Annotated[
        str | None, typer.Option("--keep", help="QIDs to release in any case, as in age,sex.", show_default=False)
    ] = None,
    suppress: Suppress = "0",
    minimize: options.Minimize = None,
    quasi: options.Quasi = None,
    sensitive: Sensitive = None,
    prior: PriorFile = None,
    memory: options.Memory = None,
    json: options.Json = False,
) -> None:
    """Say which QIDs to release at all: the best subset of each size that satisfies the models, at the least loss.

    A QID is released if it is below the top of its hierarchy. --json has every subset. Exit 1 if none satisfies the models.

    Example: `sfumato subsets adult.parquet -s adult.toml -m k-anonymity:5 -m t-closeness:0.3`
    """
    from sfumato.search.problem import Loops
    from sfumato.verbs.subsets import subsets as compare

    with show.watching() as watch:
        found = compare(
            source,
            schema,
            models=[*(model or ()), *(protect or ())],
            keep=options.names(keep) or (),
            suppress=suppress,
            minimize=minimize,
            quasi=options.names(quasi),
            sensitive=options.names(sensitive),
            prior=prior,
            memory_limit=memory,
            loops=Loops.IF_WORTH_LOADING,
            progress=show.progress(watch, "exploring"),
        )
    if json:
        show.emit(found.as_dict())
    else:
        _show(found)
    if found.best is None:
        raise typer.Exit(INFEASIBLE)


def _show(found: Subsets) -> None:
    console, best = show.out(), found.best
    if best is None:
        console.print(
            f"no subset satisfies {', '.join(found.models)}; 'sfumato anonymize' says which bounds would work", soft_wrap=True
        )
        return
    console.print(show.rows(found.table(), title=f"the best of each size by {found.minimize}: {', '.join(found.models)}"))
    feasible = sum(subset.best is not None for subset in found.subsets)
    console.print(f"{feasible:,} of {len(found.subsets):,} subsets can be released", soft_wrap=True)
    if best.quasi:
        import shlex

        from sfumato.reporting.again import names_of

        words = shlex.join(["--quasi", names_of(best.quasi)])
        console.print(f"the best: {', '.join(best.quasi)}; 'sfumato anonymize' with {words} makes it", soft_wrap=True)
