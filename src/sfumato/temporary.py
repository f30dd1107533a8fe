"""Temporary data: what does not fit into memory, and releases that are not in place yet. Both hold records in clear.

A temporary folder can be entered by its owner only, and the files in it are their owner's alone, whoever makes them and whatever the
umask: the folder says so to the file system, where that has access control lists (on Linux, nearly all do). It is removed when its
user is done with it, and it is locked as long as the process lives: the lock ends with the process, however that ends. So the next run
in the same place finds the folders of processes that were killed, and removes them. A folder with a journal is no rubbish: somebody has
to finish what it says first (see `commit.journal`).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import TracebackType

try:
    import fcntl
except ImportError:  # Windows has no such locks: there, what a killed process leaves is for the owner to remove
    fcntl = None  # type: ignore[assignment]

PREFIX = ".sfumato-work-"
JOURNAL = "journal.json"
_NAME = re.compile(re.escape(PREFIX) + r"[a-z0-9_]{8}")  # as `mkdtemp` makes them
_ONLY_OWNER = 0o700
# What a folder hands down to new files: the owner's rights and nobody else's, as `system.posix_acl_default` has it (version 2, then
# tag, rights and id of each entry: owner, group, others).
_INHERITED = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, 0xFFFFFFFF) for tag, rights in ((1, 7), (4, 0), (32, 0))
)


class TemporaryFolder(AbstractContextManager[Path]):
    """A folder in `parent`, by default the system's (TMPDIR): 0700, locked, swept by the next one if its process is killed."""

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        place = Path(tempfile.gettempdir() if parent is None else parent)
        sweep(place)
        self.path, self._lock = _locked_folder(place)
        self._kept = False

    def keep(self) -> None:
        """Leave the folder behind: its journal is not done."""
        self._kept = True

    def remove(self) -> None:
        """Remove the folder and everything in it; twice is once."""
        if not self._kept:
            shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.remove()


def sweep(parent: Path) -> None:
    """Remove the temporary folders of processes that are gone: only folders of this user under our names, with nobody's lock."""
    for folder in folders_in(parent):
        with abandoned(folder) as ours:
            if ours and not (folder / JOURNAL).exists():
                shutil.rmtree(folder, ignore_errors=True)


def folders_in(parent: Path) -> list[Path]:
    """The temporary folders in a folder, whoever made them."""
    try:
        return [parent / entry.name for entry in os.scandir(parent) if _NAME.fullmatch(entry.name)]
    except OSError:
        return []


@contextmanager
def abandoned(folder: Path) -> Iterator[bool]:
    """Whether a temporary folder is this user's and its process is gone; while the block runs, nobody else is told so."""
    lock = None
    with suppress(OSError):  # in use, somebody else's, or removed by another sweep meanwhile
        lock = _lock(folder) if fcntl is not None else None
    if lock is None:
        yield False
        return
    try:
        about = os.fstat(lock)
        yield about.st_uid == os.getuid() and stat.S_IMODE(about.st_mode) == _ONLY_OWNER
    finally:
        os.close(lock)


def _locked_folder(parent: Path) -> tuple[Path, int | None]:
    """A new folder and its lock; None where folders cannot be locked, and then nobody else can lock and sweep it either."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        with suppress(OSError, AttributeError):  # a file system or a system without such lists: the folder is closed all the same
            os.setxattr(folder, "system.posix_acl_default", _INHERITED)
        if fcntl is None:
            return folder, None
        try:
            lock = _lock(folder)
        except (BlockingIOError, FileNotFoundError):  # another process swept it before it was locked
            continue
        except OSError:
            return folder, None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), folder.stat()):
                return folder, lock
        os.close(lock)


def _lock(folder: Path) -> int:
    """The descriptor of a folder that nobody else has locked; BlockingIOError if somebody has."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
