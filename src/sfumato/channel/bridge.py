"""Three views of one space: what the distribution loss, the entropy loss and the best guesser say of every node, side by side.

L_PD and L_PE are those of the worst class, as their thresholds are defined; the MAP error is that of the best guess about a person, on
average over people. A node looks safe to a view if it is on the right side of the view's threshold. The losses measure what a class
reveals beyond the prior, the error what is left to guess; so some nodes look safe to one and not to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import UsageError
from sfumato.frequency import Mask
from sfumato.losses.comparison import rank_correlation
from sfumato.results import Printed, Rows
from sfumato.search.space import PolicySpace
from sfumato.statistics import TOLERANCE, Floats
from sfumato.upward import above

COLUMNS = ("distribution.max", "entropy.max", "map-error")
HEADS = ("L_PD", "L_PE", "MAP error")


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide(Printed):
    """The nodes of a space in three views. `values` has a column for L_PD, L_PE and the MAP error, `safe` whether a node looks safe to
    each, `thresholds` the largest losses and the least error that do, and `correlation` how the views rank nodes, safest first."""

    nodes: tuple[str, ...]
    values: Floats
    safe: Mask
    thresholds: tuple[float, float, float]
    correlation: Floats

    @property
    def disagree(self) -> Mask:
        """Which nodes look safe to one view and not to another."""
        return np.asarray(self.safe.any(axis=1) & ~self.safe.all(axis=1), bool)

    def rows(self, chosen: Mask | None = None) -> Rows:
        """One row per node, or per chosen node: its values, and to which views it looks safe."""
        places = range(len(self.nodes)) if chosen is None else np.flatnonzero(chosen).tolist()
        found = [(self.nodes[place], *self.values[place].tolist(), _safe_to(self.safe[place])) for place in places]
        return Rows(("node", *HEADS, "looks safe to"), tuple(found))

    def disagreements(self) -> Rows:
        """The nodes on which the views disagree."""
        return self.rows(self.disagree)

    def table(self) -> Rows:
        """How many nodes look safe to which views."""
        patterns, count = np.unique(self.safe, axis=0, return_counts=True)
        order = np.argsort(-count, kind="stable")
        return Rows(("looks safe to", "nodes"), tuple((_safe_to(patterns[each]), int(count[each])) for each in order))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        heads = ("node", "distribution", "entropy", "map_error", "safe_to")
        return {
            "thresholds": dict(zip(heads[1:4], self.thresholds, strict=True)),
            "correlation": self.correlation.tolist(),
            "nodes": [dict(zip(heads, row, strict=True)) for row in self.rows().rows],
            "disagree": [row[0] for row in self.disagreements().rows],
        }

    def plot(self) -> Any:
        """L_PD against the MAP error of every node, those marked on which the views disagree: an altair chart. Needs the extra `report`."""
        return above("SideBySide.plot")(self)


def _safe_to(safe: Mask) -> str:
    if safe.all():
        return "all"
    return ", ".join(head for head, each in zip(HEADS, safe.tolist(), strict=True) if each) or "none"


def side_by_side(
    space: PolicySpace, *, epsilon: float | None = None, alpha: float | None = None, error: float | None = None
) -> SideBySide:
    """What L_PD, L_PE and the MAP error say of every node of a space.

    Parameters
    ----------
    space : PolicySpace
        An explored space.
    epsilon : float, optional
        The largest distribution loss of a node that looks safe; the median over all nodes by default.
    alpha : float, optional
        The largest entropy loss; the median by default.
    error : float, optional
        The least MAP error; the median by default.

    Returns
    -------
    SideBySide
        All nodes, those on which the views disagree, and how the views rank nodes.
    """
    if not space.about.sensitive or not len(space):
        raise UsageError("the space has no losses of a sensitive attribute", where="space")
    values = np.stack([np.asarray(space[name], np.float64) for name in COLUMNS], axis=1)
    given = (epsilon, alpha, error)
    medians = np.median(values, axis=0).tolist()
    stated = tuple(middle if each is None else float(each) for each, middle in zip(given, medians, strict=True))
    risk = values * np.array([1, 1, -1])  # more is worse, for all of them
    safe = risk <= np.array([stated[0], stated[1], -stated[2]]) + TOLERANCE
    nodes = tuple(space.lattice.node(levels).brief() for levels in space.evaluations.levels.tolist())
    return SideBySide(nodes, values, np.asarray(safe, bool), (stated[0], stated[1], stated[2]), rank_correlation(risk))
