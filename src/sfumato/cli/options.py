"""The words that mean the same in every command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sfumato.errors import UsageError

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A CSV file (any delimiter, gzip), or a Parquet file, glob or folder.", show_default=False
    ),
]
SchemaFile = Annotated[Path, typer.Option("--schema", "-s", help="The schema, a TOML file.", show_default=False)]
Quasi = Annotated[
    str | None,
    typer.Option("--quasi", help="The QIDs to publish, as in age,workclass; the others are withheld.", show_default="all"),
]
NodeText = Annotated[str, typer.Option("--node", help="A level per QID: age=2,workclass=1 or [2,1].", show_default=False)]
Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Minimize = Annotated[
    str | None,
    typer.Option(
        "--minimize",
        help="The loss to minimize.",
        show_default="utility-distribution if a model speaks of the sensitive attribute, else loss",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the order of the rows.")]
EngineName = Annotated[str, typer.Option("--engine", help="What counts and recodes the rows: duckdb.")]
Memory = Annotated[
    str | None,
    typer.Option("--memory", help="Memory limit of the engine, as in 2GB; the rest goes to disk.", show_default="80 %"),
]
Ledger = Annotated[
    Path | None,
    typer.Option("--ledger", help="Folder for the owner's copy of the certificate.", show_default="among your data"),
]
MapFile = Annotated[Path | None, typer.Option("--map", help="Also write the recoding, value by value, as CSV.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="Delimiter of a CSV file.", show_default="found")]


PROTECT = "--protect"


def joined(arguments: Sequence[str]) -> list[str]:
    """The words of a command with the two of each --protect as one, `MODEL for GROUP`: an option takes one word.

    >>> joined(["check", "--protect", "age=[75, 100]", "k-anonymity:9", "--json"])
    ['check', '--protect', 'k-anonymity:9 for age=[75, 100]', '--json']
    """
    found: list[str] = []
    rest = [word for each in arguments for word in (each.split("=", 1) if each.startswith(f"{PROTECT}=") else [each])]
    while rest:
        found.append(rest.pop(0))
        if found[-1] == PROTECT:
            group, model = rest[:2] if len(rest) > 1 else ("", "")
            if "=" not in group or ":" not in model:
                raise UsageError(
                    "takes a group and a model, as in --protect 'age=[75, 100]' distribution-loss:0.1", where=PROTECT
                )
            found.append(f"{model} for {group}")
            del rest[:2]
    return found


def names(text: str | None) -> list[str] | None:
    """`age, workclass` as a list; a JSON list for names with commas or blanks at their ends."""
    if text is None:
        return None
    if text.lstrip().startswith("["):
        try:
            return [str(name) for name in json.loads(text)]
        except (ValueError, TypeError):
            raise UsageError(f'cannot read {text!r}; write age,workclass or ["age","workclass"]', where="names") from None
    return [name.strip() for name in text.split(",")]
