"""`sfumato ato features`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.ato.given import Logs
from sfumato.errors import several


@options.takes(options.running)
def features(
    request: options.Request,
    logs: Logs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    levels: Annotated[str, typer.Option("--levels", help="The levels: some of ip, subnet, country.")] = "ip,subnet,country",
    online: Annotated[
        bool, typer.Option("--online", help="One row per login, which counts only what was strictly before it.")
    ] = False,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Count the good and bad sign-ins, people and organizations at every address, subnet and country.

    A sign-in is good if the password was right, even if something else then stopped it, such as a second factor.

    Example: `sfumato ato features logs -o features`
    """
    from sfumato.applications.ato.features.making import features as make

    request.pop("loops")
    with show.watching() as watch:
        made = make(logs, output, levels=options.names(levels) or (), online=online, force=force, watch=watch, **request)
    if json:
        show.emit(made.as_dict())
        return
    if made.doubled:
        show.line(f"doubled events, counted once: {made.doubled:,}")
    noun = "login" if online else None
    for level, path in made.files.items():
        show.line(f"wrote {path}: {several(made.rows[level], noun or _NOUNS[level][0], None if noun else _NOUNS[level][1])}")


_NOUNS = {"ip": ("address", "addresses"), "subnet": ("subnet", "subnets"), "country": ("country", "countries")}
