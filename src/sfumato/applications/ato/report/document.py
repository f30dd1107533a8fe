"""Everything that the report of a run shows, as a value. It has counts, shares, days and rules; no user id, address or agent is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sfumato as sf
from sfumato.applications.ato.confusion import Confusion
from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.forest import read_model
from sfumato.applications.ato.forest.model import Settings
from sfumato.applications.ato.training import Trained, Variant
from sfumato.applications.ato.training.privacy import Losses

Result = Mapping[str, Any]
_STATISTICS = ("max", "min", "class_mean", "people_mean")


@dataclass(frozen=True, slots=True, eq=False)
class TakeoverReport:
    """The results of the steps. `plan` are the settings of the run; `log` those of a generated log, empty for one that was given.

    The scores against the truth are None where the truth is not known, and so is `timeline["real"]`."""

    plan: Mapping[str, Any]
    log: Mapping[str, Any]
    made: Result | None
    features: Result
    reputation: Result
    trained: Trained
    detected: Result
    timeline: Result

    @classmethod
    def of(cls, results: Mapping[str, Result], models: Path, plan: Mapping[str, Any], log: Mapping[str, Any]) -> TakeoverReport:
        """From the results of the steps and the folder of the models."""
        own = {name: results[name] for name in ("features", "reputation", "detect", "timeline")}
        detected, timeline = own.pop("detect"), own.pop("timeline")
        trained = trained_of(results["train"], models)
        return cls(plan, log, results.get("log"), trained=trained, detected=detected, timeline=timeline, **own)

    @property
    def events(self) -> int:
        """All sign-ins, each once."""
        return sum(self.timeline["events"])

    @property
    def judged(self) -> bool:
        """Whether the truth is known."""
        return self.timeline["real"] is not None


def trained_of(record: Result, models: Path) -> Trained:
    """What training gave, from its result and the model files."""
    variants = {level: _variant(level, record["levels"][level], models) for level in LEVELS}
    logins = record["logins"]
    counts = (logins["trained"], logins["tested"])
    return Trained(variants, Settings(**record["settings"]), record["seed"], counts, tuple(logins["fraudulent"]))


def _variant(level: str, record: Result, models: Path) -> Variant:
    truth = None if record["truth"] is None else _confusion(record["truth"])
    model = read_model(models / f"model-{level}.parquet")
    return Variant(level, model, _confusion(record["labels"]), truth, _losses(record["privacy_losses"]))


def _confusion(record: Result) -> Confusion:
    return Confusion(*(record[name] for name in ("tp", "tn", "fp", "fn")))


def _losses(record: Result) -> Losses:
    """The number of the worst class is not kept: it means nothing without the classes."""
    distribution, entropy = (
        sf.losses.Summary(**{statistic: record[statistic][place] for statistic in _STATISTICS}, worst=-1) for place in (0, 1)
    )
    return Losses(record["classes"], distribution, entropy)
