"""Stated beliefs: what an adversary is assumed to know about the sensitive attribute given some QID values.

Several statements are combined by minimum discrimination information: starting from the global prior in every class, rows and stated
margins are fitted in turn (iterative proportional fitting) until all of them hold. Statements that contradict each other never do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import FrequencySet
from sfumato.statistics import TOLERANCE, Floats

_ROUNDS = 20_000
# The gap is measured once in this many rounds; below _CONVERGED the statements hold.
_CHECK_EVERY = 50
_CONVERGED = 1e-12
# Between two checks the largest gap must shrink at least by this factor; otherwise the statements cannot all hold.
_PROGRESS = 0.999


@dataclass(frozen=True, slots=True)
class Statement:
    """The shares of some sensitive values among people with the labels in `when`; it states nothing about the other values."""

    when: Mapping[str, str]
    shares: Mapping[str, float]

    def __post_init__(self) -> None:
        if not all(isinstance(share, int | float) for share in self.shares.values()):
            raise UsageError("the shares of a stated belief must be numbers", where=argument("prior"))
        total = sum(self.shares.values())
        if not self.shares or any(not 0 <= share <= 1 for share in self.shares.values()) or total > 1 + TOLERANCE:
            raise UsageError(
                f"the shares stated {self} must lie between 0 and 1 and add up to at most 1", where=argument("prior")
            )

    def __str__(self) -> str:
        return "for " + (", ".join(f"{name} = {label}" for name, label in self.when.items()) or "everybody")


@dataclass(frozen=True, slots=True, eq=False)
class _Margin:
    """The classes that a statement is about, and the shares it states, by the places of the values."""

    members: npt.NDArray[np.intp]
    places: npt.NDArray[np.intp]
    shares: Floats

    def fit(self, table: Floats, people: float) -> None:
        """Scale each stated value to its share, and all other values together to the rest."""
        part = table[self.members]
        others = np.ones(part.shape[1], bool)
        others[self.places] = False
        part[:, self.places] *= _scale(self.shares * people, part[:, self.places].sum(axis=0))
        part[:, others] *= _scale(np.array([(1 - self.shares.sum()) * people]), np.array([part[:, others].sum()]))
        table[self.members] = part

    def gap(self, table: Floats, people: float) -> float:
        """The largest difference from a stated share, the rest included."""
        actual = table[self.members][:, self.places].sum(axis=0) / people
        rest = 1 - table[self.members].sum() / people + actual.sum() - self.shares.sum()
        return float(max(np.abs(actual - self.shares).max(), abs(rest)))


def fit_priors(counts: FrequencySet, labels: Sequence[str | None], prior: Floats, statements: Sequence[Statement]) -> Floats:
    """The prior of each class: as close to the global prior as the statements allow. Statements about everybody change all classes
    alike: then there is one row for all."""
    sizes = counts.people.astype(np.float64)
    margins = [_margin(counts, labels, prior, statement) for statement in statements]
    if not any(statement.when for statement in statements):
        sizes, margins = sizes.sum(keepdims=True), [replace(margin, members=np.zeros(1, np.intp)) for margin in margins]
    table = _fit(sizes, prior, margins)
    if table is None:
        raise UsageError(
            f"these stated beliefs contradict each other: {_contradicting(sizes, prior, statements, margins)}",
            where=argument("prior"),
        )
    return np.asarray(table / sizes[:, None], np.float64)


def _fit(sizes: Floats, prior: Floats, margins: Sequence[_Margin]) -> Floats | None:
    """Fit rows and margins in turn until all hold; None if they stop converging."""
    table = np.outer(sizes, prior)
    before = np.inf
    for turn in range(_ROUNDS):
        for margin in margins:
            margin.fit(table, float(sizes[margin.members].sum()))
        table *= _scale(sizes, table.sum(axis=1))[:, None]
        if turn % _CHECK_EVERY == 0:
            gap = max(margin.gap(table, float(sizes[margin.members].sum())) for margin in margins)
            if gap < _CONVERGED:
                return table
            if gap > before * _PROGRESS:
                return None
            before = gap
    return None


def _contradicting(sizes: Floats, prior: Floats, statements: Sequence[Statement], margins: Sequence[_Margin]) -> str:
    """A minimal set of statements that contradict each other, by number."""
    left = list(range(len(margins)))
    for place in range(len(margins)):
        rest = [each for each in left if each != place]
        if rest and _fit(sizes, prior, [margins[each] for each in rest]) is None:
            left = rest
    return "; ".join(f"{place + 1} ({statements[place]})" for place in left)


def _scale(wanted: Floats, actual: Floats) -> Floats:
    return np.divide(wanted, actual, out=np.zeros_like(actual), where=actual > 0)


def _margin(counts: FrequencySet, labels: Sequence[str | None], prior: Floats, statement: Statement) -> _Margin:
    """The classes that a statement is about, and the shares it states for them."""
    members = np.ones(counts.classes, bool)
    for name, label in statement.when.items():
        if name not in counts.node.attributes:
            raise UsageError(unknown("QID", name, counts.node.attributes, within="the release"), where=argument("prior"))
        hierarchy, level = counts.hierarchy(name), counts.node[name]
        known = hierarchy.at(level)
        if label not in known:
            raise UsageError(f"no label {label!r} of {name!r} in the release", where=f"{argument('prior')}, {statement}")
        members &= counts.codes[:, counts.node.attributes.index(name)] == known.index(label)
    if not members.any():
        raise UsageError("no class has these labels", where=f"{argument('prior')}, {statement}")
    if any(value not in labels for value in statement.shares):
        raise UsageError("it states a value that does not occur", where=f"{argument('prior')}, {statement}")
    places = np.array([labels.index(value) for value in statement.shares], np.intp)
    shares = np.array(list(statement.shares.values()), np.float64)
    _require_total(prior, places, shares, statement)
    return _Margin(np.flatnonzero(members), places, shares)


def _require_total(prior: Floats, places: npt.NDArray[np.intp], shares: Floats, statement: Statement) -> None:
    """Refuse shares that cover all values and do not add up to one."""
    others = np.delete(prior, places).sum()
    if 1 - shares.sum() > TOLERANCE and others <= 0:
        raise UsageError("the shares cover all values but do not add up to one", where=f"{argument('prior')}, {statement}")
