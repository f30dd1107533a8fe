"""`sfumato channel`: a mechanism as an information channel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.plugins import Group
from sfumato.cli.research import channel_design, channel_figures, channel_small
from sfumato.cli.research.channel_files import File, Prior, prior_from
from sfumato.errors import several, size_of
from sfumato.results import Rows

if TYPE_CHECKING:
    from sfumato.models import MechanismVerdict

app = typer.Typer(cls=Group, help="A mechanism as an information channel: what do its outputs give away?", no_args_is_help=True)


@app.command("measure")
def measure(channel: File, prior: Prior = None, json: options.Json = False) -> None:
    """Measure a channel: MAP error, leakages, capacity, the four adversaries, and the bounds on them.

    Example: `sfumato channel measure answers.csv`
    """
    from sfumato.channel.files import read
    from sfumato.channel.measured import measure as measured

    found = read(channel)
    result, source = measured(found, prior_from(prior, found)), "uniform" if prior is None else "stated"
    if json:
        show.emit({"prior": source, **result.as_dict()})
        return
    show.line(f"{several(found.inputs, 'input')}, {several(found.outputs, 'output')}; prior: {source}; leakages in bits")
    for table in (result.table(), result.adversaries.table(), result.bounds.table()):
        show.out().print(show.rows(table))


@app.command("of")
@options.takes(options.published, options.reading, options.judging)
def of(
    request: options.Request,
    certificate: options.CertificateFile = None,
    per_class: Annotated[bool, typer.Option("--per-class", help="One row per class, by number.")] = False,
    json: options.Json = False,
) -> None:
    """What does the best guesser gain from a published file? From its classes alone.

    The prior comes from --original, from the certificate beside the file, else from the file itself; the output says which.

    Example: `sfumato channel of out.parquet -s adult.toml`
    """
    from sfumato.verbs.channel_of import channel_of

    found = channel_of(**request, certificate=certificate)
    if json:
        classes = [{"attribute": each.sensitive, **_columns(each.per_class())} for each in found.attributes] if per_class else []
        show.emit({**found.as_dict(), **({"per_class": classes} if per_class else {})})
        return
    show.out().print(show.rows(found.table()))
    for each in found.attributes if per_class else ():
        show.out().print(show.rows(each.per_class()))
    show.line(f"{size_of(found.people, found.rows, found.classes)}; prior: {found.prior}")


def _columns(rows: Rows) -> dict[str, list[Any]]:
    """A table by its columns, for machines."""
    return {head.lower().replace(" ", "_"): [row[place] for row in rows.rows] for place, head in enumerate(rows.heads)}


@app.command("judge")
def judge(
    channel: File,
    model: Annotated[
        list[str],
        typer.Option(
            "--model", "-m", metavar="NAME:PARAMETERS", help="A model of mechanisms; can be repeated.", show_default=False
        ),
    ],
    neighbors: Annotated[
        Path | None,
        typer.Option(
            "--neighbors", metavar="FILE", help="A CSV file of neighbors, two inputs per line.", show_default="all inputs"
        ),
    ] = None,
    laws: Annotated[
        list[str] | None,
        typer.Option(
            "--law",
            metavar="PRIOR",
            help="How tables are drawn; can be repeated. As --prior of `measure`.",
            show_default="uniform",
        ),
    ] = None,
    members: Annotated[
        Path | None,
        typer.Option("--members", metavar="FILE", help="A CSV file of which tuples are in each input.", show_default=False),
    ] = None,
    json: options.Json = False,
) -> None:
    """Judge a mechanism by models of mechanisms. Exit 1 if one is violated.

    Differential privacy asks which inputs are neighbors, distributional privacy how tables are drawn, (d, gamma)-privacy which tuples are
    in each input.

    Example: `sfumato channel judge answers.csv -m differential-privacy:1.1`
    """
    from sfumato import channel as room
    from sfumato.channel.files import read, read_members, read_neighbors

    found = read(channel)
    stated: dict[str, Any] = {
        "neighbors": None if neighbors is None else read_neighbors(neighbors),
        "laws": [prior_from(each, found) for each in laws or ()],
        "members": None if members is None else read_members(members, found),
    }
    verdicts = [room.judge(found, each, **stated) for each in model]
    if json:
        show.emit({"inputs": found.inputs, "outputs": found.outputs, "models": [each.as_dict() for each in verdicts]})
    else:
        show.out().print(show.rows(_table(verdicts)))
    if not all(each.satisfied for each in verdicts):
        raise typer.Exit(1)


def _table(verdicts: Sequence[MechanismVerdict]) -> Rows:
    signs = {"at_most": "≤", "at_least": "≥"}
    rows = [
        (each.model, each.value, signs[each.direction], each.threshold, each.satisfied, ", ".join(each.witness))
        for each in verdicts
    ]
    return Rows(("model", "value", "", "threshold", "satisfied", "witness"), tuple(rows))


app.command("show")(channel_figures.show_channel)
app.command("knowledge")(channel_figures.knowledge)
app.command("compare")(channel_design.compare)
app.command("design")(channel_design.design)
app.command("enumerate")(channel_small.enumerate_small)
app.command("rules")(channel_small.rules)
app.command("bridge")(channel_figures.bridge)
