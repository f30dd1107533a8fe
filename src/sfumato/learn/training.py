"""Train a model on the rows of a release and test it: one repeat.

The rows of every release are divided as those of the original are, by a seeded split that is stratified by the target. The settings of the
model are searched on the training rows alone.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from sfumato.errors import DataError, SfumatoError, raise_alone, several
from sfumato.frequency import Mask
from sfumato.learn.columns import Features
from sfumato.learn.estimators import MODEL, pipeline_of, searched_with
from sfumato.learn.plan import TEST, Plan
from sfumato.learn.scores import Matrix
from sfumato.vocabulary.hierarchy import Codes

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What there is to learn from: features and target of each row, which rows the release keeps (the others are suppressed), and into
    how many values the target falls. `aligned`: row by row the original's."""

    name: str
    features: Features
    target: Codes
    values: int
    kept: Mask | None = None
    aligned: bool = True

    @property
    def rows(self) -> int:
        """How many rows the release has."""
        return len(self.target) if self.kept is None else int(np.count_nonzero(self.kept))

    def digest(self) -> str:
        """SHA-256 of all that a model gets to learn from."""
        shape = (*self.features.matrix.shape, self.features.categories, self.values, self.aligned)
        whole = hashlib.sha256(repr(shape).encode())
        for array in (self.features.matrix, self.target, np.empty(0) if self.kept is None else self.kept):
            whole.update(np.ascontiguousarray(array).tobytes())
        return whole.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Where the training rows and the test rows of one repeat are, of those that the release keeps; `test` has the suppressed, too."""

    train: Places
    released: Places
    test: Places

    @classmethod
    def of(cls, train: Places, test: Places, kept: Mask) -> Split:
        return cls(np.sort(train[kept[train]]), np.sort(test[kept[test]]), np.sort(test))


@dataclass(frozen=True, slots=True)
class Repeat:
    """One repeat: what the model said of the released test rows and, where rows are aligned, of all of the original's mapped up; how often
    the majority is right on each; and the settings that the search chose."""

    released: Matrix
    released_majority: int
    mapped: Matrix | None
    mapped_majority: int | None
    settings: tuple[tuple[str, str], ...]


def splits_of(lesson: Lesson, plan: Plan) -> list[Split]:
    """Training rows and test rows of every repeat, of those that the release keeps. Refuses a release with too little left of the rows.

    The only row of its value, of which a foreign release may have some, is for training.
    """
    target, kept = lesson.target, np.ones(len(lesson.target), bool) if lesson.kept is None else lesson.kept
    counts = np.bincount(target, minlength=lesson.values)
    lone, divided = np.flatnonzero(counts[target] == 1), np.flatnonzero(counts[target] > 1)
    if not len(divided) or -(-len(divided) // TEST) < np.count_nonzero(counts > 1):  # a row of every value is tested
        raise _too_few(lesson, len(target) - len(target) // TEST, len(target) // TEST, plan)
    splitter = StratifiedShuffleSplit(plan.repeats, test_size=1 / TEST, random_state=plan.seed)
    found = []
    for train, test in splitter.split(np.zeros(len(divided)), target[divided]):
        split = Split.of(np.append(divided[train], lone), divided[test], kept)
        _require_enough(lesson, split, plan)
        found.append(split)
    return found


def taught(lesson: Lesson, split: Split, plan: Plan, number: int) -> Repeat:
    """Search, train and test once."""
    train, released, test = split.train, split.released, split.test
    model, chosen = _searched(lesson, train, plan, plan.seed + number)
    majority = int(np.bincount(lesson.target[train], minlength=lesson.values).argmax())
    first = _tested(model, lesson, released)
    settings = tuple((name.removeprefix(f"{MODEL}__"), str(value)) for name, value in sorted(chosen.items()))
    hits = int((lesson.target[released] == majority).sum())
    if not lesson.aligned:
        return Repeat(first, hits, None, None, settings)
    whole = first if len(released) == len(test) else _tested(model, lesson, test)
    return Repeat(first, hits, whole, int((lesson.target[test] == majority).sum()), settings)


@contextmanager
def workers(jobs: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that train models. Each model works in one thread, for one order of sums, and without warnings: those of libraries may quote
    values. OpenMP limits each thread by itself, so every worker sets its own limit."""
    with (
        warnings.catch_warnings(),
        threadpool_limits(1),
        ThreadPoolExecutor(jobs, initializer=threadpool_limits, initargs=(1,)) as pool,
    ):
        warnings.simplefilter("ignore")
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _searched(lesson: Lesson, train: Places, plan: Plan, seed: int) -> tuple[Any, Mapping[str, Any]]:
    """The model with the best settings, trained on all training rows, and the settings."""
    pipeline, grid = pipeline_of(plan, lesson.features, seed)
    folds = StratifiedKFold(plan.folds, shuffle=True, random_state=seed)
    search = GridSearchCV(searched_with(plan, pipeline), grid, scoring="accuracy", cv=folds, error_score="raise", refit=False)
    rows, target = lesson.features.matrix[train], lesson.target[train]
    try:
        settings = search.fit(rows, target).best_params_
        return pipeline.set_params(**settings).fit(rows, target), settings
    except SfumatoError:
        raise
    except Exception as error:  # whatever a model of the user's raises: its message may quote values
        raise_alone(DataError(f"the estimator cannot learn from it ({type(error).__name__})", where=lesson.name))


def _tested(model: Any, lesson: Lesson, rows: Places) -> Matrix:
    said = model.predict(lesson.features.matrix[rows])
    matrix = confusion_matrix(lesson.target[rows], said, labels=np.arange(lesson.values))
    return tuple(tuple(row) for row in matrix.tolist())


def _require_enough(lesson: Lesson, split: Split, plan: Plan) -> None:
    """Refuse a release with too little left of the rows: every fold must train on two values."""
    counts = np.bincount(lesson.target[split.train], minlength=lesson.values)
    if np.count_nonzero(counts > 1) < 2 or counts.max() < plan.folds or not len(split.released):
        raise _too_few(lesson, len(split.train), len(split.released), plan)


def _too_few(lesson: Lesson, train: int, test: int, plan: Plan) -> DataError:
    return DataError(
        f"{several(train, 'row')} for training and {several(test, 'row')} for testing are too few for {plan.folds} folds "
        f"that each need two values of the target",
        where=lesson.name,
    )
