"""Start the workbench: on 127.0.0.1 only, at a port that is free."""

from __future__ import annotations

import socket
import webbrowser
from contextvars import Context
from dataclasses import dataclass

from sfumato.errors import UsageError, argument
from sfumato.web.bench.project import Project
from sfumato.web.workbench.guard import Guard, new_token

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Serving:
    """A workbench that is about to listen: its socket and its guard."""

    project: Project
    guard: Guard
    listening: socket.socket

    @property
    def address(self) -> str:
        """The address with the token of this run."""
        return f"http://{HOST}:{self.guard.port}/?token={self.guard.token}"

    def run(self, *, browser: bool) -> None:
        """Answer until somebody ends it with Ctrl-C."""
        from uvicorn import Config

        from sfumato.web.workbench.app import workbench
        from sfumato.web.workbench.server import Server

        app = workbench(self.project, self.guard)
        config = Config(app, log_level="warning", access_log=False, server_header=False, lifespan="off")
        if browser:
            webbrowser.open(self.address)
        # Every request is a call of its own, not a part of the command that started the workbench: see `commit.call`.
        Context().run(Server(config).run, sockets=[self.listening])


def serving(project: Project, port: int = 0) -> Serving:
    """Take a port; 0 is any that is free."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()  # whoever comes before the server is ready waits
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}; another one would work", where=argument("port")
        ) from None
    return Serving(project, Guard(new_token(), listening.getsockname()[1]), listening)
