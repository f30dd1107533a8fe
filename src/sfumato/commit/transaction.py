"""Files that take their places together, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from sfumato.commit.call import note_written
from sfumato.commit.journal import Decision, FolderMove, Journal, Move, flush, flush_folders, put_new, settle
from sfumato.commit.locks import held
from sfumato.commit.places import require_free, require_free_folder, require_no_input, taken, unwritable
from sfumato.commit.signals import deferred
from sfumato.errors import OutputError, SfumatoError
from sfumato.temporary import TemporaryFolder

_DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class Step:
    """The step that decides, if it is a file elsewhere: which, with what content, and how it is made and taken back."""

    decision: Decision
    make: Callable[[], None]
    unmake: Callable[[], None]


class Transaction(AbstractContextManager["Transaction"]):
    """Stage files, then commit. Leaving it without a commit, for whatever reason, leaves nothing.

    The files of a transaction that is decided elsewhere may lie in several folders, each with a journal of its own. Otherwise they are
    staged in one folder: `root`, or that of the first file.
    """

    def __init__(self, *, force: bool, root: Path | None = None) -> None:
        self._force, self._root = force, root
        self._folders: dict[Path, TemporaryFolder] = {}
        self._moves: list[tuple[TemporaryFolder, Move]] = []
        self._private: set[Path] = set()

    def stage(self, target: Path, *, private: bool = False) -> Path:
        """The hidden name to write the file to. Others may read it as the umask says, unless it is `private`."""
        require_free(target, self._force)
        folder = self._staging(target)
        endings = "".join(target.suffixes[-2:])
        staged = folder.path / f"new-{len(self._moves)}{endings if len(endings) < 100 else target.suffix}"
        name = target.name if self._root is None else str(target.relative_to(self._root))
        self._moves.append((folder, Move(staged, target, not self._force, name)))
        if private:
            self._private.add(staged)
        return staged

    def stage_folder(self, target: Path) -> Path:
        """The hidden name to make a folder under, with at least one file and no folder in it."""
        require_free_folder(target)
        folder = self._staging(target)
        staged = folder.path / f"new-{len(self._moves)}"
        self._moves.append((folder, FolderMove(staged, target, True, target.name)))
        return staged

    def _staging(self, target: Path) -> TemporaryFolder:
        """The hidden folder for what belongs to a place."""
        place = (self._root or target.parent).resolve()
        try:
            if place not in self._folders:
                self._folders[place] = TemporaryFolder(place)
        except OSError as error:
            raise OutputError(f"cannot be written to: {error.strerror}", where=str(place)) from None
        return self._folders[place]

    def scratch(self, name: str) -> Path:
        """A name for data that is needed until the commit only, beside the first file."""
        return next(iter(self._folders.values())).path / name

    def commit(self, step: Step | None = None) -> None:
        """Put all files in place, in the order in which they were staged."""
        moves = [move for _, move in self._moves]
        for move in moves:
            for staged in (*move.files(), move.staged) if isinstance(move, FolderMove) else (move.staged,):
                if move.staged not in self._private:
                    give_rights_of_new_files(staged)
                flush(staged)
        with held(*self._folders, *(move.target.parent for move in moves)):
            for folder, move in self._moves:
                settle(move.target, folder.path.parent)
                _require_free_now(move)
            if step is None and len(moves) == 1:
                self._put_one(moves[0])
            else:
                self._put_all(step or self._own_step())

    def _put_one(self, move: Move) -> None:
        """A single file needs no journal: taking its place is the step that decides."""
        with deferred():
            try:
                if move.new:
                    put_new(move.staged, move.target)
                else:
                    move.staged.replace(move.target)
            except FileExistsError:
                raise taken(move.target) from None
            note_written([move.target])
            _confirm(move)

    def _put_all(self, step: Step) -> None:
        journals = []
        for folder in self._folders.values():
            moves = tuple(move for staging, move in self._moves if staging is folder)
            for move in moves:
                move.prepare()
            others = tuple(each.path for each in self._folders.values() if each is not folder)
            journals.append(Journal(folder.path, moves, step.decision, others))
        for journal in journals:
            journal.write()
            flush_folders([journal.folder.parent])
        with deferred():
            try:
                step.make()
                for journal in journals:
                    journal.put()
            except BaseException as error:
                self._undo(step, journals, error)
                raise
            note_written(move.target for _, move in self._moves)
            for journal in journals:
                with suppress(OSError):  # everything is in place; what a journal says about it is done, and stays true
                    journal.forget()

    def _undo(self, step: Step, journals: list[Journal], error: BaseException) -> None:
        """Take everything back, the decision first. If even that fails, the journals stay, and the next run has the last word."""
        kept = None
        try:
            step.unmake()
            for journal in reversed(journals):
                journal.take_back()
                journal.forget()
        except OSError:
            kept = "; the next run of sfumato that looks at this place finishes or undoes it"
            for folder in self._folders.values():
                folder.keep()
        if isinstance(error, FileExistsError) and error.filename2:
            refusal = taken(Path(error.filename2))
        elif isinstance(error, OSError):
            refusal = unwritable(Path(error.filename2 or self._moves[0][1].target), error)
        else:
            if kept and isinstance(error, SfumatoError):
                error.add(kept)
            return
        if kept:
            refusal.add(kept)
        raise refusal from None

    def _own_step(self) -> Step:
        """A mark in the hidden folder."""
        if len(self._folders) > 1:
            raise AssertionError("files in several folders take their places together only if something elsewhere decides")
        mark = next(iter(self._folders.values())).path / _DECIDED

        def make() -> None:
            mark.touch(exist_ok=False)
            flush_folders([mark.parent])

        def unmake() -> None:
            mark.unlink(missing_ok=True)
            flush_folders([mark.parent])

        return Step(Decision.of(mark, b""), make, unmake)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for folder in self._folders.values():
            folder.remove()


def give_rights_of_new_files(path: Path) -> None:
    """Let others read a file or a folder as the umask says: it was made where everything is its owner's alone."""
    umask = os.umask(0o077)  # there is no way to ask without setting it; meanwhile it is strict
    os.umask(umask)
    if path.is_dir():
        with suppress(OSError, AttributeError):  # where there are no access control lists
            os.removexattr(path, "system.posix_acl_default")
    path.chmod((0o777 if path.is_dir() else 0o666) & ~umask)


def _require_free_now(move: Move) -> None:
    if move.new and os.path.lexists(move.target):
        raise taken(move.target)
    require_no_input(move.target)


def _confirm(move: Move) -> None:
    """Wait until the new name is on the disk; the file is in place already."""
    try:
        flush_folders([move.target.parent])
    except OSError as error:
        raise OutputError(
            f"in place, but the system cannot say whether it is on the disk: {error.strerror}", where=str(move.target)
        ) from None
