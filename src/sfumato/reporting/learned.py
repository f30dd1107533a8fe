"""What was learned from releases, for the report: what `sfumato learn --json` prints, or the value that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from sfumato.inputs.shape import Count, Number
from sfumato.reporting.printed import printed


class _Loss(TypedDict):
    value: Number
    low: Number | None
    high: Number | None


class _Score(TypedDict):
    accuracy: Number
    baseline: Number


class _Ends(TypedDict):
    max: Number
    people_mean: Number


class _Privacy(TypedDict):
    distribution: _Ends
    entropy: _Ends


class _Release(TypedDict):
    release: str
    loss: _Loss
    released: _Score
    privacy: _Privacy | None


class _Learned(TypedDict):
    target: str
    estimator: str
    repeats: Count
    seed: Count
    original: _Score
    releases: list[_Release]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A release that a model was trained on: privacy losses of the worst class (None where nothing is sensitive), accuracies, loss."""

    release: str
    epsilon: float | None
    alpha: float | None
    accuracy: float
    majority: float
    loss: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Learning:
    """What a model lost on each release. `accuracy` is that on the original."""

    target: str
    estimator: str
    repeats: int
    seed: int
    accuracy: float
    majority: float
    lessons: tuple[Lesson, ...]


def learning_of(given: Any) -> Learning:
    """From the file that `sfumato learn --json` printed, a dict like it, or a result of `sfumato.learn`."""
    found: _Learned = printed(given, _Learned, "learned", "sfumato learn")
    score = found["original"]
    lessons = tuple(map(_lesson, found["releases"]))
    plan = (found["target"], found["estimator"], found["repeats"], found["seed"])
    return Learning(*plan, score["accuracy"], score["baseline"], lessons)


def _lesson(each: _Release) -> Lesson:
    loss, score, privacy = each["loss"], each["released"], each["privacy"]
    epsilon, alpha = (None, None) if privacy is None else (privacy["distribution"]["max"], privacy["entropy"]["max"])
    found = (score["accuracy"], score["baseline"], loss["value"], loss["low"], loss["high"])
    return Lesson(each["release"], epsilon, alpha, *found)
