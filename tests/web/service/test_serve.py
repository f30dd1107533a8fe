"""The command: it prints where to go, answers until Ctrl-C, and refuses in one line what it cannot use."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import UsageError
from sfumato.web.service.serving import serving
from tests.path.postgres_server import PASSWORD, Server

START = [sys.executable, "-c", "from sfumato.cli.entry import main; main()", "serve", "--json"]


@contextmanager
def started(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    command = [*START, "--folder", str(folder), "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout
        lines = [process.stdout.readline()]
        while lines[-1] not in ("}\n", ""):
            lines.append(process.stdout.readline())
        try:
            yield process, json.loads("".join(lines))
        finally:
            if process.poll() is None:
                process.kill()


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    os.kill(process.pid, signal.SIGINT)
    status = process.wait(30)
    assert process.stderr
    return status, process.stderr.read()


def status_of(address: str) -> int:
    try:
        with urllib.request.urlopen(address) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def refusal(folder: Path, *words: str) -> str:
    """The one line that a start is refused with."""
    done = subprocess.run([*START[:-1], "--folder", folder, *words], capture_output=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    return done.stderr


def test_it_starts_ends_and_starts_again(tmp_path: Path) -> None:
    with started(tmp_path / "here") as (process, said):
        assert re.fullmatch(rf"{said['address']}/set-up/[\w-]{{43}}", said["set_up"])
        assert status_of(said["set_up"]) == 200
        assert (tmp_path / "here").stat().st_mode & 0o077 == 0
        assert "another 'sfumato serve' uses this folder" in refusal(tmp_path / "here", "--port", "0")
        # A page that waits for an answer does not keep the service from ending.
        host, port = said["address"].removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as waiting:
            waiting.sendall(b"GET /sign-in HTTP/1.1\r\nHost: " + f"{host}:{port}".encode() + b"\r\n\r\n")
            assert waiting.recv(12) == b"HTTP/1.1 200"
            assert end(process) == (0, "")
    with started(tmp_path / "here") as (process, again):
        assert again["set_up"].split("/")[-1] != said["set_up"].split("/")[-1]
        assert status_of(again["set_up"]) == 200
        assert status_of(f"{again['address']}/set-up/{said['set_up'].split('/')[-1]}") == 404  # void since the new start
        assert end(process) == (0, "")


def test_on_postgres_nothing_printed_has_the_password(postgres: Server, tmp_path: Path) -> None:
    from tests.web.service.conftest import create

    create(postgres, "served")
    with started(tmp_path, "--database", postgres.address(database="served")) as (process, said):
        assert status_of(said["set_up"]) == 200
        assert PASSWORD not in json.dumps(said)
        assert end(process) == (0, "")
    assert not (tmp_path / "service.sqlite").exists()
    wrong = "not-the-password-of-owner"
    line = refusal(tmp_path, "--database", postgres.address(password=wrong, database="served"))
    assert "--database: the database does not answer" in line
    assert wrong not in line


def test_the_demo_prints_two_sign_ins_and_is_for_a_new_service(tmp_path: Path) -> None:
    with started(tmp_path, "--demo") as (process, said):
        assert said["set_up"] is None
        assert status_of(f"{said['address']}/sign-in") == 200
        assert [each["role"] for each in said["sign_ins"]] == ["owner", "user"]
        assert all(len(each["password"]) >= 12 for each in said["sign_ins"])
        assert end(process) == (0, "")
    assert "only a new service is filled" in refusal(tmp_path, "--demo", "--port", "0")


def test_a_link_for_a_locked_out_owner_is_printed_beside_the_running_service(tmp_path: Path) -> None:
    with started(tmp_path, "--demo") as (process, said):
        mail = said["sign_ins"][0]["mail"]
        port = said["address"].rsplit(":", 1)[1]
        command = [*START, "--folder", str(tmp_path), "--port", port, "--reset-password", mail.upper()]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=True)
        link = json.loads(done.stdout)["link"]
        assert re.fullmatch(rf"{said['address']}/new-password/[\w-]{{43}}", link)
        assert status_of(link) == 200
        assert end(process) == (0, "")
    assert "--reset-password: no open account has this mail address" in refusal(tmp_path, "--reset-password", "x@example.org")


def test_a_link_for_a_service_that_is_not_there_makes_none(tmp_path: Path) -> None:
    assert "there is no service in this folder" in refusal(tmp_path / "other", "--reset-password", "x@example.org")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--database", "mysql://here/there"], "--database: PostgreSQL, or SQLite if none is given"),
        (["--database", "nonsense"], "--database: an address such as postgresql://name:password@host/database"),
        (["--host", "0.0.0.0"], "--address: needed with this host"),
        (["--address", "data.example.org"], "--address: an address such as https://data.example.org"),
        (["--address", "https://data.example.org/path"], "--address: an address such as https://data.example.org"),
        (["--address", "https://me:secret@data.example.org"], "--address: an address such as https://data.example.org"),
        (["--upload-limit", "much"], "--upload-limit: cannot read 'much'; write 2GB or 500MB"),
        (["--host", "203.0.113.7"], "--port: 203.0.113.7:8000 cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(words: list[str], line: str, tmp_path: Path) -> None:
    assert line in refusal(tmp_path / "new", *words)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "file: cannot be used" in refusal(tmp_path / "file")


@pytest.mark.parametrize(
    ("given", "address", "hosts", "cookie"),
    [
        ({}, "http://127.0.0.1:PORT", {"127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"}, "sfumato-service-PORT"),
        (
            {"host": "0.0.0.0", "address": "https://Data.Example.org:443/"},
            "https://data.example.org",
            {"data.example.org", "127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"},
            "__Host-sfumato",
        ),
        ({"host": "::1"}, "http://[::1]:PORT", {"127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT"}, "sfumato-service-PORT"),
    ],
)
def test_the_address_decides_which_hosts_and_which_cookie(
    given: dict[str, str], address: str, hosts: set[str], cookie: str, tmp_path: Path
) -> None:
    with serving(tmp_path, port=0, **given) as made:  # type: ignore[arg-type]
        port = str(made.listening.getsockname()[1])
        assert made.service.address == address.replace("PORT", port)
        assert set(made.service.hosts) == {host.replace("PORT", port) for host in hosts}
        assert made.service.cookie == cookie.replace("PORT", port)


def test_an_error_inside_is_not_taken_for_a_lock(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError), serving(tmp_path, port=0):
        raise BlockingIOError
    with serving(tmp_path, port=0), pytest.raises(UsageError, match="another 'sfumato serve'"), serving(tmp_path, port=0):
        pass
