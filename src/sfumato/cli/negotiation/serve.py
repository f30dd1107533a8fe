"""`sfumato serve`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, raise_alone

if TYPE_CHECKING:
    from sfumato.web.service.serving import Serving
    from sfumato.web.service.store.resets import Reset


def serve(
    folder: Annotated[
        Path, typer.Option("--folder", "-o", help="Where the service keeps its files, and its store if no other is given.")
    ] = Path("sfumato-service"),
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            help="A PostgreSQL, as in postgresql://name:password@host/database.",
            envvar="SFUMATO_DATABASE",
            show_default="SQLite in the folder",
            show_envvar=True,
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen at; 0.0.0.0 is every one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port to listen at; 0 is any that is free.", min=0, max=65_535)] = 8000,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            help="What people type to get here, behind a proxy.",
            envvar="SFUMATO_ADDRESS",
            show_default="http://HOST:PORT",
            show_envvar=True,
        ),
    ] = None,
    upload_limit: Annotated[str, typer.Option("--upload-limit", help="The largest table that can be uploaded.")] = "2GB",
    workers: Annotated[int, typer.Option("--workers", help="Processes that explore and publish.", min=1, max=64)] = 1,
    demo: Annotated[
        bool, typer.Option("--demo", help="Fill a new service with the census table, an owner and a user to try it.")
    ] = False,
    reset_password: Annotated[
        str | None,
        typer.Option(
            "--reset-password",
            metavar="MAIL",
            help="Print a link for a new password of this account, and end. The service may be running.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Serve a team: owners upload tables and offer them, users ask for releases and negotiate, in the browser or by API.

    The first start prints a link where the first owner sets the service up; owners invite everybody else. Behind a proxy with https,
    --address says what people type. Ctrl-C ends it; what was acknowledged is kept.

    Example: `sfumato serve --folder service`
    """
    try:
        from sfumato.web.service.demo import fill
        from sfumato.web.service.resetting import printed
        from sfumato.web.service.serving import beside, serving
    except ImportError as error:
        raise_alone(UsageError(f"needs {error.name}, which is not installed: pip install 'sfumato[web]'", where="serve"))
    if reset_password is not None:
        with beside(folder, database, host=host, port=port, address=address) as known:
            _tell_link(*printed(known, reset_password), json=json)
        return
    with serving(folder, database, host=host, port=port, address=address, upload_limit=upload_limit, workers=workers) as service:
        sign_ins = [(each.role.value, each.mail, each.password) for each in fill(service.service)] if demo else []
        _tell(service, sign_ins, json=json)
        service.run()
    if not json:
        show.line("ended")


def _tell_link(made: Reset, link: str, *, json: bool) -> None:
    if json:
        show.emit({"account": made.account, "link": link, "expires": made.expires})
    else:
        show.line(f"new password: {link}")
        show.line("it works once, and for a day")


def _tell(serving: Serving, sign_ins: list[tuple[str, str, str]], *, json: bool) -> None:
    service, link = serving.service, None if sign_ins else serving.link
    if json:
        record: dict[str, Any] = {"address": service.address, "folder": str(service.folder), "set_up": link}
        show.emit({**record, "sign_ins": [{"role": role, "mail": mail, "password": word} for role, mail, word in sign_ins]})
    else:
        show.line(f"address: {service.address}")
        if link is not None:
            show.line(f"set up:  {link}")
        for role, mail, word in sign_ins:
            show.line(f"{role + ':':8} {mail}, password {word}")
        show.line("Ctrl-C ends it")
    sys.stdout.flush()
