"""The steps of a run, each with what it depends on and how it is made from the files of earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sfumato.applications.ato.detecting import detect
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.forest import read_model
from sfumato.applications.ato.generating.making import generate
from sfumato.applications.ato.report.document import TakeoverReport
from sfumato.applications.ato.report.page import page
from sfumato.applications.ato.reputation import read_known, reputation
from sfumato.applications.ato.running.folder import Folder
from sfumato.applications.ato.running.plan import Log, Plan
from sfumato.applications.ato.running.records import FILES, Record, Step
from sfumato.applications.ato.running.timeline import timeline_of
from sfumato.applications.ato.tables import read_features, read_truth
from sfumato.applications.ato.training import train
from sfumato.applications.ato.training.drawing import fraudulent_addresses
from sfumato.commit.writing import write_text
from sfumato.progress import Progress
from sfumato.signing.canonical import digest_of

Watch = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """What is to be done in a folder: a log, a plan, and how to go about it. `records` are those of the steps that are done."""

    folder: Folder
    plan: Plan
    log: Log
    jobs: int
    options: Mapping[str, Any]
    watch: Watch
    progress: Progress | None = None
    records: dict[str, Record] = field(default_factory=dict)

    def step(self, name: str) -> Step:
        """A step, given the records of the earlier ones."""
        settings, inputs, make = {
            "log": (self.log.settings, {}, self._log),
            "features": ({}, self._log_files("events"), self._features),
            "reputation": (self._chosen("seed"), self._files("features") | self._log_files(), self._reputation),
            "train": (
                self._chosen("seed", "grid", "legitimate", "fraudulent"),
                self._files("features", "reputation") | self._log_files("events", "truth"),
                self._train,
            ),
            "detect": (
                self._chosen("budget"),
                self._files("features", "train") | self._log_files("events", "truth"),
                self._detect,
            ),
            "timeline": ({}, self._files("detect") | self._log_files("events", "truth", "campaigns"), self._timeline),
            "report": (asdict(self.plan) | {"log": self.log.settings}, self._results() | self._files("train"), self._report),
        }[name]
        return Step(name, settings, inputs, make)

    def _chosen(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self.plan, name) for name in names}

    def _files(self, *steps: str) -> dict[str, str]:
        return {name: digest for step in steps if step in self.records for name, digest in self.records[step].files.items()}

    def _log_files(self, *kinds: str) -> dict[str, str]:
        """The digests of the log's files, by what they are; of all of them if none is named."""
        digests = self.log.digests(self._files("log"))
        return {name: digest for name, digest in digests.items() if not kinds or name.partition(":")[0] in kinds}

    def _results(self) -> dict[str, str]:
        return {f"result of {name}": digest_of(record.result) for name, record in self.records.items()}

    def _watch_for(self, name: str) -> Watch:
        return lambda step, engine: self.watch(f"{name}: {step}", engine)

    def _folder(self, step: str) -> Path:
        return self.folder.within(Path(FILES[step][0]).parts[0])

    def _log(self) -> dict[str, Any]:
        rows, seed, days = (self.log.settings.get(name) for name in ("rows", "seed", "days"))
        made = generate(self._folder("log"), rows=rows or 0, seed=seed or 0, days=days, force=True, progress=self.progress)
        return {name: value for name, value in made.as_dict().items() if name not in ("folder", "files")}

    def _features(self) -> dict[str, Any]:
        made = features(self.log.events, self._folder("features"), force=True, watch=self._watch_for("features"), **self.options)
        return {"rows": made.rows, "doubled": made.doubled}

    def _reputation(self) -> dict[str, Any]:
        fraudulent = None
        if self.log.truth is not None:
            fraudulent = fraudulent_addresses(self.log.events, read_truth(self.log.truth), self.options)
        known = read_known(self.log.bad), read_known(self.log.good)
        table = read_features(self._folder("features"), "ip")
        found = reputation(table, *known, fraudulent=fraudulent, seed=self.plan.seed)
        found.write(self._folder("reputation") / "reputation.parquet", force=True)
        return found.as_dict()

    def _train(self) -> dict[str, Any]:
        counted, judged, models = (self._folder(name) for name in ("features", "reputation", "train"))
        sizes = self._chosen("seed", "grid", "legitimate", "fraudulent")
        ways: dict[str, Any] = {"truth": self.log.truth, "jobs": self.jobs, "force": True, "progress": self.progress}
        found = train(self.log.events, counted, judged, models, **sizes, **ways, watch=self._watch_for("train"), **self.options)
        return found.as_dict()

    def _detect(self) -> dict[str, Any]:
        model = read_model(self._folder("train") / "model-ip.parquet")
        known = read_features(self._folder("features"), "ip")
        truth = None if self.log.truth is None else read_truth(self.log.truth)
        ways: dict[str, Any] = {
            "features": known,
            "truth": truth,
            "budget": self.plan.budget,
            "force": True,
            "watch": self._watch_for("detect"),
        }
        return detect(self.log.events, model, self._folder("detect"), **ways, **self.options).as_dict()

    def _timeline(self) -> dict[str, Any]:
        self.watch("timeline", None)
        found = timeline_of(self.log.events, self._folder("detect"), self.log.truth, self.options)
        write_text(self._folder("timeline") / "timeline.json", json.dumps(found, indent=1) + "\n", force=True)
        return found

    def _report(self) -> dict[str, Any]:
        self.watch("report", None)
        results = {name: record.result for name, record in self.records.items()}
        report = TakeoverReport.of(results, self._folder("train"), asdict(self.plan), self.log.settings)
        write_text(self.folder.path / FILES["report"][0], page(report), force=True)
        return {}
