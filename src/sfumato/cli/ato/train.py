"""`sfumato ato train`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.ato.given import Fraudulent, Grid, Legitimate, Logs, Seed, Truth

if TYPE_CHECKING:
    from sfumato.applications.ato.training import Trained
    from sfumato.results import Rows


@options.takes(options.running)
def train(
    request: options.Request,
    logs: Logs,
    features: Annotated[Path, typer.Option("--features", help="The folder of 'ato features'.", show_default=False)],
    reputation: Annotated[Path, typer.Option("--reputation", help="The file of 'ato reputation'.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    truth: Truth = None,
    legitimate: Legitimate = 100_000,
    fraudulent: Fraudulent = 13_000,
    online: Annotated[
        bool, typer.Option("--online", help="Train on what was strictly before each login, for 'ato detect --online'.")
    ] = False,
    grid: Grid = "coarse",
    seed: Seed = 0,
    jobs: Annotated[int, typer.Option("--jobs", help="Threads that grow trees.", min=1, max=options.MOST_THREADS)] = 1,
    figures: Annotated[bool, typer.Option("--figures", help="Also draw Figures 5.4 to 5.6, as SVG.")] = False,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Train a detector on logins by address, by subnet and by country; show what each knows and what it gives away.

    The tables are those of the thesis, with what it prints beside ours.

    Example: `sfumato ato train logs --features features --reputation reputation.parquet -o models --grid none`
    """
    from sfumato.applications.ato.training import train as make

    request.pop("loops")
    with show.watching() as watch:
        found = make(
            logs,
            features,
            reputation,
            output,
            truth=truth,
            legitimate=legitimate,
            fraudulent=fraudulent,
            online=online,
            grid=grid,
            seed=seed,
            jobs=jobs,
            figures=figures,
            force=force,
            watch=watch,
            progress=show.progress(watch, "choosing settings"),
            **request,
        )
    if json:
        show.emit(found.as_dict() | {"written": str(output)})
        return
    _show(found)
    show.line(f"wrote model-ip.parquet, model-subnet.parquet and model-country.parquet to {output}")


def _narrow(table: Rows) -> Rows:
    """So that it fits a terminal of 80 signs: short heads and names, and no column in which the thesis prints nothing."""
    from sfumato.results import Rows

    kept = [place for place in range(len(table.heads)) if any(row[place] not in (None, "0%") for row in table.rows)]
    heads = tuple(table.heads[place].replace(": ", " ") for place in kept)
    names = (str(row[0]).replace(" privacy loss", "").replace("Data utility", "Utility") for row in table.rows)
    rows = zip(names, table.rows, strict=True)
    return Rows(heads, tuple((name, *(row[place] for place in kept[1:])) for name, row in rows))


def _show(found: Trained) -> None:
    from sfumato.applications.ato.training import exhibits

    trained, tested = found.logins
    show.line(f"{found.settings}; {trained:,} logins to train with, {tested:,} to test with, {found.fraudulent[1]:,} fraudulent")
    tables = {
        "Table 5.4: features": exhibits.table_5_4(),
        "Table 5.5: decisions on test logins, by their labels": exhibits.table_5_5(found),
        "The same, by the truth": exhibits.table_5_5_by_truth(found),
        "Table 5.6: privacy and utility losses": exhibits.table_5_6(found),
        "Figures 5.4 to 5.6: importances": exhibits.importances(found),
    }
    for title, table in tables.items():
        if table is not None:
            show.out().print(show.rows(_narrow(table), title=title))
    really = "" if found.majority(truth=True) is None else f", and by the truth for {found.majority(truth=True):.2%}"
    show.line(f"always giving the more frequent label would be right for {found.majority():.2%} of the test logins{really}")
    for claim, holds in exhibits.pattern(found).items():
        show.line(f"from address to subnet to country {claim}: {'yes' if holds else 'no'}")
