"""`run`: everything from a log to a report, in one folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any

from sfumato.applications.ato.needs import require_learn
from sfumato.applications.ato.running.folder import Folder, opened_folder
from sfumato.applications.ato.running.plan import Log, Plan, generated_log, given_log
from sfumato.applications.ato.running.records import FILES, Record
from sfumato.applications.ato.running.steps import Steps, Watch
from sfumato.applications.ato.training.train import FRAUDULENT, LEGITIMATE
from sfumato.errors import OutputError, UsageError, argument
from sfumato.progress import Progress
from sfumato.results import Printed, Rows


@dataclass(frozen=True, slots=True)
class Run(Printed):
    """A complete run. `seconds` and `results` are by step, also of those that an earlier run did; `done` are those that this one did."""

    folder: Path
    done: tuple[str, ...]
    seconds: Mapping[str, float]
    results: Mapping[str, Mapping[str, Any]]

    @property
    def report(self) -> Path:
        """The page."""
        return self.folder / FILES["report"][0]

    def table(self) -> Rows:
        """The steps, and how long each took when it was done."""
        rows = ((name, "done" if name in self.done else "was done before", seconds) for name, seconds in self.seconds.items())
        return Rows(("step", "", "seconds"), tuple(rows))

    def as_dict(self) -> dict[str, Any]:
        """For machines; it names no address."""
        results = {name: dict(result) for name, result in self.results.items() if name != "report"}
        places = {"folder": str(self.folder), "report": str(self.report), "done": list(self.done)}
        return places | {"seconds": dict(self.seconds), "results": results}


def run(
    output: str | PathLike[str],
    logs: str | PathLike[str] | None = None,
    *,
    rows: int | None = None,
    days: int | None = None,
    seed: int = 0,
    bad: str | PathLike[str] | None = None,
    good: str | PathLike[str] | None = None,
    truth: str | PathLike[str] | None = None,
    grid: str = "coarse",
    legitimate: int = LEGITIMATE,
    fraudulent: int = FRAUDULENT,
    budget: float = 100,
    jobs: int | None = None,
    watch: Watch | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Generate a log or take one, count features, judge addresses, train detectors, detect, and write a report.

    A run that was stopped, however, goes on where it was: a step is done again only if its settings, its inputs or its files have changed.

    Parameters
    ----------
    output : path
        The folder of the run: a new or empty one, or that of an earlier run.
    logs : path, optional
        A table of events, or a folder that `generate` has written. Without it, a log with a known truth is generated.
    rows, days : int, optional
        How many events are generated (200,000), and how many days they cover (30).
    seed : int
        Of everything random; the same seed gives the same files, to the byte.
    bad, good : path, optional
        Files of addresses that are known to be bad and good; a folder of `generate` has its own.
    truth : path, optional
        What is really fraudulent in `logs`. It scores, and decides nothing; the report of a run without it leaves the scores out.
    grid, legitimate, fraudulent : optional
        As for `train`.
    budget : float
        Alerts a day that somebody can look at.
    jobs : int, optional
        Threads that grow trees; all cores if None. Neither they nor the engine change a file.
    watch, progress : functions, optional
        Called with each step and the engine; with the events or settings done and all of them.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.

    Returns
    -------
    Run
        The folder with its report, and the result of each step.
    """
    require_learn("run")
    plan, folder = Plan(seed, grid, legitimate, fraudulent, budget), Path(output)
    log = _log(folder, logs, {"rows": rows, "days": days}, {"bad": bad, "good": good, "truth": truth}, seed)
    watching = watch or (lambda step, engine: None)
    with opened_folder(folder) as opened:
        _require_own_log(opened, log)
        steps = Steps(opened, plan, log, jobs or _cores(options.get("threads")), options, watching, progress)
        done = tuple(name for name in FILES if (name != "log" or log.settings) and _do(steps, name))
    records = steps.records
    seconds = {name: record.seconds for name, record in records.items()}
    return Run(folder, done, seconds, {name: record.result for name, record in records.items()})


def _log(folder: Path, logs: Any, sizes: dict[str, int | None], known: dict[str, Any], seed: int) -> Log:
    """The log that is asked for; refuses arguments that are about the other kind."""
    for name, value in (known if logs is None else sizes).items():
        if value is not None:
            why = (
                "is about logs that exist; name them"
                if logs is None
                else "is about a log that is generated; leave it or the logs out"
            )
            raise UsageError(why, where=argument(name))
    if logs is None:
        return generated_log(folder, sizes["rows"], sizes["days"], seed)
    return given_log(logs, known["bad"], known["good"], known["truth"])


def _require_own_log(folder: Folder, log: Log) -> None:
    if not log.settings and folder.record("log") is not None:
        raise OutputError(
            "has a run on a log that was generated there; name another folder for other logs", where=str(folder.path)
        )


def _do(steps: Steps, name: str) -> bool:
    """Do a step unless it was done; returns whether there was something to do."""
    step, folder = steps.step(name), steps.folder
    steps.watch(f"{name}: looking", None)
    kept = folder.fitting(step)
    if kept is None:
        begun = monotonic()
        folder.clear(step)
        result = step.make()
        folder.keep(Record.of(step, folder.path, result, monotonic() - begun))
    # Read back in both cases, so that later steps see the same, whether this one was done now or before.
    steps.records[name] = kept or _written(folder, name)
    return kept is None


def _written(folder: Folder, name: str) -> Record:
    record = folder.record(name)
    if record is None:
        raise OutputError("the record of a step cannot be read back; is the disk full?", where=str(folder.path))
    return record


def _cores(threads: int | None) -> int:
    return threads or os.cpu_count() or 1
