"""`sfumato explore` and `sfumato space`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show

if TYPE_CHECKING:
    from sfumato.search.space import Point, PolicySpace

MOST_NODES = 12


@options.takes(options.table, options.reading, options.judging, options.releasing, options.starting, options.limiting)
def explore(
    request: options.Request,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write.", show_default=False)],
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Evaluate every node of the lattice: its classes, all losses, and what the models say. Writes the policy space as Parquet.

    `sfumato space` shows it. The file contains aggregates only, no values of records.

    Example: `sfumato explore adult.parquet -s adult.toml -m k-anonymity:5 -o space.parquet`
    """
    from sfumato.verbs.explore import explore as explore_table

    with show.watching() as watch:
        watch("counting", None)
        space = explore_table(**request, output=output, force=force, progress=show.progress(watch, "exploring"))
    if json:
        show.emit(summary(space) | {"output": str(output)})
    else:
        _show(space, None)
        show.if_incomplete(space.about.complete)
        show.line(f"wrote {output}; see 'sfumato space {output}'")


def space(
    path: Annotated[Path, typer.Argument(metavar="SPACE", help="A policy space, written by explore.", show_default=False)],
    model: options.Models = None,
    pareto: Annotated[
        str,
        typer.Option("--pareto", help="The losses of the front: NAME for the mean over people, NAME.max for the worst class."),
    ] = "distribution.max,utility-distribution",
    node: Annotated[
        str | None,
        typer.Option("--node", help="Show what the models say about one node: [2,1] or age=2,workclass=1.", show_default=False),
    ] = None,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Show a policy space: feasible nodes, the Pareto front, the best node per loss; or why a node is not feasible.

    The models are those of `sfumato explore`, unless --model names others that the space can answer.

    Example: `sfumato space space.parquet -m k-anonymity:5 -o lattice.svg`
    """
    from sfumato.search.space import PolicySpace

    space = PolicySpace.read(path)
    losses = options.names(pareto) or []
    record = _record(space, model, losses, node)
    if output:
        _draw(space, model, output, force=force)
    if json:
        show.emit(record | ({"written": str(output)} if output else {}))
        return
    if node:
        for bound in space.why_not(_levels(node), model):
            show.line(f"{node}: {bound}")
    else:
        _show(space, model, losses)
    if output:
        show.line(f"wrote {output}")


def _draw(space: PolicySpace, models: list[str] | None, output: Path, *, force: bool) -> None:
    """Draw the lattice."""
    from sfumato.commit.places import require_free
    from sfumato.reporting.charts import write_chart
    from sfumato.reporting.lattice import lattice_chart

    require_free(output, force)
    write_chart(lattice_chart(space, models), output, force=force)


def summary(space: PolicySpace) -> dict[str, Any]:
    """The key figures of a space, as JSON."""
    about = space.about
    return {
        "status": "explored",
        "nodes": len(space),
        "floor": space.floor.as_dict(),
        "complete": about.complete,
        "feasible": len(space.feasible()),
        "people": about.people,
        "rows": about.rows,
        "basis": about.basis,
        "models": list(about.models),
        "limit": about.limit,
        "prior": about.prior,
        "columns": list(space.evaluations.named()),
    }


def _record(space: PolicySpace, models: list[str] | None, losses: list[str], node: str | None) -> dict[str, Any]:
    best = {name: _point(space.best(name, models)) for name in _losses(space)}
    front = [_point(point) for point in space.pareto(*losses, models=models)]
    record = summary(space) | {
        "feasible": len(space.feasible(models)),
        "best": best,
        "pareto": {"losses": losses, "nodes": front},
    }
    if space.about.complete:
        record["minimal"] = [_point(point) for point in space.minimal(models)]
    if node:
        record["why_not"] = [
            {
                "model": bound.model,
                "value": float(bound.value[0]),
                "satisfied": bool(bound.satisfied[0]),
                "threshold": bound.threshold,
            }
            for bound in space.why_not(_levels(node), models)
        ]
    return record


def _point(point: Point | None) -> dict[str, Any] | None:
    return None if point is None else {"node": point.node.as_dict(), **point.measures}


def _levels(text: str) -> Any:
    from sfumato.vocabulary.node import parse_levels

    return parse_levels(text)


def _losses(space: PolicySpace) -> list[str]:
    from sfumato.search.evaluation import every_loss

    return [name for name in every_loss() if name in space.evaluations.named()]


def _show(space: PolicySpace, models: list[str] | None, losses: list[str] | None = None) -> None:
    console, about = show.out(), space.about
    feasible = space.feasible(models)
    start = f" from {space.floor} on" if any(space.lattice.floors) else ""
    show.line(
        f"{len(space):,} nodes over {', '.join(space.lattice.attributes)}{start}; {len(feasible):,} feasible "
        f"({', '.join(models or about.models) or 'no models'}"
        + (f", up to {about.limit:,} of {about.people:,} people suppressed)" if about.limit else ")"),
    )
    if not len(feasible):
        console.print("no node is feasible; 'sfumato anonymize' says which bounds would work")
        return
    rows = [
        (name, point.node.brief(), point[name], point["classes"], point["suppressed"])
        for name in _losses(space)
        if (point := space.best(name, models))
    ]
    heads = ["best by", "levels", "loss", "classes", "suppressed"]
    console.print(show.table("the best node per loss", heads, rows, right=heads[2:]))
    if losses:
        _show_front(space, models, losses)


def _show_front(space: PolicySpace, models: list[str] | None, losses: list[str]) -> None:
    console, front = show.out(), space.pareto(*losses, models=models)
    points = sorted(front, key=lambda point: tuple(point[loss] for loss in losses))
    rows = [(point.node.brief(), *(point[loss] for loss in losses), point["classes"], point["smallest"]) for point in points]
    heads = ["levels", *losses, "classes", "smallest class"]
    step = max(1, -(-len(rows) // MOST_NODES))
    shown = rows[::step]
    title = f"the Pareto front: {len(rows):,} nodes" + (f", {len(shown):,} of them shown (--json has all)" if step > 1 else "")
    console.print(show.table(title, heads, shown, right=heads[1:]))
