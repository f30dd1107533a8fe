"""Mondrian: split the table, group by group, as long as every part satisfies every model (LeFevre, DeWitt and Ramakrishnan 2006).

A group is split at the median of a number or a date, or into the children of the hierarchy's node that covers it. All open groups
are split in the same round, each along the best axis that it has not tried; a round costs a few passes over the cells. Nothing is
suppressed. Splitting stops where a model would be violated, which is sound for models that stay satisfied when classes merge. One for a
group is asked of the parts whose labels may stand for its people: splitting only narrows labels, so that what is outside stays outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import FrequencySet, Mask
from sfumato.models import Context, Judged, LocatedMembership, PrivacyModel, Verdict
from sfumato.naming import FEW
from sfumato.progress import Progress
from sfumato.search.mondrian.axes import Places, axes_of, covered_shares
from sfumato.search.mondrian.groups import Splitter, Units, all_units, bounds, counted
from sfumato.search.mondrian.recoding import labelled, recoding_of
from sfumato.search.problem import Problem
from sfumato.statistics import Floats
from sfumato.vocabulary.group import Group
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.recoding import LocalRecoding

RANGE, LOSS = "range", "loss"
BY = (RANGE, LOSS)


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A local recoding that satisfies the models: how many classes it has, its information loss, and how many rounds it took."""

    recoding: LocalRecoding
    classes: int
    loss: float
    rounds: int


@dataclass(frozen=True, slots=True)
class NoRelease:
    """The whole table as one class does not satisfy the models, so that no table made of it does: what they say about it."""

    verdicts: tuple[Verdict, ...]

    def __str__(self) -> str:
        return "; ".join(map(_text, self.verdicts))


class Unfinished(KeyboardInterrupt):
    """The search was stopped between two rounds; `local` is what was split until then, which satisfies the models as well."""

    def __init__(self, local: Local) -> None:
        super().__init__()
        self.local = local


def mondrian(
    problem: Problem,
    *,
    kinds: Mapping[str, Kind],
    strict: bool = True,
    by: str = RANGE,
    seed: int = 0,
    progress: Progress | None = None,
) -> Local | NoRelease:
    """Split a table into as many classes as the models allow.

    `kinds` are the types of the QIDs: numbers and dates are split at the median, others along their hierarchy. `by` chooses the axis:
    the widest normalised range, or the largest gain in information loss. Relaxed (not `strict`) splits may divide a cell. `progress`
    gets how many cells are in classes that are done.
    """
    _require(problem, strict, by)
    # Relaxed splits tell the people of a cell apart by their sensitive value, whatever the models look at.
    problem = problem.narrowed_to([]) if strict else problem
    whole = all_units(problem.counts, strict=strict)
    axes = axes_of(problem.counts, kinds, _few(problem))
    places = np.stack([axis.place_of[codes] for axis, codes in zip(axes, problem.counts.codes.T, strict=True)], axis=1)
    rounds = _Rounds(problem, Splitter(axes, places, strict, seed), by)
    if verdicts := rounds.violated(whole):
        return NoRelease(verdicts)
    return rounds.run(whole, progress)


def _require(problem: Problem, strict: bool, by: str) -> None:
    """Refuse what Mondrian cannot do."""
    counts = problem.counts
    if by not in BY:
        raise UsageError(unknown("way to choose an attribute", by, BY, within="Mondrian"), where="by")
    if problem.limit > 0:
        raise UsageError("Mondrian suppresses nobody; leave the suppression limit at 0", where=argument("suppress"))
    if any(counts.node.levels):
        raise UsageError(
            f"Mondrian splits from level 0, and this search would start at {counts.node}; leave {argument('floor')} out, "
            f"or count more with {argument('cells')}",
            where=argument("floor"),
        )
    if not problem.models:
        raise UsageError("Mondrian needs a model that says when to stop, as in k-anonymity:5", where=argument("models"))
    if not strict:
        _require_divisible(counts)
    for model in problem.models:
        if not problem.prunes(model.core):
            raise UsageError(
                f"{model} may be lost when classes merge, so that it cannot say when to stop here", where=argument("models")
            )


