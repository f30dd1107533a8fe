"""`sfumato channel show`, `knowledge` and `bridge`: pictures of channels and of what they leave to guess."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.pictures import draw, require_picture
from sfumato.cli.research.channel_files import File, Prior, numbers, prior_from

_MOST_COLUMNS = 12


def show_channel(channel: File, output: options.Picture = None, force: options.Force = False, json: options.Json = False) -> None:
    """Show a channel: its matrix as a table, and as a heat map.

    Example: `sfumato channel show answers.csv -o matrix.svg`
    """
    from sfumato.channel.files import read

    require_picture(output, force)
    found = read(channel)

    def chart() -> dict[str, object]:
        from sfumato.reporting.channels import matrix_chart

        return matrix_chart(found)

    written = draw(chart, output, force)
    if json:
        names = {"inputs": list(found.input_labels or ()), "outputs": list(found.output_labels or ())}
        show.emit({**names, "rows": found.dense().tolist(), **written})
        return
    show.line(repr(found))
    if found.outputs <= _MOST_COLUMNS:
        show.out().print(show.rows(found.table()))
    if output:
        show.line(f"wrote {output}")


def knowledge(
    channel: File,
    prior: Prior = None,
    hints: Annotated[
        str | None,
        typer.Option(
            "--hints", metavar="P,P,…", help="Probabilities that a hint is right, with commas between.", show_default="21 steps"
        ),
    ] = None,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """The MAP error against what the adversary knows already, from the prior to certainty.

    A hint names the input with some probability, and otherwise one that is drawn from the prior.

    Example: `sfumato channel knowledge answers.csv --hints 0,0.5,1 -o knowledge.svg`
    """
    from sfumato.channel.files import read
    from sfumato.channel.hints import error_by_hint

    require_picture(output, force)
    found = read(channel)
    result = error_by_hint(found, prior_from(prior, found), None if hints is None else numbers(hints, "hints"))

    def chart() -> dict[str, object]:
        from sfumato.reporting.channel_curves import hinted_chart

        return hinted_chart(result)

    written = draw(chart, output, force)
    if json:
        show.emit({**result.as_dict(), **written})
        return
    show.out().print(show.rows(result.table()))
    if output:
        show.line(f"wrote {output}")


def bridge(
    space: Annotated[Path, typer.Argument(metavar="SPACE", help="A policy space, written by explore.", show_default=False)],
    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", help="The largest distribution loss of a node that looks safe.", show_default="the median"),
    ] = None,
    alpha: Annotated[float | None, typer.Option("--alpha", help="The largest entropy loss.", show_default="the median")] = None,
    error: Annotated[float | None, typer.Option("--error", help="The least MAP error.", show_default="the median")] = None,
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """L_PD, L_PE and the MAP error of every node of a space, side by side: which nodes look safe to one and not to another?

    Example: `sfumato channel bridge space.parquet --epsilon 0.3 --error 0.8 -o views.svg`
    """
    from sfumato.channel.bridge import side_by_side
    from sfumato.search.space import PolicySpace

    require_picture(output, force)
    views = side_by_side(PolicySpace.read(space), epsilon=epsilon, alpha=alpha, error=error)

    def chart() -> dict[str, object]:
        from sfumato.reporting.channel_curves import side_by_side_chart

        return side_by_side_chart(views)

    written = draw(chart, output, force)
    if json:
        show.emit({**views.as_dict(), **written})
        return
    show.out().print(show.rows(views.disagreements(), title="nodes on which the views disagree"))
    show.out().print(show.rows(views.table()))
    limits = "looks safe: L_PD at most {:.4g}, L_PE at most {:.4g}, MAP error at least {:.4g}".format(*views.thresholds)
    show.line(limits)
    if output:
        show.line(f"wrote {output}")
