"""`sfumato measure` and `sfumato compare-metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import size_of

if TYPE_CHECKING:
    from sfumato.assessment.measurement import Measured, Measurement

MOST_COMBINATIONS = 20
# The losses that fit into a terminal.
PER_CLASS = ("distribution", "entropy", "emd", "utility-distribution", "utility-entropy")


@options.takes(options.table, options.reading, options.judging)
def measure(
    request: options.Request,
    original: Annotated[
        str | None,
        typer.Option("--original", help="The original table, if DATA is a published file.", show_default=False),
    ] = None,
    node: Annotated[
        str | None,
        typer.Option("--node", help="A level per QID: age=2,workclass=1 or [2,1].", show_default="the table as it is"),
    ] = None,
    quasi: options.Quasi = None,
    combinations: Annotated[bool, typer.Option("--combinations", help="Also measure every subset of the QIDs.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="The seconds after which the combinations measured so far are all there are.",
            show_default="none; what would take very long is refused",
        ),
    ] = None,
    per_class: Annotated[bool, typer.Option("--per-class", help="Also show the losses of every class.")] = False,
    json: options.Json = False,
) -> None:
    """Measure what a release reveals and what it costs: a table as it is or at a node, or a published file with its original.

    Example: `sfumato measure adult.parquet -s adult.toml --quasi age,workclass --node [2,1]`
    """
    from sfumato.verbs.measure import measure as measure_release

    with show.watching() as watch:
        watch("measuring", None)
        result = measure_release(
            **request,
            original=original,
            node=node,
            quasi=options.names(quasi),
            combinations=combinations,
            time_limit=time_limit,
            progress=show.progress(watch, "measuring combinations"),
        )
    if json:
        record = result.as_dict()
        if per_class:
            record["per_class"] = {str(each.sensitive): each.per_class.to_arrow().to_pylist() for each in result.attributes}
        show.emit(record)
        return
    _show(result, per_class=per_class)


def _show(result: Measurement, *, per_class: bool) -> None:
    console = show.out()
    console.print(show.rows(result.table()))
    if per_class:
        for measured in result.attributes:
            shown = measured.per_class.only(("class", "people", *PER_CLASS))
            console.print(
                show.rows(shown, title=f"per class, {measured.sensitive} (--json has every loss)", most=show.MOST_CLASSES)
            )
    for measured in result.attributes:
        if measured.combinations:
            _show_combinations(measured)
    if not result.complete:
        known = [each.attributes for each in result.attributes[0].combinations]
        every = 2 ** max(map(len, known)) - 1  # all QIDs are always among them
        show.amber(f"the time was up before every combination was measured: these are {len(known):,} of {every:,}")
    risks = [[name.replace("_", " "), value] for name, value in result.risk.as_dict().items()]
    console.print(show.table("risk of re-identification", ["", "probability or share"], risks, right=["probability or share"]))
    show.line(f"{size_of(result.people, result.rows, result.classes)}; prior: {result.prior}")


def _show_combinations(measured: Measured) -> None:
    """What each combination of QIDs reveals, and what leaving out one QID saves."""
    console = show.out()
    rows = [
        [", ".join(c.attributes), c.classes, c.smallest_class, c.distribution_max, c.distribution_people_mean, c.entropy_max]
        for c in measured.combinations[:MOST_COMBINATIONS]
    ]
    heads = ["known", "classes", "smallest", "distribution max", "people mean", "entropy max"]
    console.print(show.table(f"what someone learns who knows only …, {measured.sensitive}", heads, rows, right=heads[1:]))
    if len(measured.combinations) > len(rows):
        console.print(f"… and {len(measured.combinations) - len(rows):,} more combinations (--json has all)")
    if not measured.shares:
        return
    shares = [[share.attribute, share.share] for share in measured.shares]
    console.print(show.table("left out alone, the mean loss falls by", ["attribute", "fall"], shares, right=["fall"]))


def compare_metrics(
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Compare the privacy metrics while a posterior moves from the prior to its reverse, and show which of them agree.

    Example: `sfumato compare-metrics -o fig1.svg`
    """
    from sfumato.commit.places import require_free
    from sfumato.losses.comparison import compare_metrics as compare
    from sfumato.reporting.charts import write_chart
    from sfumato.reporting.metrics import metrics_chart

    result = compare()
    if output:
        require_free(output, force)
        write_chart(metrics_chart(result), output, force=force)
    if json:
        names = list(result.metrics)
        show.emit({"metrics": names, "correlation": result.correlation.tolist(), "written": str(output) if output else None})
        return
    rows = [[name, *(f"{value:.2f}" for value in row)] for name, row in zip(result.metrics, result.correlation, strict=True)]
    console = show.out()
    console.print(show.table("correlation of ranks along the path", ["", *result.metrics], rows, right=list(result.metrics)))
    if output:
        show.line(f"wrote {output}")
