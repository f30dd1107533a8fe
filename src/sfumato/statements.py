"""Stated beliefs: what an adversary is taken to know about the sensitive attribute given some QID values.

Several statements are combined by minimum discrimination information: starting from the global prior in every class, rows and stated
margins are fitted in turn (iterative proportional fitting) until all hold. Statements that contradict each other never do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, unknown
from sfumato.frequency import FrequencySet

Floats = npt.NDArray[np.float64]
_ROUNDS = 10_000
_CLOSE = 1e-12
_SUM = 1e-9


@dataclass(frozen=True, slots=True)
class Statement:
    """Given the labels in `when`, the shares of some sensitive values; the others keep their proportions."""

    when: Mapping[str, str]
    shares: Mapping[str, float]

    def __post_init__(self) -> None:
        total = sum(self.shares.values())
        if not self.shares or any(not 0 <= share <= 1 for share in self.shares.values()) or total > 1 + _SUM:
            raise UsageError(f"the shares stated {self} must lie between 0 and 1 and add up to at most 1", where="prior")

    def __str__(self) -> str:
        return "for " + (", ".join(f"{name} = {label}" for name, label in self.when.items()) or "everybody")


def fitted(counts: FrequencySet, labels: Sequence[str | None], prior: Floats, statements: Sequence[Statement]) -> Floats:
    """The prior of each class: as near to the global one as the statements allow."""
    sizes = counts.people.astype(np.float64)
    table = np.outer(sizes, prior)
    margins = [_margin(counts, labels, prior, statement) for statement in statements]
    for _ in range(_ROUNDS):
        for members, wanted in margins:
            table[members] *= _scale(wanted * sizes[members].sum(), table[members].sum(axis=0))
        table *= _scale(sizes, table.sum(axis=1))[:, None]
        off = [float(np.abs(table[members].sum(axis=0) / sizes[members].sum() - wanted).max()) for members, wanted in margins]
        if max(off) < _CLOSE:
            return np.asarray(table / sizes[:, None], np.float64)
    wrong = [str(statement) for statement, gap in zip(statements, off, strict=True) if gap >= _CLOSE]
    raise UsageError(f"the stated beliefs contradict each other or the prior: {'; '.join(wrong)}", where="prior")


def _scale(wanted: Floats, found: Floats) -> Floats:
    return np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)


def _margin(
    counts: FrequencySet, labels: Sequence[str | None], prior: Floats, statement: Statement
) -> tuple[npt.NDArray[np.intp], Floats]:
    """The classes that a statement speaks of, and the distribution they must have together."""
    members = np.ones(counts.classes, bool)
    for name, label in statement.when.items():
        if name not in counts.node.attributes:
            raise UsageError(unknown("QID", name, counts.node.attributes, within="the release"), where="prior")
        hierarchy, level = counts.hierarchy(name), counts.node[name]
        known = hierarchy.at(level)
        if label not in known:
            raise UsageError(f"no label {label!r} of {name!r} in the release", where=f"prior, {statement}")
        members &= counts.codes[:, counts.node.attributes.index(name)] == known.index(label)
    if not members.any():
        raise UsageError("no class fits this statement", where=f"prior, {statement}")
    return np.flatnonzero(members), _completed(labels, prior, statement)


def _completed(labels: Sequence[str | None], prior: Floats, statement: Statement) -> Floats:
    """The stated shares, the rest spread over the other values as in the prior."""
    wanted = np.zeros(len(labels))
    stated = np.zeros(len(labels), bool)
    for value, share in statement.shares.items():
        if value not in labels:
            raise UsageError("a value that does not occur", where=f"prior, {statement}")
        wanted[labels.index(value)], stated[labels.index(value)] = share, True
    rest, left = 1 - wanted.sum(), prior[~stated].sum()
    if rest > _SUM and left <= 0:
        raise UsageError("the shares do not add up to one", where=f"prior, {statement}")
    wanted[~stated] = prior[~stated] * (rest / left) if left > 0 else 0
    return wanted
