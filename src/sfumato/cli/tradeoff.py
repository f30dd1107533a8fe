"""`sfumato tradeoff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.check import Models, Protect
from sfumato.cli.explore import Suppress
from sfumato.cli.opening import opened
from sfumato.errors import OutputError

if TYPE_CHECKING:
    from sfumato.verbs.trade_off import TradeOff

_INFEASIBLE = 1


def tradeoff(
    source: options.Data,
    schema: options.SchemaFile,
    model: Models = None,
    protect: Protect = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Bound on the distribution loss (privacy).", show_default=False)
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", help="Bound on the entropy loss (privacy).", show_default=False)
    ] = None,
    gamma: Annotated[float | None, typer.Option("--gamma", help="Bound on the entropy utility loss.", show_default=False)] = None,
    delta: Annotated[
        float | None, typer.Option("--delta", help="Bound on the distribution utility loss.", show_default=False)
    ] = None,
    basis: Annotated[str, typer.Option("--basis", help="What the bounds bound: the worst class, or the total.")] = "class",
    quasi: options.Quasi = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="The sensitive attribute, if there are several.", show_default=False)
    ] = None,
    x: Annotated[str, typer.Option("--x", help="The loss across: NAME, or NAME.max of the worst class.")] = "distribution.max",
    y: Annotated[str, typer.Option("--y", help="The loss upwards.")] = "utility-distribution",
    suppress: Suppress = "0",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the explorer, as in tradeoff.html.", show_default=False)
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the picture as SVG.", show_default=False)] = None,
    png: Annotated[Path | None, typer.Option("--png", help="Draw the picture as PNG.", show_default=False)] = None,
    force: options.Force = False,
    engine: options.EngineName = "duckdb",
    memory: options.Memory = None,
    delimiter: options.Delimiter = None,
    json: options.Json = False,
) -> None:
    """Weigh privacy against utility: every node by two losses, who stays within bounds, the Pareto front, and its knee.

    With bounds also the distribution that a class should best have (the thesis's three problems). Writes an interactive page that
    works offline, and pictures. Exit 1 if no node is within the bounds; then the least feasible ones are told.

    Example: `sfumato tradeoff adult.parquet -s adult.toml --quasi age,education,sex -m k-anonymity:5 --epsilon 0.3 -o tradeoff.html`
    """
    from sfumato.search.problem import Loops
    from sfumato.verbs.trade_off import trade_off
    from sfumato.verbs.trade_off_told import as_dict

    _require_places(output, svg, png, force)
    with opened(source, schema, engine=engine, memory=memory, delimiter=delimiter) as (table, watch):
        watch("counting", table.engine)
        found = trade_off(
            table,
            models=[*(model or ()), *(protect or ())],
            epsilon=epsilon,
            alpha=alpha,
            gamma=gamma,
            delta=delta,
            basis=basis,
            quasi=options.names(quasi),
            sensitive=options.names(sensitive),
            x=x,
            y=y,
            suppress=suppress,
            memory_limit=memory,
            loops=Loops.IF_WORTH_LOADING,
            watch=watch,
            progress=show.progress(watch, "exploring"),
        )
        wrote = [] if found.knee is None else _write(found, (output, svg, png), (source, schema), force, watch)
    if json:
        show.emit({**as_dict(found), "written": [str(path) for path in wrote]})
    else:
        from sfumato.cli.tradeoff_show import show_tradeoff

        show_tradeoff(found, [str(path) for path in wrote])
    if found.knee is None:
        raise typer.Exit(_INFEASIBLE)


def _require_places(output: Path | None, svg: Path | None, png: Path | None, force: bool) -> None:
    """Refuse, before the work, what cannot be written."""
    from sfumato.release.targets import require_free
    from sfumato.reporting.writing import place_of

    for path, ending in ((svg, ".svg"), (png, ".png")):
        if path and path.suffix != ending:
            raise OutputError(f"the name must end in {ending}", where=str(path))
        if path:
            require_free(path, force)
    if output:
        place_of(output, force)


def _write(
    found: TradeOff, places: tuple[Path | None, Path | None, Path | None], named: tuple[str, Path], force: bool, watch: Any
) -> list[Path]:
    """The pictures first: they may lack a library, and then no page stands there half of what was asked for."""
    from sfumato.reporting.explorer.data import Source

    output, *pictures = places
    drawn = [path for path in pictures if path]
    if drawn:
        from sfumato.reporting.charts import write_chart
        from sfumato.reporting.explorer.picture import tradeoff_chart

        spec = tradeoff_chart(found)
        for path in drawn:
            write_chart(spec, path)
    if output:
        from sfumato.reporting.explorer.writing import write_explorer

        source = Source(Path(named[0]).name, named[1].name)
        write_explorer(found, output, source, force=force, progress=show.progress(watch, "looking at classes"))
    return [path for path in (output, *drawn) if path]
