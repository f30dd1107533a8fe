"""What a release costs those who learn from it: a model is trained on the original and on each release, and tested (Algorithm 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

from sfumato.commit.call import one_call
from sfumato.errors import UsageError, argument
from sfumato.learn.estimators import require_estimator
from sfumato.learn.original import Original, original_of
from sfumato.learn.plan import Plan
from sfumato.learn.releases import Released, disclosed_by, lesson_of, lesson_of_original, released_of
from sfumato.learn.results import Disclosure, UtilityLoss, UtilityLosses
from sfumato.learn.scores import Score
from sfumato.learn.store import Store, Taught
from sfumato.learn.training import Lesson, Repeat, Split, splits_of, taught, workers
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import Question
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, names_of
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened

MOST_JOBS = 256


class PlanOptions(TypedDict, total=False):
    """The fields of `Plan` that the verbs of this room take as keyword arguments."""

    estimator: Any
    grid: Mapping[str, Sequence[Any]] | None
    features: Sequence[str] | str | None
    positive: str | None
    repeats: int
    folds: int
    seed: int


class LearnOptions(SourceOptions, JudgingOptions, PlanOptions, total=False):
    """What the verbs of this room take besides."""


PLAN_OPTIONS = tuple(PlanOptions.__annotations__)


@dataclass(frozen=True, slots=True)
class Running:
    """How the work is done, which changes no digit of it: how many at once, where results are kept, whom to tell."""

    jobs: int = 1
    results: Path | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if isinstance(self.jobs, bool) or not isinstance(self.jobs, int) or not 1 <= self.jobs <= MOST_JOBS:
            raise UsageError(f"a whole number from 1 to {MOST_JOBS}", where=argument("jobs"))


def utility_loss(
    original: Any, release: Any, *, target: str, schema: SchemaLike | None = None, jobs: int = 1, **options: Unpack[LearnOptions]
) -> UtilityLoss:
    """How much worse a model does that was trained on a release: L_Ux = (A_max - A_x) / A_max.

    Parameters
    ----------
    original : path, pandas or polars frame, Arrow table, Source, Table
        The table that was, or would be, released.
    release : node, Release, Anonymized, path, frame, Arrow table
        A level for each QID (`[2,1]`), a release, or a published file, whoever made it.
    target : str
        The column to predict.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    jobs : int
        How many models are trained at once.
    **options
        `estimator`: `random-forest`, `logistic-regression`, `nearest-neighbors`, `gradient-boosting`, `naive-bayes`, or a classifier of
        scikit-learn. `grid`: its settings to search. `features`: the columns to learn from, all that are published by default.
        `positive`: the value whose precision and recall are given, by default the rarer of two. `repeats`, `folds`, `seed`: how rows
        are divided. And the fields of `Source` and `Question`: `models` and `suppress` say who leaves at a node.

    Returns
    -------
    UtilityLoss
        Accuracies, precision, recall, confusion matrices, the loss with its confidence interval, and what the release discloses.
    """
    return utility_losses(original, [release], target=target, schema=schema, jobs=jobs, **options).releases[0]


@one_call()
def utility_losses(
    original: Any,
    releases: Iterable[Any],
    *,
    target: str,
    schema: SchemaLike | None = None,
    jobs: int = 1,
    results: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[LearnOptions],
) -> UtilityLosses:
    """The utility losses of several releases, all learned with the same splits, beside their privacy losses.

    Parameters
    ----------
    original : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    releases : list
        Nodes, releases and published files, as `utility_loss` takes them.
    target : str
        The column to predict.
    schema : Schema, path or dict, optional
        What each column is.
    jobs : int
        How many models are trained at once.
    results : path, optional
        A folder in which the result of every release is kept: a run that was stopped goes on from there.
    progress : callable, optional
        Called with the models trained and all models.
    **options
        As those of `utility_loss`.

    Returns
    -------
    UtilityLosses
        One result per release, in their order.
    """
    source, asked, planned = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS, PLAN_OPTIONS)
    question, plan = Question(**asked), plan_of(target, planned)
    running = Running(jobs, None if results is None else Path(results), progress)
    with opened(original, schema, source) as table:
        return learned_by(table, list(releases), question, plan, running)


def plan_of(target: str, options: Mapping[str, Any]) -> Plan:
    """A plan from keyword arguments; refuses a model that cannot be."""
    plan = Plan(target, **{**options, "features": names_of(options.get("features"), "features")})
    require_estimator(plan)
    return plan


def learned_by(table: Table, given: Sequence[Any], question: Question, plan: Plan, running: Running) -> UtilityLosses:
    """Learn from the original and from every release of an open table."""
    if not given:
        raise UsageError("name at least one release: a node, or a published file", where="learn")
    original = original_of(table, plan)
    positive = _positive(original, plan)
    releases = [released_of(each, table, question) for each in given]
    lessons = [lesson_of_original(original), *(lesson_of(each, original, table, question, plan) for each in releases)]
    # What cannot be divided or judged is known before the work.
    splits = [splits_of(lesson, plan) for lesson in lessons]
    disclosed = [disclosed_by(each, table, question) for each in releases]
    first, *found = _all_taught(lessons, splits, Store.of(running.results, plan), plan, running)
    best = _score([(each.released, each.released_majority) for each in first.repeats], positive)
    each = [_loss(*one, original.values, best) for one in zip(releases, found, disclosed, strict=True)]
    return UtilityLosses(plan.target, original.values, plan.as_dict(), best, tuple(each))


def _positive(original: Original, plan: Plan) -> int | None:
    """The place of the value that counts as positive: the one named, else the rarer of two."""
    if plan.positive is not None:
        if plan.positive not in original.values:
            raise UsageError(
                f"no row has {plan.positive!r} as the value of {plan.target!r}; leave it out, and the result lists the values",
                where=argument("positive"),
            )
        return original.values.index(plan.positive)
    return int(original.counts().argmin()) if len(original.values) == 2 else None


def _all_taught(
    lessons: Sequence[Lesson], splits: Sequence[Sequence[Split]], store: Store, plan: Plan, running: Running
) -> list[Taught]:
    """Every repeat of every lesson that no earlier run has left, several at once. A result is kept when its last repeat is done. Lessons
    with the same rows, such as the original and a release at level 0, are taught once."""
    same: dict[str, int] = {}
    first = [same.setdefault(lesson.digest(), place) for place, lesson in enumerate(lessons)]
    found = {place: kept for place in same.values() if (kept := store.get(lessons[place])) is not None}
    parts: dict[int, dict[int, Repeat]] = {place: {} for place in same.values() if place not in found}
    done, whole = len(found) * plan.repeats, len(same) * plan.repeats
    if done and running.progress:
        running.progress(done, whole)
    work = [(place, number) for place in parts for number in range(plan.repeats)]
    for (place, number), repeat in _repeats(work, lessons, splits, plan, running.jobs):
        parts[place][number] = repeat
        done += 1
        if len(parts[place]) == plan.repeats:
            found[place] = Taught(lessons[place].rows, tuple(parts[place][each] for each in range(plan.repeats)))
            store.put(lessons[place], found[place])
        if running.progress:
            running.progress(done, whole)
    return [found[place] for place in first]


def _repeats(
    work: Sequence[tuple[int, int]], lessons: Sequence[Lesson], splits: Sequence[Sequence[Split]], plan: Plan, jobs: int
) -> Iterator[tuple[tuple[int, int], Repeat]]:
    """Each repeat of a lesson as it is done. Threads suffice: the loops of the models run outside Python's lock."""
    with workers(jobs) as pool:
        waiting = {
            pool.submit(taught, lessons[place], splits[place][number], plan, number): (place, number) for place, number in work
        }
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def _loss(released: Released, taught: Taught, disclosure: Disclosure | None, values: tuple[str, ...], best: Score) -> UtilityLoss:
    """The result of one release."""
    mapped = [(each.mapped, each.mapped_majority) for each in taught.repeats if each.mapped is not None]
    return UtilityLoss(
        name=released.name,
        node=None if released.node is None else released.node.as_dict(),
        rows=taught.rows,
        values=values,
        best=best,
        released=_score([(each.released, each.released_majority) for each in taught.repeats], best.positive),
        mapped=_score(mapped, best.positive) if mapped else None,
        settings=tuple(each.settings for each in taught.repeats),
        disclosure=disclosure,
    )


def _score(repeats: Sequence[tuple[Any, int | None]], positive: int | None) -> Score:
    return Score(tuple(matrix for matrix, _ in repeats), tuple(hits or 0 for _, hits in repeats), positive)
