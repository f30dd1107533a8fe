"""Other thresholds than a space was explored with: the value of a model at a node answers for all of them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet, Mask
from sfumato.models import Judged, PrivacyModel, models_of
from sfumato.models.base import AT_LEAST, TOLERANCE
from sfumato.search.evaluation import Array, Criterion, Fact, Judgments
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.search.space.bounds import bounds_of
from sfumato.search.space.policies import PolicySpace


def top_of(problem: Problem) -> Problem:
    """The problem at the root of its lattice, where a model says how it compares: with which threshold, and on which side."""
    lattice = Lattice.of(problem.counts)
    return replace(problem, counts=problem.counts.roll_up(lattice.node(lattice.heights)))


def under(space: PolicySpace, models: tuple[PrivacyModel, ...], top: Problem) -> PolicySpace:
    """A space as if it had been explored with other models; refuses those that its nodes do not know.

    Parameters
    ----------
    space : PolicySpace
        The space as it was explored.
    models : tuple of PrivacyModel
        What must hold instead.
    top : Problem
        The problem of the space at the root, see `top_of`.
    """
    about = replace(space.about, models=tuple(map(str, models)))
    if set(about.models) == set(space.about.models):
        return space
    if space.about.limit:
        raise UsageError(
            f"explored with suppression, a space answers for {', '.join(space.about.models) or 'no model'} only; explore again",
            where=argument("models"),
        )
    verdicts: dict[Criterion, Judgments] = {}
    feasible = np.ones(len(space), bool)
    for model in models:
        for criterion, judgments in _judgments(model, space, top).items():
            verdicts[criterion] = judgments
            feasible &= judgments.satisfied
    columns = {**space.evaluations.columns, Fact.FEASIBLE: feasible}
    return replace(space, evaluations=replace(space.evaluations, columns=columns, verdicts=verdicts), about=about)


def _judgments(model: PrivacyModel, space: PolicySpace, top: Problem) -> dict[Criterion, Judgments]:
    nodes, about = space.evaluations, space.about
    names: tuple[str | None, ...] = (None, *about.sensitive)
    if like := _alike(model, models_of(about.models)):
        known = {name: nodes.verdicts[each] for name in names if (each := Criterion(str(like), name)) in nodes.verdicts}
        asked = {name: name or _only(model, about.sensitive) for name in known}
        return {
            Criterion(str(model), name): Judgments(each.value, _satisfied(model, each.value, asked[name], top))
            for name, each in known.items()
        }
    bounds = bounds_of(model, nodes, about.sensitive, about.distance, suppression=False)
    # A model that bounds several columns has one value; the first is shown, all must hold.
    satisfied = np.logical_and.reduce([bound.satisfied for bound in bounds])
    return {Criterion(str(model)): Judgments(np.asarray(bounds[0].value, np.float64), satisfied)}


def _only(model: PrivacyModel, sensitive: tuple[str, ...]) -> str | None:
    return sensitive[0] if model.needs_sensitive and sensitive else None


def _alike(model: PrivacyModel, explored: tuple[PrivacyModel, ...]) -> PrivacyModel | None:
    """A model that was explored and has the same value at every node: the same one, or one that differs in what it is compared with."""
    for each in explored:
        if str(each) == str(model) or (type(each) is type(model) and model.compared and _same_but(model.compared, each, model)):
            return each
    return None


def _same_but(compared: str, one: PrivacyModel, other: PrivacyModel) -> bool:
    names = [each.name for each in fields(one) if each.name != compared]  # type: ignore[arg-type]
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _satisfied(model: PrivacyModel, values: Array, sensitive: str | None, top: Problem) -> Mask:
    """Which values satisfy a model, compared as it compares the root's."""
    counts: FrequencySet = top.counts
    judged = Judged(counts, top.statistics(counts).get(sensitive or ""), top.context_of(counts))
    parts = model.parts(judged)
    if len(parts) == 1:
        return parts[0].satisfied_by(values)
    verdict = model.judge(judged)
    if verdict.direction == AT_LEAST:
        return np.asarray(values >= verdict.threshold - TOLERANCE)
    return np.asarray(values <= verdict.threshold + TOLERANCE)
