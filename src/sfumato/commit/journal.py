"""Where staged files belong, so that a later run can finish what a crash left, or undo it.

A journal is a file in the hidden folder with the staged files. It names, for each of them, its place, seen from the folder above, and the
*decision*: a file that exists, with this very content, if and only if all of them belong in place. Until then the places hold what
they held before. Putting in place and taking back can both be done again and again, and stop anywhere: a staged file has a second name
until it is in place, and a place is recognized by being the same file as the staged or the old one. What somebody else has put there
since is never replaced.
"""

from __future__ import annotations

import errno
import filecmp
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.commit.locks import held, holding
from sfumato.errors import OutputError
from sfumato.temporary import JOURNAL, abandoned, folders_in, sweep

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS)


@dataclass(frozen=True, slots=True)
class Decision:
    """The file whose existence decides, and the digest of its content. `also` is where it may be found if everything was moved."""

    path: Path
    sha256: str
    also: Path | None = None

    @classmethod
    def of(cls, path: Path, content: bytes) -> Decision:
        return cls(path, hashlib.sha256(content).hexdigest())

    def taken(self) -> bool:
        """Whether it was decided to put the files in place."""
        return any(hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256 for path in self._candidates() if path.is_file())

    def known(self) -> bool:
        """Whether there is a place to look for it."""
        return any(path.parent.is_dir() for path in self._candidates())

    def _candidates(self) -> list[Path]:
        return [self.path, *([self.also] if self.also else [])]


@dataclass(frozen=True, slots=True)
class Move:
    """A staged file and its place; `name` is the place seen from the folder above that of the staged file. `new` if nothing may be there
    before; else what is there is kept as the old one until the end."""

    staged: Path
    target: Path
    new: bool
    name: str

    @property
    def old(self) -> Path:
        return self.staged.with_name(f"old-{self.staged.name}")

    @property
    def ready(self) -> Path:
        """A second name of the staged file, which it has until it is in place; the first one stays to compare with."""
        return self.staged.with_name(f"ready-{self.staged.name}")

    def prepare(self) -> None:
        """Before the decision: everything that can fail for want of room."""
        twin(self.staged, self.ready)
        if not self.new:
            with suppress(FileNotFoundError):
                twin(self.target, self.old)

    def put(self) -> None:
        """Put the file in place, unless it was; FileExistsError if something else is where nothing may be. What somebody has put in the
        place of the old file stays."""
        if not self.ready.exists():
            return
        if self.new:
            if not _same(self.staged, self.target):
                put_new(self.ready, self.target)
            self.ready.unlink(missing_ok=True)
        elif _same(self.old, self.target) or not (os.path.lexists(self.old) or os.path.lexists(self.target)):
            self.ready.replace(self.target)

    def take_back(self) -> None:
        """Let the place hold what it held before."""
        if not _same(self.staged, self.target):
            return
        if self.new or not os.path.lexists(self.old):
            self.target.unlink()
        else:
            back = self.staged.with_name(f"back-{self.staged.name}")
            back.unlink(missing_ok=True)
            twin(self.old, back)
            back.replace(self.target)


@dataclass(frozen=True, slots=True)
class FolderMove(Move):
    """A staged folder of files and its place, where nothing may be before. A folder has one name only, so it is recognized by its first
    file, which has a second one."""

    @property
    def mark(self) -> Path:
        return self.staged.with_name(f"mark-{self.staged.name}")

    def files(self) -> list[Path]:
        return sorted(self.staged.iterdir())

    def prepare(self) -> None:
        twin(self.files()[0], self.mark)

    def put(self) -> None:
        if not self.staged.exists():
            return
        if os.path.lexists(self.target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.staged), None, str(self.target))
        self.staged.rename(self.target)

    def take_back(self) -> None:
        if not self.staged.exists() and self.target.is_dir() and any(_same(self.mark, file) for file in self.target.iterdir()):
            self.target.rename(self.staged)


@dataclass(frozen=True, slots=True)
class Journal:
    """The moves out of one hidden folder, what decides about them, and the other hidden folders that it decides about."""

    folder: Path
    moves: tuple[Move, ...]
    decision: Decision
    others: tuple[Path, ...] = ()

    def write(self) -> None:
        """On the disk, whole or not at all."""
        content = {
            "moves": [[move.staged.name, move.name, move.new, isinstance(move, FolderMove)] for move in self.moves],
            "decision": [*self._named_decision(), self.decision.sha256],
            "others": [str(other.resolve()) for other in self.others],
        }
        hidden = self.folder / "journal.part"
        hidden.write_text(json.dumps(content), encoding="utf-8")
        flush(hidden)
        hidden.replace(self.folder / JOURNAL)
        flush_folders([self.folder])

    @classmethod
    def read(cls, folder: Path) -> Journal:
        """The journal in a folder; refuses a damaged one, and one that points out of the folder above."""
        try:
            content: dict[str, Any] = json.loads((folder / JOURNAL).read_text(encoding="utf-8"))
            moves = tuple(_move(folder, *move) for move in content["moves"])
            path, also, sha256 = content["decision"]
            return cls(folder, moves, Decision(folder / path, str(sha256), folder / also), tuple(map(Path, content["others"])))
        except (OSError, ValueError, KeyError, TypeError):
            raise OutputError(
                "a run was stopped while it put files in place here, and its journal cannot be read; remove this folder",
                where=str(folder),
            ) from None

    def put(self) -> None:
        """Put everything in place, and the folders on the disk."""
        for move in self.moves:
            move.put()
        flush_folders(move.target.parent for move in self.moves)

    def take_back(self) -> None:
        """Undo what was put in place."""
        for move in reversed(self.moves):
            move.take_back()
        flush_folders(move.target.parent for move in self.moves)

    def forget(self) -> None:
        """The work is done, or undone: the hidden folder is nothing but rubbish now."""
        (self.folder / JOURNAL).unlink(missing_ok=True)

    def _named_decision(self) -> tuple[str, str]:
        """As seen from the hidden folder, so that it is found if everything is moved, and by its whole path."""
        path = _in_real_folder(self.decision.path)
        return os.path.relpath(path, self.folder.resolve()), path.name if path.parent == self.folder.resolve() else str(path)


