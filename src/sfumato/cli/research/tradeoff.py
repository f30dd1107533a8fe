"""`sfumato tradeoff`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import OutputError

if TYPE_CHECKING:
    from sfumato.search.space.trade_off import TradeOff

_INFEASIBLE = 1


def bounding(
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
    scope: Annotated[str, typer.Option("--scope", help="What the bounds apply to: class (the worst class) or total.")] = "class",
) -> options.Request:
    """Bounds on four losses."""
    return {"epsilon": epsilon, "alpha": alpha, "gamma": gamma, "delta": delta, "scope": scope}


def drawing(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the explorer page, as in tradeoff.html.", show_default=False)
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the picture as SVG.", show_default=False)] = None,
    png: Annotated[Path | None, typer.Option("--png", help="Draw the picture as PNG.", show_default=False)] = None,
    force: options.Force = False,
) -> options.Request:
    """The paths of the page and the pictures."""
    return {"outputs": Outputs(output, svg, png, force)}


@dataclass(frozen=True, slots=True)
class Outputs:
    """The paths of the page and the pictures."""

    page: Path | None
    svg: Path | None
    png: Path | None
    force: bool

    @property
    def pictures(self) -> list[Path]:
        return [path for path in (self.svg, self.png) if path]


@options.takes(
    options.table, options.reading, options.judging, options.releasing, options.starting, options.limiting, bounding, drawing
)
def tradeoff(
    request: options.Request,
    x: Annotated[
        str, typer.Option("--x", help="The loss on the x axis: NAME, or NAME.max for the worst class.")
    ] = "distribution.max",
    y: Annotated[str, typer.Option("--y", help="The loss on the y axis.")] = "utility-distribution",
    json: options.Json = False,
) -> None:
    """Weigh privacy against utility: every node by two losses, those within bounds, the Pareto front, and its knee.

    With bounds, also the best distribution for a single class (the three problems of the thesis). Writes an interactive page that works
    offline, and pictures. Exit 1 if no node is within the bounds; the output then shows the least feasible bounds.

    Example: `sfumato tradeoff adult.parquet -s adult.toml --quasi age,education,sex -m k-anonymity:5 --epsilon 0.3 -o tradeoff.html`
    """
    from sfumato.verbs.trade_off import trade_off

    outputs: Outputs = request.pop("outputs")
    _require_free(outputs)
    with show.watching() as watch:
        watch("counting", None)
        result = trade_off(**request, x=x, y=y, watch=watch, progress=show.progress(watch, "exploring"))
        wrote = [] if result.knee is None else _write(result, outputs, (str(request["data"]), request["schema"]), watch)
    if json:
        show.emit({**result.as_dict(), "written": [str(path) for path in wrote]})
    else:
        from sfumato.cli.research.tradeoff_show import show_tradeoff

        show_tradeoff(result, [str(path) for path in wrote])
        show.if_incomplete(result.space.about.complete)
    if result.knee is None:
        raise typer.Exit(_INFEASIBLE)


def _require_free(outputs: Outputs) -> None:
    """Refuse paths that cannot be written, before the work starts."""
    from sfumato.commit.places import require_free
    from sfumato.reporting.writing import place_of

    for path, ending in ((outputs.svg, ".svg"), (outputs.png, ".png")):
        if path and path.suffix != ending:
            raise OutputError(f"the name must end in {ending}", where=str(path))
        if path:
            require_free(path, outputs.force)
    if outputs.page:
        place_of(outputs.page, outputs.force)


def _write(result: TradeOff, outputs: Outputs, named: tuple[str, Path], watch: Any) -> list[Path]:
    """Write the pictures first: they may lack a library, and then no page should be left alone."""
    from sfumato.reporting.explorer.data import FileNames

    if outputs.pictures:
        from sfumato.reporting.charts import write_chart
        from sfumato.reporting.explorer.picture import tradeoff_chart

        spec = tradeoff_chart(result)
        for path in outputs.pictures:
            write_chart(spec, path, force=outputs.force)
    if outputs.page:
        from sfumato.reporting.explorer.writing import write_explorer

        files = FileNames(Path(named[0]).name, named[1].name)
        progress = show.progress(watch, "measuring classes")
        write_explorer(result, outputs.page, files, force=outputs.force, progress=progress)
    return [path for path in (outputs.page, *outputs.pictures) if path]
