"""`sfumato channel compare` and `sfumato channel design`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.cli.research.channel_files import File, numbers
from sfumato.errors import several

_FINER = 1
Probabilities = Annotated[
    str | None,
    typer.Option("--prior", metavar="P,P,…", help="How likely the inputs are, with commas between.", show_default="uniform"),
]
Belief = Annotated[
    str | None,
    typer.Option("--belief", metavar="P,P,…", help="What the adversary believes beforehand.", show_default="as --prior"),
]


def compare(
    channel: File,
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="Another channel with as many inputs.", show_default=False)],
    json: options.Json = False,
) -> None:
    """Does the second channel never give away more than the first, whatever the prior and the gain? Exit 1 if it does.

    Example: `sfumato channel compare answers.csv merged.csv`
    """
    from sfumato import channel as room

    one, two = room.read(channel), room.read(other)
    found = room.refinement(one, two)
    errors = {"map_error": room.map_error(one), "other_map_error": room.map_error(two)}
    if json:
        record = {"never_worse": found.holds, "residual": found.residual, **errors}
        show.emit({**record, "before": found.before, "after": found.after})
    else:
        show.line("MAP errors, uniform prior: {map_error:.4g} and {other_map_error:.4g}".format(**errors))
        show.line(_answer(found))
    if not found.holds:
        raise typer.Exit(_FINER)


def _answer(found: Any) -> str:
    if found.holds:
        entries = several(found.through.entries, "positive entry", "positive entries")
        return f"never worse: the second can be made from the first's output, by a channel with {entries}"
    return f"worse for some gain: its vulnerability is {found.after:.4g}, that of the first {found.before:.4g} (uniform prior)"


def design(
    loss: Annotated[
        Path,
        typer.Argument(
            metavar="LOSS", help="A CSV file written like a channel: what each output costs each input.", show_default=False
        ),
    ],
    most: Annotated[
        float,
        typer.Option(
            "--most", help="How often the adversary may guess the input; with --leakage, how many bits.", show_default=False
        ),
    ],
    prior: Probabilities = None,
    belief: Belief = None,
    leakage: Annotated[bool, typer.Option("--leakage", help="Bound Shannon leakage instead of right guesses.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the channel as a CSV file.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Design the channel that costs the user least, within a bound on the adversary. No other is better by more than the gap.

    Example: `sfumato channel design losses.csv --most 0.5 -o designed.csv`
    """
    from sfumato import channel as room
    from sfumato.commit.places import require_free

    if output:
        require_free(output, force)
    make = room.least_loss_at_leakage if leakage else room.least_loss
    sides = {"prior": prior, "belief": belief}
    given = {name: None if text is None else numbers(text, name) for name, text in sides.items()}
    inputs, outputs, costs = room.read_table(loss)
    found = make(costs, most, **given)
    channel = room.ChannelMatrix.of(found.channel.rows, inputs, outputs)
    if output:
        room.write(channel, output, force=force)
    if json:
        record = {"loss": found.value, "adversary": found.adversary, "gap": found.gap, "rows": channel.dense().tolist()}
        show.emit(record | ({"written": str(output)} if output else {}))
        return
    show.line(
        f"expected loss {found.value:.6g}, adversary {found.adversary:.6g}{' bits' if leakage else ''}, gap at most {found.gap:.1g}"
    )
    show.out().print(show.rows(channel.table()))
    if output:
        show.line(f"wrote {output}")
