"""`sfumato open`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, raise_alone


@options.takes(options.reading)
def open_workbench(
    request: options.Request,
    data: Annotated[
        str | None, typer.Argument(metavar="[DATA]", help="A table, or the folder of a project.", show_default="the project here")
    ] = None,
    project: Annotated[
        Path | None, typer.Option("--project", "-o", help="The folder of the project.", show_default="NAME.project")
    ] = None,
    port: Annotated[int, typer.Option("--port", help="The port to listen at; 0 is any that is free.", min=0, max=65_535)] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    json: options.Json = False,
) -> None:
    """Work on a table in your browser: columns and roles, the risk as it is, a release with its report.

    Listens on this computer only, and needs the token in the address that it prints. What you do is kept in a project folder, as files that
    the other commands read. Ctrl-C ends it.

    Example: `sfumato open patients.csv`
    """
    try:
        from sfumato.web.bench.project import project_of
        from sfumato.web.workbench.serving import serving
    except ImportError as error:
        raise_alone(UsageError(f"needs {error.name}, which is not installed: pip install 'sfumato[web]'", where="open"))
    with show.watching() as watch:
        found = project_of(data, project, watch, **request)
    bench = serving(found, port)
    if json:
        show.emit({"project": str(found.folder), "address": bench.address})
    else:
        show.line(f"project: {found.folder}")
        show.line(f"open:    {bench.address}")
        show.line("Ctrl-C ends it")
    sys.stdout.flush()
    bench.run(browser=not no_browser)
    if not json:
        show.line(f"ended; 'sfumato open {found.folder}' goes on")
