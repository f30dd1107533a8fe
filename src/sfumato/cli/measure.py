"""`sfumato measure` and `sfumato compare-metrics`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.check import Population, PopulationSize, PriorFile, Sensitive

if TYPE_CHECKING:
    from sfumato.verbs.measure import Measurement

MOST_COMBINATIONS = 20
# What fits a terminal.
PER_CLASS = ("distribution", "entropy", "emd", "utility-distribution", "utility-entropy")


def measure(
    original: options.Data,
    published: Annotated[
        Path | None, typer.Argument(metavar="PUBLISHED", help="A published file; or give --node.", show_default=False)
    ] = None,
    schema: Annotated[Path | None, typer.Option("--schema", "-s", help="The schema, a TOML file.", show_default=False)] = None,
    node: Annotated[
        str | None, typer.Option("--node", help="A level per QID: age=2,workclass=1 or [2,1].", show_default=False)
    ] = None,
    quasi: options.Quasi = None,
    sensitive: Sensitive = None,
    prior: PriorFile = None,
    combinations: Annotated[bool, typer.Option("--combinations", help="Also measure every subset of the QIDs.")] = False,
    per_class: Annotated[bool, typer.Option("--per-class", help="Also show the losses of every class.")] = False,
    population: Population = None,
    population_size: PopulationSize = None,
    memory: options.Memory = None,
    json: options.Json = False,
) -> None:
    """Measure what a node or a published file gives away, and what it costs.

    Example: `sfumato measure adult.parquet -s adult.toml --quasi age,workclass --node [2,1]`
    """
    from sfumato.verbs.measure import measure as measure_release

    with show.watching() as watch:
        watch("measuring", None)
        found = measure_release(
            original,
            published,
            schema,
            node=node,
            quasi=options.names(quasi),
            sensitive=options.names(sensitive),
            prior=prior,
            combinations=combinations,
            population=population,
            population_size=population_size,
            memory_limit=memory,
        )
    if json:
        told = found.as_dict()
        if per_class:
            told["per_class"] = {str(each.sensitive): each.per_class.to_arrow().to_pylist() for each in found.attributes}
        show.emit(told)
        return
    _show(found, per_class=per_class)


def _show(found: Measurement, *, per_class: bool) -> None:
    console = show.out()
    console.print(show.rows(found.table()))
    if per_class:
        for measured in found.attributes:
            shown = measured.per_class.only(("class", "people", *PER_CLASS))
            console.print(
                show.rows(shown, title=f"per class, {measured.sensitive} (--json has every loss)", most=show.MOST_CLASSES)
            )
    for measured in found.attributes:
        if measured.combinations:
            rows = [
                [
                    ", ".join(c.attributes),
                    c.classes,
                    c.smallest_class,
                    c.distribution_max,
                    c.distribution_people_mean,
                    c.entropy_max,
                ]
                for c in measured.combinations[:MOST_COMBINATIONS]
            ]
            heads = ["known", "classes", "smallest", "distribution max", "people mean", "entropy max"]
            console.print(show.table(f"what someone learns who knows only …, {measured.sensitive}", heads, rows, right=heads[1:]))
            if len(measured.combinations) > len(rows):
                console.print(f"… and {len(measured.combinations) - len(rows):,} more combinations (--json has all)")
            shares = [[share.attribute, share.share] for share in measured.shares]
            console.print(show.table("withheld alone, the mean loss falls by", ["attribute", "fall"], shares, right=["fall"]))
    risks = [[name.replace("_", " "), value] for name, value in found.risk.as_dict().items()]
    console.print(show.table("risk of re-identification", ["", "probability or share"], risks, right=["probability or share"]))
    console.print(
        f"{found.people:,} people in {found.rows:,} rows, {found.classes:,} classes; prior: {found.prior}", soft_wrap=True
    )


def compare_metrics(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Draw the figure as SVG or PNG.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Compare the privacy metrics while a posterior moves from the prior to its reverse: which of them say the same?

    Example: `sfumato compare-metrics -o fig1.svg`
    """
    from sfumato.losses.comparison import compare_metrics as compare
    from sfumato.release.targets import require_free
    from sfumato.reporting.charts import write_chart
    from sfumato.reporting.metrics import metrics_chart

    found = compare()
    if output:
        require_free(output, force)
        write_chart(metrics_chart(found), output)
    if json:
        names = list(found.metrics)
        show.emit({"metrics": names, "correlation": found.correlation.tolist(), "written": str(output) if output else None})
        return
    rows = [[name, *(f"{value:.2f}" for value in row)] for name, row in zip(found.metrics, found.correlation, strict=True)]
    console = show.out()
    console.print(show.table("correlation of ranks along the path", ["", *found.metrics], rows, right=list(found.metrics)))
    if output:
        console.print(f"wrote {output}", soft_wrap=True)
