"""Faults for commands: what to do at which file operation, and what came of it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

HERE = Path(__file__).parent
KILLED = -9


class Mode(IntEnum):
    """What happens at an operation: as in `faults.c`."""

    COUNT = 0
    KILL = 1
    FAIL_ONCE = 2
    FULL = 3
    STOP = 4
    DEAD = 5


@dataclass(frozen=True)
class Fault:
    """A fault at the n-th file operation."""

    mode: Mode = Mode.COUNT
    at: int = 0

    @property
    def code(self) -> int:
        return errno.ENOSPC if self.mode is Mode.FULL else errno.EIO

    def __str__(self) -> str:
        return f"{self.mode.name.lower()} at {self.at}"


NONE = Fault()


@dataclass(frozen=True)
class Ended:
    """How a command ended, and the file operations that it made."""

    status: int
    out: str
    err: str
    operations: Sequence[tuple[str, str]]


class Server:
    """A process that runs commands with faults."""

    def __init__(self, aside: Path) -> None:
        """`aside` is for what the faults do not concern: the compiled library, output, logs."""
        self._aside = aside
        library = aside / "faults.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"], check=True)
        # The child writes no coverage data: every write below the folder counts.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        self._process = subprocess.Popen(
            [sys.executable, HERE / "server.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "LD_PRELOAD": str(library)},
        )

    def run(self, folder: Path, arguments: Sequence[object], fault: Fault = NONE) -> Ended:
        """Run a command in a folder; the operations that count are those below it."""
        log = self._aside / "log"
        log.unlink(missing_ok=True)
        request = {
            "folder": str(folder),
            "aside": str(self._aside),
            "log": str(log),
            "arguments": [str(argument) for argument in arguments],
            "mode": int(fault.mode),
            "at": fault.at,
            "code": fault.code,
            "environment": {"SFUMATO_LEDGER": str(folder / "ledger"), "TMPDIR": str(self._aside), "COLUMNS": "120"},
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        status = json.loads(self._process.stdout.readline())["status"]
        lines = log.read_text().splitlines() if log.exists() else []
        texts = [(self._aside / name).read_text() for name in ("stdout", "stderr")]
        return Ended(status, *texts, [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines])

    def close(self) -> None:
        self._process.communicate(timeout=30)