def _move(folder: Path, staged: str, target: str, new: bool, is_folder: bool = False) -> Move:
    """A move out of a hidden folder, as its journal tells it; those of earlier versions are of files."""
    kind = FolderMove if is_folder else Move
    return kind(folder / _inner(staged), folder.parent / _inner(target), bool(new), target)


def settle(path: Path, folder: Path | None = None) -> None:
    """Finish, or undo, what runs that were killed have left in the folder of a file, or in the given one; waits for a run that is just
    putting files in place. Raises if this cannot be done and concerns the file."""
    others: list[Path] = []
    for place in dict.fromkeys([folder or path.parent, *_behind_links(path)]):
        others += _settle_folder(path, place)
    for other in dict.fromkeys(other.parent for other in others):
        _settle_folder(path, other)


def _behind_links(path: Path) -> list[Path]:
    """The folder of the file that a name leads to."""
    try:
        return [path.resolve().parent] if path.is_symlink() else []
    except (OSError, RuntimeError, ValueError):  # a circle of links, or a name that no file has
        return []


def _settle_folder(path: Path, folder: Path) -> list[Path]:
    """What is left in one folder; returns the hidden folders elsewhere that belong to it. Who holds another folder does not wait."""
    if not folders_in(folder):
        return []
    sweep(folder)
    others: list[Path] = []
    with held(folder, wait=not holding()) as all_held:
        for hidden in _pending(folder) if all_held else ():
            with abandoned(hidden) as ours:
                if ours:
                    others += _settle(hidden, path)
    return others


def _pending(folder: Path) -> list[Path]:
    return [hidden for hidden in folders_in(folder) if _has_journal(hidden)]


def _has_journal(hidden: Path) -> bool:
    with suppress(OSError):  # somebody else's
        return (hidden / JOURNAL).exists()
    return False


def _settle(hidden: Path, path: Path) -> Sequence[Path]:
    """One journal; a problem with it is reported to those who want one of its files only. Returns the folders that belong to it."""
    journal = Journal.read(hidden)
    try:
        _finish(journal)
    except OutputError:
        if _in_real_folder(path) in {_in_real_folder(move.target) for move in journal.moves}:
            raise
    return journal.others


def _finish(journal: Journal) -> None:
    where = (journal.decision.also or journal.decision.path).parent
    if not journal.decision.known():
        raise OutputError(
            f"a run was stopped while it put files in place here; whether they count is written in {where}, which is not there now; "
            f"if that is gone for good, remove {journal.folder.name}",
            where=str(journal.folder.parent),
        )
    try:
        (journal.put if journal.decision.taken() else journal.take_back)()
    except FileExistsError as error:
        raise OutputError(
            "a run was stopped before it could put its file here, and another file has the place now; move that one away",
            where=str(error.filename2 or journal.folder.parent),
        ) from None
    except OSError as error:
        raise OutputError(
            f"a run was stopped while it put files in place here, and this cannot be finished now: {error.strerror}",
            where=str(journal.folder.parent),
        ) from None
    journal.forget()
    shutil.rmtree(journal.folder, ignore_errors=True)


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_folders(folders: Iterable[Path]) -> None:
    """Wait until the names in folders are on the disk, where the system can be asked for that."""
    if os.name == "posix":
        for folder in dict.fromkeys(folders):
            flush(folder)


def twin(path: Path, other: Path) -> None:
    """A second name for a file; a copy where files have one name only."""
    try:
        os.link(path, other, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copy2(path, other, follow_symlinks=False)
        if not other.is_symlink():
            flush(other)


def put_new(path: Path, target: Path) -> None:
    """Give a file a name that nothing has; FileExistsError otherwise."""
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path), None, str(target)) from None
        copy = path.with_name(f"ready-{path.name}")
        shutil.copy2(path, copy)
        flush(copy)
        copy.replace(target)


def _same(one: Path, other: Path) -> bool:
    """Whether two names are one file, or two files that are alike where files have one name only."""
    try:
        here, there = one.lstat(), other.lstat()
    except FileNotFoundError:
        return False
    if os.path.samestat(here, there):
        return True
    return here.st_nlink == there.st_nlink == 1 and here.st_size == there.st_size and filecmp.cmp(one, other, shallow=False)


def _inner(name: str) -> str:
    """A name below a folder."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError
    return name


def _in_real_folder(path: Path) -> Path:
    return path.parent.resolve() / path.name
