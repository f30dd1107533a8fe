"""Options that several commands of `sfumato searchlog` take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options

Log = Annotated[
    str,
    typer.Argument(
        metavar="LOG", help="A log: a Parquet file of 'searchlog import', or the folder of 'generate'.", show_default=False
    ),
]
Release = Annotated[Path, typer.Argument(metavar="RELEASE", help="A published log.", show_default=False)]
Owners = Annotated[
    Path | None,
    typer.Option("--owners", help="Whose the ids of the release are, from 'searchlog publish'.", show_default=False),
]
People = Annotated[
    Path | None,
    typer.Option("--people", help="A Parquet file of people: UserId, and what somebody may know of them.", show_default=False),
]
KNOWN = "LastName,Town,Age"
Known = Annotated[str, typer.Option("--known", help="The columns of --people that are known.")]
Topics = Annotated[
    Path | None,
    typer.Option("--topics", help="Words and their secret topics, one word,topic a line.", show_default="some illnesses"),
]
Knows = Annotated[int, typer.Option("--knows", help="How many queries of a person an attacker knows, 1 to 8.")]
Targets = Annotated[int, typer.Option("--targets", help="At most so many people are attacked.")]
Seed = Annotated[int, typer.Option("--seed", help="The seed of everything random.", min=0)]


def texts(
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="Encoding of a text, as in windows-1252.", show_default="detected")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", help="Delimiter of a text: one character, or tab.", show_default="detected")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns; otherwise they are called column_1, column_2, ….",
            show_default="header",
        ),
    ] = None,
    dates: Annotated[
        str | None,
        typer.Option(
            "--dates",
            help="How the dates of times are written, as in dd.mm.yyyy; a time of day may follow.",
            show_default="2026-03-02 08:00, or counted since 1970",
        ),
    ] = None,
) -> options.Request:
    """How a log is read. A log has no schema, and no numbers that could be written in several ways."""
    given = {"encoding": encoding, "delimiter": "\t" if delimiter == "tab" else delimiter, "header": header, "dates": dates}
    return {name: value for name, value in given.items() if value is not None}
