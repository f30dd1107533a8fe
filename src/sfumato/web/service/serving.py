"""Start a service: its folder, its store, its address."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sfumato.engines.memory import bytes_of
from sfumato.errors import OutputError, UsageError, argument
from sfumato.web.service.inviting import set_up_link
from sfumato.web.service.service import Service
from sfumato.web.service.store.database import STORE, Database
from sfumato.web.service.store.migrating import up_to_date

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 known, not listened at
_HERE = ("127.0.0.1", "localhost", "::1")
_PORTS = {"http": 80, "https": 443}
_TURN = 0.0005  # seconds that a thread may go on while another waits; whoever takes in requests would wait ten times as long
_GRACE = 2  # seconds for what is being answered when the service ends; pages that wait for news would never end


@dataclass(frozen=True, slots=True)
class Serving:
    """A service that is about to listen. `link` is where its first owner sets it up, as long as there is none."""

    service: Service
    listening: socket.socket
    link: str | None
    behind_proxy: bool

    def run(self) -> None:
        """Answer until somebody ends it with Ctrl-C."""
        from uvicorn import Config

        from sfumato.web.service.app import service_app
        from sfumato.web.workbench.server import Server

        app = service_app(self.service)
        config = Config(
            app,
            log_level="critical",  # what goes wrong has its own line, without data
            access_log=False,
            server_header=False,
            proxy_headers=self.behind_proxy,  # whom the request comes from, if the proxy on this computer says so
            timeout_graceful_shutdown=_GRACE,
        )
        # Every request is a call of its own, not a part of the command that started the service: see `commit.call`.
        with _loaded():
            Context().run(Server(config, app.state.rooms.news.close).run, sockets=[self.listening])


@contextmanager
def _loaded() -> Iterator[None]:
    """What was loaded stays until the end: to look through all of it for garbage would make everybody wait for a tenth of a second.
    And threads take short turns."""
    gc.collect()
    gc.freeze()
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        gc.unfreeze()


@contextmanager
def serving(
    folder: Path,
    database: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    address: str | None = None,
    upload_limit: str = "2GB",
    workers: int = 1,
) -> Iterator[Serving]:
    """Prepare a service: the folder is made and locked, the store brought to its newest form, the port taken."""
    public = _given(address, host)
    most = _bytes(upload_limit)
    with _alone(folder), _listening(host, port) as listening, _store(folder, database) as store:
        taken = int(listening.getsockname()[1])
        service = Service(store, folder, public or _here(host, taken), _local(host, taken), most, workers)
        yield Serving(service, listening, set_up_link(service), behind_proxy=address is not None)


@contextmanager
def beside(
    folder: Path, database: str | None = None, *, host: str = "127.0.0.1", port: int = 8000, address: str | None = None
) -> Iterator[Service]:
    """A service that exists, for something small that does not need it to end, nor to run."""
    if database is None and not (folder / STORE).is_file():
        raise UsageError("there is no service in this folder", where=str(folder))
    public = _given(address, host)
    if public is None and not port:
        raise UsageError("the port that the service listens at", where=argument("port"))
    with _store(folder, database) as store:
        yield Service(store, folder, public or _here(host, port))


@contextmanager
def _store(folder: Path, database: str | None) -> Iterator[Database]:
    """The store of a service, in its newest form."""
    store = Database.in_folder(folder) if database is None else Database(database)
    try:
        store.require_reachable()
        up_to_date(store)
        yield store
    finally:
        store.close()


def _given(address: str | None, host: str) -> str | None:
    if address is None and host in _EVERYWHERE:
        raise UsageError(
            "needed with this host: what others type to get here, as in https://data.example.org", where=argument("address")
        )
    return None if address is None else _public(address)


def _here(host: str, port: int) -> str:
    return _public(f"http://{_named(host)}:{port}")


def _public(address: str) -> str:
    """An address as browsers say it: in small letters, without the usual port."""
    with suppress(ValueError):
        parts = urlsplit(address.strip().lower())
        plain = not parts.username and not parts.password and parts.path in ("", "/") and not parts.query and not parts.fragment
        if parts.scheme in _PORTS and parts.hostname and plain and address.isprintable():
            usual = parts.port in (None, _PORTS[parts.scheme])
            return f"{parts.scheme}://{_named(parts.hostname)}{'' if usual else f':{parts.port}'}"
    raise UsageError("an address such as https://data.example.org", where=argument("address"))


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _local(host: str, port: int) -> tuple[str, ...]:
    """Other names of a service that this computer can reach."""
    return tuple(f"{_named(each)}:{port}" for each in _HERE) if host in (*_HERE, *_EVERYWHERE) else ()


def _bytes(limit: str) -> int:
    try:
        return bytes_of(limit)
    except UsageError:
        raise UsageError(f"cannot read {limit!r}; write 2GB or 500MB", where=argument("upload_limit")) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """The folder, for its owner's eyes only, and for one service. The lock ends with the process, however that ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"cannot be used: {error.strerror}", where=str(folder)) from None
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError("another 'sfumato serve' uses this folder; end it first, or choose another", where=str(folder)) from None


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """Take a port; 0 is any that is free."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with listening:
        try:
            listening.bind((host, port))
            listening.listen()  # whoever comes before the server is ready waits
        except OSError as error:
            raise UsageError(
                f"{_named(host)}:{port} cannot be used: {error.strerror}; another port would work", where=argument("port")
            ) from None
        yield listening
