"""`train`: from logs, features and reputation to model files, with what each model knows and gives away."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.forest.file import store
from sfumato.applications.ato.tables import read_all_features, read_reputation, read_truth
from sfumato.applications.ato.training.drawing import drawn
from sfumato.applications.ato.training.exhibits import importances_chart
from sfumato.applications.ato.training.training import Trained, trained
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError, argument
from sfumato.progress import Progress
from sfumato.signing.canonical import finite

LEGITIMATE, FRAUDULENT = 100_000, 13_000
RESULT = "training.json"


def train(
    logs: Any,
    features: str | PathLike[str],
    reputation: str | PathLike[str],
    output: str | PathLike[str],
    *,
    truth: str | PathLike[str] | None = None,
    legitimate: int = LEGITIMATE,
    fraudulent: int = FRAUDULENT,
    online: bool = False,
    grid: str = "coarse",
    seed: int = 0,
    jobs: int = 1,
    figures: bool = False,
    force: bool = False,
    watch: Callable[[str, Any], None] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Trained:
    """Train a detector on original logins, and one on logins by subnet and by country.

    Parameters
    ----------
    logs : path, frame or Arrow table
        The events; also a folder that `generate` has written.
    features : path
        The folder of the features of the same logs.
    reputation : path
        The reputation of the addresses.
    output : path
        The folder for `model-ip.parquet`, `model-subnet.parquet`, `model-country.parquet` and `training.json`.
    truth : path, optional
        To score the models by; training does not look at it.
    legitimate, fraudulent : int
        At most so many logins from good and from bad addresses, in this proportion. The thesis has 1,000,000 and 130,000.
    online : bool
        Train on counts of what was before each login, for `detect` with `online`.
    grid : str
        `coarse`, `thesis`, or `none` for the settings that the thesis ended with.
    seed : int
        Of the sample, the split, the folds and the forests.
    jobs : int
        Threads that grow trees; the result does not depend on it.
    figures : bool
        Also draw Figures 5.4 to 5.6; needs the extra `report`.
    force : bool
        Replace what is there.
    watch, progress : functions, optional
        Called with each step and the engine; with the settings of the grid tried and all of them.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.

    Returns
    -------
    Trained
        A model, its mistakes and its privacy losses for each level.
    """
    for name, size in (("legitimate", legitimate), ("fraudulent", fraudulent)):
        if size < 1:
            raise UsageError("at least one login must be drawn", where=argument(name))
    watching = watch or (lambda step, engine: None)
    names = (*(f"model-{level}.parquet" for level in LEVELS), RESULT, *(_figures() if figures else ()))
    with written_together(Path(output), names, force=force) as hidden:
        watching("drawing logins", None)
        known = None if truth is None else read_truth(truth)
        tables = read_all_features(features), read_reputation(reputation)
        logins = drawn(logs, tables[1], tables[0], (legitimate, fraudulent), seed, truth=known, online=online, options=options)
        watching("training", None)
        found = trained(logins, grid=grid, seed=seed, jobs=jobs, progress=progress)
        _write(found, dict(zip(names, hidden, strict=True)))
    return found


def _figures() -> tuple[str, ...]:
    return tuple(f"figure-5.{number}.svg" for number in (4, 5, 6))


def _write(found: Trained, places: dict[str, Path]) -> None:
    for level, variant in found.variants.items():
        store(variant.model, places[f"model-{level}.parquet"])
    places[RESULT].write_text(json.dumps(finite(found.as_dict()), indent=2) + "\n", encoding="utf-8")
    for name, variant in zip(_figures(), found.variants.values(), strict=True):
        if name in places:
            from sfumato.reporting.charts import chart_image

            places[name].write_bytes(chart_image(importances_chart(variant), ".svg"))
