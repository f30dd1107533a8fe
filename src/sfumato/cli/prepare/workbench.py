"""`sfumato open`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError


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
    for name in ("fastapi", "uvicorn", "jinja2", "multipart"):
        if find_spec(name) is None:
            raise UsageError(f"needs {name}, which is not installed: pip install 'sfumato[web]'", where="open")
    from sfumato.web.bench.project import project_of
    from sfumato.web.workbench.serving import serving

    found = project_of(data, project, **request)
    bench = serving(found, port)
    if json:
        show.emit({"project": str(found.folder), "address": bench.address})
    else:
        show.line(f"project: {found.folder}")
        show.line(f"open:    {bench.address}")
        show.line("Ctrl-C ends it")
    sys.stdout.flush()
    ended = bench.run(browser=not no_browser, failed=_tell)
    if not json:
        show.line(f"ended; 'sfumato open {found.folder}' goes on" if found.begun else "ended; nothing was written")
    if not ended:  # its thread is still at work, and the libraries that it uses cannot be unloaded
        sys.stdout.flush()
        os._exit(0)


def _tell(line: str) -> None:
    """What goes wrong is on the page, too."""
    sys.stderr.write(f"sfumato: {line}\n")
    sys.stderr.flush()