def _require_divisible(counts: FrequencySet) -> None:
    """Refuse to divide cells whose rows cannot be told apart by one sensitive value."""
    if len(counts.payloads) > 1:
        raise UsageError(
            f"relaxed Mondrian divides cells by one sensitive attribute at most; there are {len(counts.payloads)}: be strict",
            where="strict",
        )
    if counts.basis == "owner":
        raise UsageError("relaxed Mondrian cannot divide the rows of owners; be strict", where="strict")


def _few(problem: Problem) -> int:
    """How many people must share a value that a range may end at: the smallest class that a model guarantees, or five."""
    return max((model.smallest_class or 0 for model in problem.models), default=0) or FEW


def _sensitive(problem: Problem) -> bool:
    """Whether some model looks at sensitive values."""
    return any(model.needs_sensitive for model in problem.models)


def _text(verdict: Verdict) -> str:
    of = f" of {verdict.sensitive!r}" if verdict.sensitive else ""
    if verdict.value is None:
        return f"{verdict.model}{of} is not satisfied by the whole table as one class: {verdict.reason}"
    bound = f"{verdict.direction.replace('_', ' ')} {verdict.threshold:g}"
    return f"{verdict.model}{of} is not satisfied by the whole table as one class: {verdict.value:g}, which should be {bound}"


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """Open groups: their units, bounds on every axis, the axes to try in order, how many of these, and how many were tried."""

    units: Units
    low: Places
    high: Places
    order: Places
    choices: Places
    tried: Places

    def only(self, chosen: Mask) -> _Open:
        """Some of the groups, renumbered."""
        units = self.units.only(chosen[self.units.group])
        number = np.cumsum(chosen) - 1
        columns = (getattr(self, name)[chosen] for name in ("low", "high", "order", "choices", "tried"))
        return _Open(replace(units, group=number[units.group]), *columns)

    def with_others(self, other: _Open) -> _Open:
        """Both, the other ones numbered after."""
        moved = replace(other.units, group=other.units.group + len(self.tried))
        columns = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("low", "high", "order", "choices", "tried")
        )
        return _Open(Units.joined([self.units, moved]), *columns)


