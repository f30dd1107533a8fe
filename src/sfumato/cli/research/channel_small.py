"""`sfumato channel enumerate` and `sfumato channel rules`: generalization mechanisms over small domains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.pictures import draw, require_picture
from sfumato.errors import UsageError, argument

if TYPE_CHECKING:
    from sfumato.channel.enumeration import Orbits
    from sfumato.channel.estimating import Estimate
    from sfumato.channel.small import MechanismMeasures

Schema = Annotated[
    Path,
    typer.Option("--schema", "-s", help="The schema, a TOML file; its hierarchies list all values.", show_default=False),
]
Rows = Annotated[int, typer.Option("--rows", "-r", help="The rows of every table.", show_default=False)]


def enumerate_small(
    schema: Schema,
    rows: Rows,
    model: Annotated[
        list[str],
        typer.Option(
            "--model",
            "-m",
            metavar="NAME:PARAMETERS",
            help="What a published table must satisfy; can be repeated.",
            show_default=False,
        ),
    ],
    choice: Annotated[
        str,
        typer.Option("--choice", help="Which satisfying node is published: uniform (any) or deterministic (least levels)."),
    ] = "uniform",
    orbits: Annotated[bool, typer.Option("--orbits", help="Leave out what relabeling repeats; for more rows.")] = False,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Estimate from so many runs instead of enumerating.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of --samples.")] = 0,
    json: options.Json = False,
) -> None:
    """Enumerate a generalization mechanism: every table of so many rows, every release. Counts, MAP error, bounds.

    Example: `sfumato channel enumerate -s small.toml --rows 3 -m k-anonymity:2 --choice deterministic`
    """
    if orbits and samples is not None:
        raise UsageError("count by orbits or sample, not both", where=argument("samples"))
    if samples is not None:
        found: MechanismMeasures | Orbits | Estimate = _estimated(schema, rows, model, choice, samples, seed)
    else:
        found = _enumerated(schema, rows, model, choice, orbits)
    if json:
        show.emit(found.as_dict())
    else:
        show.out().print(show.rows(found.table()))


def _enumerated(schema: Path, rows: int, model: list[str], choice: str, orbits: bool) -> MechanismMeasures | Orbits:
    from sfumato.channel.enumeration import Universe, enumerate_orbits
    from sfumato.channel.small import measure_mechanism

    if orbits:
        return enumerate_orbits(Universe.of(schema, rows), model, choice=choice)
    return measure_mechanism(schema, rows, model, choice=choice)


def _estimated(schema: Path, rows: int, model: list[str], choice: str, samples: int, seed: int) -> Estimate:
    from sfumato.channel.enumeration import Universe
    from sfumato.channel.estimating import estimate_map_error, sample_tables

    tables = sample_tables(Universe.of(schema, rows), model, choice=choice)
    return estimate_map_error(tables, samples=samples, seed=seed)


def rules(
    schema: Schema,
    rows: Rows,
    picture: Annotated[
        str, typer.Option("--picture", help="What -o draws: error (against k) or utility (against privacy).")
    ] = "error",
    output: options.Picture = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """k-anonymity for every k up to the number of rows: errors, information, and the most that any channel could tell instead.

    Example: `sfumato channel rules -s small.toml --rows 3 -o rules.svg --picture utility`
    """
    from sfumato.channel.enumeration import Universe
    from sfumato.channel.rules import rules_by_k

    require_picture(output, force)
    result = rules_by_k(Universe.of(schema, rows))

    def chart() -> dict[str, object]:
        from sfumato.reporting.channel_curves import rules_chart

        return rules_chart(result, picture)

    written = draw(chart, output, force)
    if json:
        show.emit({**result.as_dict(), **written})
        return
    show.out().print(show.rows(result.table()))
    show.line(f"{result.inputs:,} tables, all equally likely; information and utility in bits")
    if output:
        show.line(f"wrote {output}")
