"""A real PostgreSQL server for a test: on loopback, in a folder of its own, run by a user without rights, stopped afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "wr0ng-t0-sh0w@:/"  # with signs that an address has to quote


@dataclass(frozen=True)
class Server:
    port: int

    def address(self, user: str = "owner", password: str | None = PASSWORD, database: str = "people") -> str:
        from urllib.parse import quote

        secret = "" if password is None else f":{quote(password, safe='')}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"


def _as_nobody() -> dict[str, object]:
    """The server refuses to be root."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("nobody")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _run(*words: object, folder: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)}
    subprocess.run(
        [str(word) for word in words],
        check=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **_as_nobody(),  # type: ignore[call-overload]
    )


@contextmanager
def running(*, durable: bool = False) -> Iterator[Server]:
    """The server, with a database `people` of a user `owner` who needs the password. A durable one waits for the disk, as in earnest."""
    import psycopg

    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        if user := _as_nobody():
            os.chown(folder, int(str(user["user"])), int(str(user["group"])))
        secret = folder / "secret"
        secret.write_text(PASSWORD)
        if user:
            os.chown(secret, int(str(user["user"])), int(str(user["group"])))
        data = folder / "data"
        _run(
            "initdb",
            "-D",
            data,
            "-U",
            "owner",
            "-A",
            "scram-sha-256",
            "--pwfile",
            secret,
            "-E",
            "UTF8",
            "--no-sync",
            folder=folder,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' -c fsync={'on' if durable else 'off'}"
        )
        _run("pg_ctl", "-D", data, "-w", "-t", 60, "-l", folder / "log", "-o", options, "start", folder=folder)
        try:
            server = Server(port)
            with psycopg.connect(server.address(database="postgres"), autocommit=True) as connection:
                connection.execute("CREATE DATABASE people")
            yield server
        finally:
            _run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop", folder=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
