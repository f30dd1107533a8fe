"""Start the workbench: on 127.0.0.1 only, at a port that is free. It listens before its pages are loaded: whoever comes early waits."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from secrets import token_urlsafe

from sfumato.errors import UsageError, argument
from sfumato.web.bench.project import Project

HOST = "127.0.0.1"
_PATIENCE = 3.0  # seconds for a job to reach its next step


@dataclass(frozen=True, slots=True)
class Serving:
    """A workbench that listens, and answers when it runs: its socket, and the token of this run."""

    project: Project
    listening: socket.socket
    token: str

    @property
    def port(self) -> int:
        port: int = self.listening.getsockname()[1]
        return port

    @property
    def address(self) -> str:
        """The address with the token of this run."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    def run(self, *, browser: bool, failed: Callable[[str], None]) -> bool:
        """Answer until somebody ends it with Ctrl-C, and tell `failed` what goes wrong with a job. Whether everything has ended: a job that
        does not within some seconds is left behind."""
        from uvicorn import Config

        from sfumato.web.workbench.app import workbench
        from sfumato.web.workbench.guard import Guard
        from sfumato.web.workbench.server import Server
        from sfumato.web.workbench.threads import ThreadWork

        app = workbench(self.project, Guard(self.token, self.port), failed)
        work: ThreadWork = app.state.bench.work
        config = Config(app, log_level="warning", access_log=False, server_header=False, lifespan="off")
        if browser:
            webbrowser.open(self.address)
        # Every request is a call of its own, not a part of the command that started the workbench: see `commit.call`.
        Context().run(Server(config, work.end).run, sockets=[self.listening])
        return work.left(_PATIENCE)


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
    return Serving(project, listening, token_urlsafe(32))
