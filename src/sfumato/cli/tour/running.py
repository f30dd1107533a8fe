"""Run the tour: each command in a process of its own, as a user would, in the folder of the tour."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from time import monotonic
from urllib.request import HTTPCookieProcessor, build_opener

from sfumato.cli.tour.stop import Command, Stop

_PROGRAM = (sys.executable, "-c", "from sfumato.cli.entry import main; main()")
# A requirement as our own metadata list it: a name, perhaps extras of its own and versions, and the extra of ours.
_REQUIRED = re.compile(r"([A-Za-z0-9_.-]+)[^;]*; extra == '([a-z]+)'")
_WIDTH = "100"
_ANSWERED = "asked for its page: 200"
_PATIENCE = 30.0  # seconds until a page must have come


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run: what it printed, and whether its exit status was the expected one."""

    command: Command
    printed: str
    expected: bool


@dataclass(frozen=True, slots=True)
class Visited:
    """A stop that was visited: the commands that were run until one failed. `left_out` says why none was."""

    stop: Stop
    ran: tuple[Ran, ...] = ()
    seconds: float = 0.0
    left_out: str | None = None

    @property
    def failed(self) -> bool:
        return any(not each.expected for each in self.ran)


def missing(stop: Stop) -> str | None:
    """Why a stop must be left out: what is not installed."""
    extras = [each for each in stop.needs if not all(map(_installed, brought_by(each)))]
    programs = [each for each in stop.programs if shutil.which(each) is None]
    if extras:
        return f"needs pip install 'sfumato[{','.join(extras)}]'"
    return f"needs {' and '.join(programs)} on this machine" if programs else None


def brought_by(extra: str) -> list[str]:
    """The distributions that an extra of ours installs on every system."""
    return [line.group(1) for each in requires("sfumato") or () if (line := _REQUIRED.fullmatch(each)) and line.group(2) == extra]


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def visit(stops: Sequence[Stop], folder: Path, watch: Callable[[str, None], None]) -> Iterator[Visited]:
    """Visit the stops one after the other."""
    for place, stop in enumerate(stops, start=1):
        if reason := missing(stop):
            yield Visited(stop, left_out=reason)
            continue
        for name, text in stop.files:
            (folder / name).write_text(text, encoding="utf-8")
        started, ran = monotonic(), []
        for command in stop.commands:
            watch(f"{place} of {len(stops)}: sfumato {command.line[:60]}", None)
            ran.append(_run(command, folder))
            if not ran[-1].expected:
                break
        yield Visited(stop, tuple(ran), monotonic() - started)


def _run(command: Command, folder: Path) -> Ran:
    """One command; what it records goes into the ledger of the tour, and the colors of a terminal are left out."""
    own = {"XDG_DATA_HOME": str(folder.absolute() / "records"), "COLUMNS": _WIDTH, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(  # noqa: S603  our own commands, as they stand in the stops
        [*_PROGRAM, *command.words],
        cwd=folder,
        env={**os.environ, **own, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    with process:
        try:
            asked = _asked(process) if command.serves else ""
            printed = asked + process.communicate()[0]
        except BaseException:
            process.terminate()
            raise
    answered = not command.serves or _ANSWERED in printed
    return Ran(command, printed, process.returncode == command.status and answered)


def _asked(process: subprocess.Popen[str]) -> str:
    """What a server prints up to its last line before it waits; then its page is asked for, and it is ended."""
    assert process.stdout is not None  # noqa: S101  it is a pipe
    lines, address = [], None
    for line in process.stdout:
        lines.append(line)
        address = address or next(iter(re.findall(r"http://127\.0\.0\.1:\S+", line)), None)
        if line.startswith("Ctrl-C"):
            break
    if address:
        lines.append(_answer(address))
        process.send_signal(signal.SIGINT)
    return "".join(lines)


def _answer(address: str) -> str:
    """What a server of this machine answers who opens its address, with the cookie that it sets."""
    opener = build_opener(HTTPCookieProcessor())
    try:
        with opener.open(address, timeout=_PATIENCE) as answer:
            return f"{_ANSWERED}, {len(answer.read()):,} bytes\n"
    except OSError as error:
        return f"asked for its page: {type(error).__name__}\n"