class _Rounds:
    """One run: what is open is split round by round, what cannot be split is done."""

    def __init__(self, problem: Problem, splitter: Splitter, by: str) -> None:
        self.problem, self.splitter, self.by = problem, splitter, by
        self.sensitive = _sensitive(problem)

    def violated(self, whole: Units) -> tuple[Verdict, ...]:
        """What the models that the whole table does not satisfy say of it; refuses models that have no say about classes."""
        verdicts = []
        for model, judged in self._judged(whole):
            if not model.parts(judged):
                raise UsageError(
                    f"{model} says nothing of each class by itself here; Mondrian needs models that do", where=argument("models")
                )
            verdicts.append(model.judge(judged))
        return tuple(verdict for verdict in verdicts if verdict.satisfied is not True)

    def run(self, whole: Units, progress: Progress | None) -> Local:
        done: list[Units] = []
        groups, rounds = self._fresh(whole), 0
        while True:
            ended = groups.tried >= groups.choices
            done.append(groups.only(ended).units)
            groups = groups.only(~ended)
            if not len(groups.tried):
                return self._ended(_all(done), rounds)
            if progress:
                try:
                    progress(sum(map(len, done)), len(whole))
                except KeyboardInterrupt:
                    raise Unfinished(self._ended(_all([*done, groups.units]), rounds)) from None
            groups = self._round(groups)
            rounds += 1

    def _ended(self, units: Units, rounds: int) -> Local:
        recoding, loss = recoding_of(self.problem.counts, self.splitter.axes, self.splitter.places, units)
        return Local(recoding, len(recoding.classes), loss, rounds)

    def _round(self, groups: _Open) -> _Open:
        """Split every group along its next axis; a group with a part that violates a model stays, with one axis tried."""
        axis_of = groups.order[np.arange(len(groups.tried)), groups.tried]
        parts, parent = self.splitter.split(groups.units, axis_of, groups.low, groups.high)
        failed = np.zeros(len(groups.tried), bool)
        failed[parent[self._broken(parts)]] = True
        split = ~failed[parent]
        number = np.cumsum(split) - 1
        fresh = parts.only(split[parts.group])
        stays = groups.only(failed)
        stays = replace(stays, tried=stays.tried + 1)
        return stays.with_others(self._fresh(replace(fresh, group=number[fresh.group]))) if len(fresh) else stays

    def _broken(self, parts: Units) -> Mask:
        """Which parts violate a model."""
        broken = np.zeros(parts.groups, bool)
        for model, judged in self._judged(parts):
            for part in model.parts(judged):
                broken |= part.broken()
        return broken

    def _judged(self, parts: Units) -> list[tuple[PrivacyModel, Judged]]:
        """Every model with what it looks at."""
        problem, counts = self.problem, counted(self.problem.counts, parts, sensitive=self.sensitive)
        statistics = problem.statistics(counts) if counts.payloads else {}
        # People of a larger table are known for the classes of a node, not for groups.
        members = LocatedMembership(problem.context, lambda group: self._inside(parts, group))
        context = Context(members)
        return [(model, Judged(counts, statistics.get(sensitive or ""), context)) for model, sensitive in problem.asked()]

    def _inside(self, parts: Units, group: Group) -> Mask:
        """Which parts may hold people of a group, by the labels that they would have."""
        low, high = bounds(self.splitter.places, parts)
        inside = np.ones(parts.groups, bool)
        for place, name in enumerate(self.problem.counts.node.attributes):
            for wanted in (label for own, label in group.labels if own == name):
                labels, codes = labelled(self.splitter.axes[place], low[:, place], high[:, place])
                inside &= self.problem.context.membership.labels(name, wanted, labels)[codes]
        return inside

    def _fresh(self, units: Units) -> _Open:
        """New groups with the order in which their axes are tried: best first, equal ones as in the schema."""
        low, high = bounds(self.splitter.places, units)
        splits = low < high
        score = self._gains(units, low, high) if self.by == LOSS else self._widths(low, high)
        order = np.argsort(np.where(splits, -score, np.inf), axis=1, kind="stable")
        choices = splits.sum(axis=1)
        return _Open(units, low, high, order, choices, np.zeros_like(choices))

    def _widths(self, low: Places, high: Places) -> Floats:
        first, last = self.splitter.places.min(axis=0), self.splitter.places.max(axis=0)
        axes = enumerate(self.splitter.axes)
        widths = [axis.widths(low[:, j], high[:, j], (int(first[j]), int(last[j]))) for j, axis in axes]
        return np.stack(widths, axis=1)

    def _gains(self, units: Units, low: Places, high: Places) -> Floats:
        """[group, axis]: by how much splitting lowers the sum over people and QIDs of the shares that labels cover."""
        sizes = np.bincount(units.group, units.people, units.groups)
        before = sizes * covered_shares(self.splitter.axes, low, high).sum(axis=1)
        gains = np.full(low.shape, -np.inf)
        for number in range(len(self.splitter.axes)):
            splits = low[:, number] < high[:, number]
            if splits.any():
                chosen = units.only(splits[units.group])
                axis_of = np.full(len(splits), number)
                parts, parent = self.splitter.split(chosen, axis_of, low, high)
                shares = covered_shares(self.splitter.axes, *bounds(self.splitter.places, parts)).sum(axis=1)
                people = np.bincount(parts.group, parts.people, parts.groups)
                after = np.bincount(parent, shares * people, len(splits))
                gains[splits, number] = (before - after)[splits]
        return gains


def _all(parts: list[Units]) -> Units:
    """Units of several lists of groups, numbered one after the other."""
    offsets = np.cumsum([0, *(part.groups for part in parts)])
    return Units.joined([replace(part, group=part.group + offset) for part, offset in zip(parts, offsets, strict=False)])
