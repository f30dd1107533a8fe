"""`sfumato ato detect`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.ato.given import Budget, Logs, Truth
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.applications.ato.detecting import Detected
    from sfumato.results import Rows


@options.takes(options.running)
def detect(
    request: options.Request,
    logs: Logs,
    model: Annotated[Path, typer.Option("--model", help="A model of 'ato train'.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    features: Annotated[
        Path | None,
        typer.Option(
            "--features", help="What is known of the addresses, from 'ato features'.", show_default="counted in the logs"
        ),
    ] = None,
    online: Annotated[bool, typer.Option("--online", help="Score each login only by what was strictly before it.")] = False,
    truth: Truth = None,
    budget: Budget = 100,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Score logins, with reasons; raise alerts within a budget, for logins, for days of an address, and for campaigns.

    scores.parquet has every login, alerts.parquet every suspicious address with its campaign.

    Example: `sfumato ato detect logs --model models/model-ip.parquet -o found --budget 50`
    """
    from sfumato.applications.ato.detecting import detect as find
    from sfumato.applications.ato.forest import read_model
    from sfumato.applications.ato.tables import read_features, read_truth

    request.pop("loops")
    used = read_model(model)
    known = None if features is None else read_features(features, used.level)
    really = None if truth is None else read_truth(truth)
    with show.watching() as watch:
        found = find(
            logs, used, output, features=known, online=online, truth=really, budget=budget, force=force, watch=watch, **request
        )
    if json:
        show.emit(found.as_dict() | {"written": str(output)})
        return
    if online != used.online:
        show.amber(_OTHER_COUNTS[used.online])
    _show(found)
    show.line(f"wrote scores.parquet and alerts.parquet to {output}")


_OTHER_COUNTS = {
    False: "the model knows whole logs only, and may take whatever is new for suspicious; 'ato train --online' trains for this",
    True: "the model was trained on what was before each login, and is used with other counts; --online would fit it",
}


def _show(found: Detected) -> None:
    show.line(
        f"{several(found.logins, 'login')} in {several(found.days, 'day')}: {found.suspicious:,} suspicious, from "
        f"{several(found.keys, *_NOUNS[found.level])} in {several(found.campaigns, 'campaign')}"
    )
    if found.doubt:
        show.amber(found.doubt)
    if found.unseen:
        places = _NOUNS[found.level][1]
        show.amber(f"{several(found.unseen, 'login')} came from {places} that the features do not know, and were scored as new")
    show.out().print(show.rows(_turned(found.table()), title=f"at most {found.budget:g} alerts a day"))
    for reason, keys in list(found.reasons.items())[:5]:
        show.line(f"{several(keys, *_NOUNS[found.level])}: {reason}")


def _turned(table: Rows) -> Rows:
    """Rows as columns, so that the table fits a terminal of 80 signs."""
    from sfumato.results import Rows

    heads, *rows = zip(table.heads, *table.rows, strict=True)
    return Rows(tuple(map(str, heads)), tuple(rows))


_NOUNS = {"ip": ("address", "addresses"), "subnet": ("subnet", "subnets"), "country": ("country", "countries")}
