"""Results on disk: one file per release, complete or absent, so that a run that was stopped goes on where it was.

A file is named for everything that its result depends on: the rows as the model gets them, the plan and the versions of the libraries. What
led to these rows, be it a schema, a delimiter or a model that suppresses, need not be named then. A file holds counts of rows and the names
of settings, no value of a record, and a digest of them: a damaged one is refused, never counted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import sklearn

from sfumato._version import __version__
from sfumato.commit.places import require_folder, unwritable
from sfumato.commit.writing import written_whole
from sfumato.errors import DataError, raise_alone
from sfumato.inputs.files import text
from sfumato.inputs.shape import Misshapen, shaped
from sfumato.learn.plan import Plan
from sfumato.learn.training import Lesson, Repeat

_MOST_BYTES = 64_000_000


class _Record(TypedDict):
    rows: int
    repeats: list[Repeat]


@dataclass(frozen=True, slots=True)
class Taught:
    """The result for one release: how many rows were there to learn from, and every repeat."""

    rows: int
    repeats: tuple[Repeat, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """Where results are kept; nowhere if there is no folder. `about` is what all of them depend on."""

    folder: Path | None
    about: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path | None, plan: Plan) -> Store:
        """For the results of one plan; makes the folder."""
        if folder is None:
            return cls(None, {})
        require_folder(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from None
        versions = {"sfumato": __version__, "sklearn": sklearn.__version__, "numpy": np.__version__}
        return cls(folder, {"plan": plan.key(), "versions": versions})

    def get(self, lesson: Lesson) -> Taught | None:
        """The result that was kept for a lesson."""
        place = self._place(lesson)
        if place is None or not place[0].exists():
            return None
        read = text(place[0], _MOST_BYTES, error=DataError)
        try:
            kept = _kept(json.loads(read), place[1])
        except (ValueError, KeyError, TypeError, RecursionError, Misshapen):
            raise_alone(DataError("not a result of learning; remove it, and it is made again", where=str(place[0])))
        return kept

    def put(self, lesson: Lesson, taught: Taught) -> None:
        """Keep a result."""
        place = self._place(lesson)
        if place is None:
            return
        result = asdict(taught)
        record = {"about": place[1], "result": result, "digest": _digest(result)}
        with written_whole(place[0], force=True) as hidden:
            hidden.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def _place(self, lesson: Lesson) -> tuple[Path, dict[str, Any]] | None:
        """The file of a lesson, and all that its result depends on."""
        if self.folder is None:
            return None
        about = {**self.about, "lesson": lesson.digest()}
        return self.folder / f"{_digest(about)[:20]}.json", about


def _kept(document: Any, about: Mapping[str, Any]) -> Taught:
    """The result in a file; refuses one about something else, or that was changed since it was written."""
    if document["about"] != about or document["digest"] != _digest(document["result"]):
        raise Misshapen("changed since it was written")
    record = shaped(document["result"], _Record, "result")
    return Taught(record["rows"], tuple(record["repeats"]))


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
