"""The folder of a run, which one process works in at a time.

A step that is to be done again first loses its files. If its settings or inputs have changed, so do all later steps: at no moment does a
file stand beside one that it was not made with. If only its files were damaged, the later ones stay, since it will be as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sfumato.applications.ato.running.records import FILES, Record, Step
from sfumato.commit.journal import settle
from sfumato.commit.locks import held
from sfumato.commit.places import require_folder, unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import DataError, OutputError
from sfumato.inputs import text
from sfumato.inputs.files import MB
from sfumato.temporary import folders_in

MARK = "run.json"
RECORDS = "steps"
_MARKED = {"kind": "sfumato account-takeover run", "version": 1}
_MOST = 16 * MB


@contextmanager
def opened_folder(path: Path) -> Iterator[Folder]:
    """The folder of a run, new or one that was begun; refuses any other, and one that another process works in."""
    require_folder(path)
    new = not path.exists()
    with _telling(path):
        path.mkdir(parents=True, exist_ok=True)
    with held(path, wait=False) as alone:
        if not alone:
            raise OutputError("another run is at work in this folder; wait for it, or name another folder", where=str(path))
        folder = Folder(path)
        with _telling(path):
            _mark(path)
            folder.settle()
        try:
            yield folder
        finally:
            folder.leave(new)


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """What the system says about a place, in one line."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


def _mark(path: Path) -> None:
    place = path / MARK
    if place.is_file():
        try:
            marked = json.loads(text(place, _MOST))
        except (ValueError, DataError, RecursionError):
            marked = None
        if marked != _MARKED:
            raise OutputError(
                f"its {MARK} is not that of a run of this version; name another folder, or empty this one", where=str(path)
            )
        return
    if set(path.iterdir()) - set(folders_in(path)):
        raise OutputError("has files that are not those of a run; name an empty folder, or a new one", where=str(path))
    write_text(place, json.dumps(_MARKED, indent=1) + "\n", force=True)


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the files and records of a run are."""

    path: Path

    def settle(self) -> None:
        """Finish or undo what a run that was killed was putting in place, and remove what it left."""
        for names in ((f"{RECORDS}/log.json",), *FILES.values()):
            place = self.path / names[0]
            if place.parent.is_dir():
                settle(place, place.parent)

    def record(self, step: str) -> Record | None:
        """The record of a step; None if there is none that can be read: then the step is done again."""
        place = self.path / RECORDS / f"{step}.json"
        try:
            return Record.parsed(text(place, _MOST)) if place.is_file() else None
        except (ValueError, DataError, RecursionError):
            return None

    def fitting(self, step: Step) -> Record | None:
        """The record of a step that was made from the same and whose files are intact."""
        record = self.record(step.name)
        return record if record and record.made_from == step.made_from() and record.intact(self.path) else None

    def clear(self, step: Step) -> None:
        """Remove what must not be there while a step is done."""
        record, names = self.record(step.name), list(FILES)
        same = record is not None and record.made_from == step.made_from()
        with _telling(self.path):
            for name in [step.name] if same else names[names.index(step.name) :]:
                (self.path / RECORDS / f"{name}.json").unlink(missing_ok=True)
                for file in FILES[name]:
                    (self.path / file).unlink(missing_ok=True)

    def keep(self, record: Record) -> None:
        """Write the record of a step that was done."""
        write_text(self.within(RECORDS) / f"{record.step}.json", record.text(), force=True)

    def leave(self, new: bool) -> None:
        """If no step was done, remove the mark and empty folders, and the folder itself if it is `new`."""
        if any((self.path / RECORDS).glob("*.json")):
            return
        with suppress(OSError):
            (self.path / MARK).unlink(missing_ok=True)
            for place in sorted({(self.path / names[0]).parents[0] for names in FILES.values()} - {self.path}):
                if place.is_dir():
                    place.rmdir()
            if new:
                self.path.rmdir()

    def within(self, name: str) -> Path:
        """A folder of this folder, which is made if need be."""
        with _telling(self.path):
            (self.path / name).mkdir(exist_ok=True)
        return self.path / name
