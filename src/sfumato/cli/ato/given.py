"""Options that several commands of `sfumato ato` take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Logs = Annotated[
    str,
    typer.Argument(
        metavar="LOGS",
        help="A table of events: a Parquet file, glob or folder, or the folder of 'ato generate'.",
        show_default=False,
    ),
]
Truth = Annotated[
    Path | None,
    typer.Option(
        "--truth", help="What is really fraudulent, from 'ato generate'; it scores, and decides nothing.", show_default=False
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="The seed of everything random.", min=0)]
Legitimate = Annotated[int, typer.Option("--legitimate", help="At most so many logins from good addresses.", min=1)]
Fraudulent = Annotated[int, typer.Option("--fraudulent", help="At most so many logins from bad addresses.", min=1)]
Grid = Annotated[
    str, typer.Option("--grid", help="Settings to choose among: coarse, thesis (hours), or none for the thesis's choice.")
]
Budget = Annotated[float, typer.Option("--budget", help="Alerts a day that somebody can look at.")]
