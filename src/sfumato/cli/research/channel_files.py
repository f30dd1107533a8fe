"""What the commands of `sfumato channel` read, and how they draw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.errors import UsageError, argument

if TYPE_CHECKING:
    from sfumato.channel import ChannelMatrix

File = Annotated[
    Path,
    typer.Argument(
        metavar="CHANNEL",
        help="A CSV file: outputs in the first line, then a line per input, its name first.",
        show_default=False,
    ),
]
Prior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="PRIOR",
        help="What the adversary believes: probabilities with commas between, or a CSV file of inputs and probabilities.",
        show_default="uniform",
    ),
]


def prior_from(given: str | None, channel: ChannelMatrix) -> Any:
    """A prior from a file or from numbers with commas between."""
    from sfumato.channel.files import read_prior
    from sfumato.channel.priors import prior_of

    if given is not None and given.lower().endswith(".csv"):
        return prior_of(channel, read_prior(Path(given)))
    return None if given is None else prior_of(channel, numbers(given, "prior"))


def numbers(given: str, name: str) -> list[float]:
    """Probabilities with commas between."""
    try:
        return [float(each) for each in given.split(",")]
    except ValueError:
        raise UsageError("probabilities with commas between, or the name of a CSV file", where=argument(name)) from None
