"""Running a case: in a fresh copy of the good files, in a process of its own with limits on time and memory, and judging how it ended.

A forked process starts with everything imported, so thousands of cases take minutes. The parent imports and never runs a command: a
fork of a process with threads would not be safe.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.bad.world import SECRET

SECONDS = 20
LONGER = {"demo": 60}  # it does a whole job
MOST_MEMORY = 1 << 30  # bytes that a case may hold
_DATA = 3 << 30  # bytes that it may ask for: what runs away ends in a MemoryError
_HUGE = 3 << 30
_BUG = 70


@dataclass(frozen=True)
class Case:
    """A command line (`words`) and what differs from the good files: contents, or how they are made, and special files.

    `special` maps a name to `fifo`, `folder`, `huge` (many zero bytes that take no space) or the target of a link. `may_pass`: the
    change may have left the input valid.
    """

    kind: str
    name: str
    words: tuple[str, ...]
    files: Mapping[str, bytes | Callable[[], bytes]] = field(default_factory=dict)
    special: Mapping[str, str] = field(default_factory=dict)
    may_pass: bool = False


@dataclass(frozen=True)
class Ended:
    """How a case ended: None for one that had to be stopped."""

    status: int | None
    out: str
    err: str
    memory: int
    seconds: float
    changed: tuple[str, ...]


def run_all(world: Path, cases: Iterable[Case], folder: Path) -> tuple[Counter[str], list[str]]:
    """How many cases of each kind were tried, and what is wrong with those that failed."""
    tried: Counter[str] = Counter()
    wrong: list[str] = []
    for number, case in enumerate(cases):
        ended = run_case(world, case, folder / str(number))
        tried[case.kind] += 1
        found = [f"{case.kind} | {case.name} | {' '.join(case.words)[:200]!r} | {fault}" for fault in faults(case, ended)]
        sys.stderr.write("".join(f"{fault}\n" for fault in found))
        wrong += found
    return tried, wrong


def limit_of(words: Sequence[str]) -> int:
    """The seconds after which a command counts as hanging."""
    return LONGER.get(words[0], SECONDS) if words else SECONDS


def faults(case: Case, ended: Ended) -> list[str]:
    """What is wrong with the end of a case."""
    lines = ended.err.splitlines()
    errors = [line for line in lines if not line.startswith("sfumato: warning:")]
    if "--json" in case.words and ended.status == 2 and ended.out.startswith('{\n  "schema_version": 1,\n  "error": {'):
        errors = [*errors, "sfumato: said to machines"]
    shown = ended.err[-400:]
    checks = {
        f"still running after {limit_of(case.words)} s": ended.status is None,
        f"exit {ended.status}: {shown}": ended.status is not None and ended.status not in (0, 1, 2),
        f"wrong success: {ended.out[-200:]}": ended.status == 0 and not case.may_pass,
        f"not one line: {shown}": ended.status == 2 and len(errors) != 1,
        f"several lines: {shown}": ended.status in (0, 1) and len(errors) > (ended.status or 0),
        f"a line that is not ours: {shown}": not all(line.startswith("sfumato: ") for line in lines),
        f"a record's value is told: {shown}": ended.status != 0 and SECRET in ended.err,
        f"wrote or changed {ended.changed}": ended.status in (1, 2) and bool(ended.changed),
        f"{ended.memory >> 20} MB of memory": ended.memory > MOST_MEMORY,
    }
    return [fault for fault, found in checks.items() if found]


def run_case(world: Path, case: Case, folder: Path) -> Ended:
    """Run a case in a copy of the good files, which is removed afterwards."""
    shutil.copytree(world, folder)
    try:
        _spoil(folder, case)
        before = _tree(folder)
        status, out, err, memory, seconds = _forked(case.words, folder)
        after = _tree(folder)
        changed = tuple(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)))
        return Ended(status, out, err, memory, seconds, changed)
    finally:
        shutil.rmtree(folder)


def _spoil(folder: Path, case: Case) -> None:
    for name, content in case.files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content())
    for name, what in case.special.items():
        (folder / name).unlink(missing_ok=True)
        if what == "fifo":
            os.mkfifo(folder / name)
        elif what == "huge":
            with (folder / name).open("wb") as file:
                file.truncate(_HUGE)
        elif what == "folder":
            (folder / name).mkdir()
        else:
            (folder / name).symlink_to(what)


def _tree(folder: Path) -> dict[str, object]:
    """Every name below a folder with what it is; regular files with their content."""
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        small = path.is_file() and not path.is_symlink() and status.st_size < _HUGE
        found[str(path.relative_to(folder))] = path.read_bytes() if small else (status.st_mode, status.st_size)
    return found


def _forked(words: Sequence[str], folder: Path) -> tuple[int | None, str, str, int, float]:
    begun = time.monotonic()
    streams = [os.memfd_create("stream") for _ in range(2)]
    child = os.fork()
    if child == 0:
        _child(words, folder, *streams)
    status, memory = _wait(child, begun + limit_of(words))
    texts = []
    for stream in streams:
        texts.append(os.pread(stream, 1 << 20, 0).decode(errors="replace"))
        os.close(stream)
    return status, texts[0], texts[1], memory, time.monotonic() - begun


def _wait(child: int, deadline: float) -> tuple[int | None, int]:
    """The exit status of a child, None if it had to be stopped, and the most memory it held."""
    descriptor = os.pidfd_open(child)
    try:
        ended, _, _ = select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, state, usage = os.wait4(child, 0)
    finally:
        os.close(descriptor)
    return os.waitstatus_to_exitcode(state) if ended else None, usage.ru_maxrss << 10


def _child(words: Sequence[str], folder: Path, out: int, err: int) -> None:
    """The command line itself, in the forked process: never returns."""
    status = _BUG
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (_DATA, _DATA))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdin = os.fdopen(0, encoding="utf-8")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", buffering=1)
        os.chdir(folder)
        from sfumato.cli.main import run

        status = run(words)
        sys.stdout.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)
