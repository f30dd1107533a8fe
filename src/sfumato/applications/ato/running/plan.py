"""What a run is about: the log that it makes or is given, and the settings of the steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any

import sfumato as sf
from sfumato.applications.ato.opening import file_of
from sfumato.applications.ato.reputation import read_known
from sfumato.applications.ato.running.records import file_digest
from sfumato.applications.ato.tables import read_truth
from sfumato.applications.ato.training.fitting import settings_of
from sfumato.errors import UsageError, argument

ROWS = 200_000
_MADE = {
    "logs/events.parquet": "events",
    "logs/known-bad.txt": "bad",
    "logs/known-good.txt": "good",
    "logs/truth/truth.parquet": "truth",
    "logs/truth/campaigns.parquet": "campaigns",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of the steps after the log; they are those of `reputation`, `train` and `detect`."""

    seed: int
    grid: str
    legitimate: int
    fraudulent: int
    budget: float

    def __post_init__(self) -> None:
        settings_of(self.grid)
        for name in ("legitimate", "fraudulent"):
            if getattr(self, name) < 1:
                raise UsageError("at least one login must be drawn", where=argument(name))
        if self.seed < 0:
            raise UsageError("a seed is 0 or more", where=argument("seed"))
        if not 0 < self.budget < inf:
            raise UsageError("at least some alerts a day must be possible; 100 would work", where=argument("budget"))


@dataclass(frozen=True, slots=True)
class Log:
    """The log of a run. `settings` are those that it is generated with, and `files` the digests of a log that was given, by what they
    are; one of the two is empty. The truth is for scores."""

    settings: Mapping[str, int]
    events: str
    bad: Path
    good: Path
    truth: Path | None
    files: Mapping[str, str]

    def digests(self, made: Mapping[str, str]) -> dict[str, str]:
        """The digests of its files, by what they are; `made` are those of a generated one."""
        return dict(self.files) or {_MADE[name]: digest for name, digest in made.items() if name in _MADE}


def generated_log(folder: Path, rows: int | None, days: int | None, seed: int) -> Log:
    """A log that the run makes, in its folder."""
    logs = folder / "logs"
    settings = {"rows": ROWS if rows is None else rows, "seed": seed} | ({} if days is None else {"days": days})
    return Log(settings, str(logs), logs / "known-bad.txt", logs / "known-good.txt", logs / "truth", {})


def given_log(logs: Any, bad: Any, good: Any, truth: Any) -> Log:
    """A log that exists, with what is known of its addresses; a folder of `generate` has the lists itself."""
    if not isinstance(logs, str | PathLike):
        raise UsageError("a run goes on where it was stopped, so it needs a log in files; name a file or folder", where="logs")
    known = {name: _known(Path(logs), name, path) for name, path in (("bad", bad), ("good", good))}
    for path in known.values():
        read_known(path)
    files = {f"events:{place}": file_digest(path) for place, path in enumerate(_files(logs))}
    files |= {name: file_digest(path) for name, path in known.items()}
    place = None if truth is None else Path(truth)
    if place is not None:
        read_truth(place)
        beside = place if place.is_dir() else place.parent
        really = place / "truth.parquet" if place.is_dir() else place
        truths = {"truth": really, "campaigns": beside / "campaigns.parquet"}
        files |= {name: file_digest(path) for name, path in truths.items() if path.is_file()}
    return Log({}, str(logs), known["bad"], known["good"], place, files)


def _known(logs: Path, name: str, path: Any) -> Path:
    if path is not None:
        return Path(path)
    beside = logs / f"known-{name}.txt"
    if not beside.is_file():
        raise UsageError(f"a file of addresses that are known to be {name}, one a line, is needed", where=argument(name))
    return beside


def _files(logs: str | PathLike[str]) -> list[Path]:
    """The files of a table of events, in the order of their names."""
    engine = sf.Source(file_of(logs)).open_engine()
    try:
        files = sorted(Path(each) for each in engine.files)
    finally:
        engine.close()
    if not files:
        raise UsageError("a run goes on where it was stopped, so it needs a log in files; name a file or folder", where="logs")
    return files
