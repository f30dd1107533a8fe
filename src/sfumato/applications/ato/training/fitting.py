"""A forest for labelled logins: which settings, found by cross-validation over a grid, and the fit itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from sfumato.applications.ato.forest import Forest, Model
from sfumato.applications.ato.forest.model import Settings
from sfumato.applications.ato.forest.trees import Floats
from sfumato.applications.ato.training.labelled import Bools
from sfumato.errors import UsageError, argument, unknown
from sfumato.progress import Progress

FOLDS = 3
_MOST = 20_000  # logins that a grid is searched with: settings are compared, not forests made
# What the thesis ended with, a grid around it, and the thesis's own: 3,705 settings, each fitted three times.
GRIDS: dict[str, tuple[Sequence[int], Sequence[int], Sequence[int]]] = {
    "none": ((75,), (15,), (8,)),
    "coarse": ((25, 75), (5, 15), (1, 8)),
    "thesis": (range(10, 201, 5), range(10, 101, 5), (1, 2, 4, 8, 16)),
}


def settings_of(grid: str) -> list[Settings]:
    """The settings of a grid, small forests first."""
    if grid not in GRIDS:
        raise UsageError(unknown("grid", grid, GRIDS, within="this version"), where=argument("grid"))
    return [Settings(*each) for each in product(*GRIDS[grid])]


def best_settings(
    rows: Floats, labels: Bools, grid: str, seed: int, *, jobs: int = 1, progress: Progress | None = None
) -> Settings:
    """The settings with the largest mean accuracy over three folds; among equal ones the first."""
    choices = settings_of(grid)
    if len(choices) == 1:
        return choices[0]
    some = np.sort(np.random.default_rng(seed).permutation(len(rows))[:_MOST])
    accuracies = []
    for done, settings in enumerate(choices):
        accuracies.append(_accuracy(rows[some], labels[some], settings, seed, jobs))
        if progress:
            progress(done + 1, len(choices))
    return choices[int(np.argmax(accuracies))]


def _accuracy(rows: Floats, labels: Bools, settings: Settings, seed: int, jobs: int) -> float:
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return float(cross_val_score(_classifier(settings, seed, jobs), rows, labels, cv=folds).mean())


def fitted(
    rows: Floats, labels: Bools, level: str, settings: Settings, seed: int, *, jobs: int = 1, online: bool = False
) -> Model:
    """A model of these logins."""
    classifier = _classifier(settings, seed, jobs).fit(rows, labels)
    importances = tuple(map(float, classifier.feature_importances_))
    return Model(level, Forest.of(classifier), settings, seed, len(rows), float(labels.mean()), importances, online=online)


def _classifier(settings: Settings, seed: int, jobs: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        settings.trees, max_depth=settings.depth, min_samples_leaf=settings.leaf, random_state=seed, n_jobs=jobs
    )
