"""The public names of the application, `sf.ato`; each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.applications.ato.collaborating.collaborate import collaborate, share
    from sfumato.applications.ato.collaborating.results import Collaborated
    from sfumato.applications.ato.collaborating.shapley import Shapley, shapley
    from sfumato.applications.ato.collaborating.shares import Share, read_share
    from sfumato.applications.ato.detecting import Detected, detect
    from sfumato.applications.ato.features.making import Features, features
    from sfumato.applications.ato.forest import Model, read_model
    from sfumato.applications.ato.generating.making import Generated, generate
    from sfumato.applications.ato.importing.making import Imported, import_logs
    from sfumato.applications.ato.reputation import Reputation, read_known, reputation
    from sfumato.applications.ato.running.run import Run, run
    from sfumato.applications.ato.tables import read_features, read_truth
    from sfumato.applications.ato.training.train import train
    from sfumato.applications.ato.training.training import Trained

_HOMES = {
    "Collaborated": "collaborating.results",
    "Detected": "detecting",
    "Features": "features.making",
    "Generated": "generating.making",
    "Imported": "importing.making",
    "Model": "forest",
    "Reputation": "reputation",
    "Run": "running.run",
    "Shapley": "collaborating.shapley",
    "Share": "collaborating.shares",
    "Trained": "training.training",
    "collaborate": "collaborating.collaborate",
    "detect": "detecting",
    "features": "features.making",
    "generate": "generating.making",
    "import_logs": "importing.making",
    "read_features": "tables",
    "read_known": "reputation",
    "read_model": "forest",
    "read_share": "collaborating.shares",
    "read_truth": "tables",
    "reputation": "reputation",
    "run": "running.run",
    "shapley": "collaborating.shapley",
    "share": "collaborating.collaborate",
    "train": "training.train",
}

__all__ = [
    "Collaborated",
    "Detected",
    "Features",
    "Generated",
    "Imported",
    "Model",
    "Reputation",
    "Run",
    "Shapley",
    "Share",
    "Trained",
    "collaborate",
    "detect",
    "features",
    "generate",
    "import_logs",
    "read_features",
    "read_known",
    "read_model",
    "read_share",
    "read_truth",
    "reputation",
    "run",
    "shapley",
    "share",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sfumato.ato' has no attribute {name!r}")
    return getattr(import_module(f"sfumato.applications.ato.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
