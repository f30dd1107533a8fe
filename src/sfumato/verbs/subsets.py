"""Which QIDs to release at all: for every subset of them, the best node that withholds the others and satisfies the models.

A withheld QID is one at the top of its hierarchy, so every subset is a part of the one lattice and all of them are one look at the
policy space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, unknown
from sfumato.question.priors import Stated
from sfumato.question.question import Asked, Models, Share, loss_to_minimize, problem_of
from sfumato.results import Printed, Rows
from sfumato.search.outcome import best_of
from sfumato.search.problem import Loops
from sfumato.search.space import Point, PolicySpace
from sfumato.verbs.explore import Progress, explored, opened
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Subset:
    """Some QIDs: the nodes that release exactly these, how many of them are feasible, and the best one."""

    quasi: tuple[str, ...]
    nodes: int
    feasible: int
    best: Point | None

    def levels(self) -> dict[str, int] | None:
        """The levels of the released QIDs at the best node."""
        return None if self.best is None else {name: self.best.node[name] for name in self.quasi}


@dataclass(frozen=True, slots=True, eq=False)
class Subsets(Printed):
    """Every subset of the QIDs, the smallest first, and in the order of the schema."""

    models: tuple[str, ...]
    minimize: str
    people: int
    subsets: tuple[Subset, ...]

    @property
    def best(self) -> Subset | None:
        """The subset with the least loss; among equal ones the smallest."""
        found = [subset for subset in self.subsets if subset.best is not None]
        return min(found, key=self.loss_of, default=None)

    def loss_of(self, subset: Subset) -> float:
        """The least loss of a feasible subset."""
        return float("inf") if subset.best is None else float(subset.best[self.minimize])

    def leading(self) -> list[Subset]:
        """The best subset of each size; sizes of which none is feasible are left out."""
        sizes = sorted({len(subset.quasi) for subset in self.subsets})
        each = [[s for s in self.subsets if len(s.quasi) == size and s.best is not None] for size in sizes]
        return [min(found, key=self.loss_of) for found in each if found]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        best = self.best
        return {
            "status": "infeasible" if best is None else "found",
            "models": list(self.models),
            "minimize": self.minimize,
            "people": self.people,
            "best": None if best is None else self._told(best),
            "subsets": [self._told(subset) for subset in self.subsets],
        }

    def _told(self, subset: Subset) -> dict[str, Any]:
        told: dict[str, Any] = {"quasi": list(subset.quasi), "nodes": subset.nodes, "feasible": subset.feasible}
        if subset.best is None:
            return told | {"node": None, "loss": None, "classes": None, "suppressed": None}
        counted = {name: int(subset.best[name]) for name in ("classes", "smallest", "suppressed")}
        return told | {"node": subset.levels(), "loss": self.loss_of(subset)} | counted

    def table(self) -> Rows:
        """The best subset of each size."""
        heads = ("QIDs", "released at levels", "loss", "classes", "smallest", "suppressed", "feasible")
        return Rows(heads, tuple(self._row(subset) for subset in self.leading()))

    def _row(self, subset: Subset) -> tuple[Any, ...]:
        best, levels = subset.best, subset.levels()
        if best is None or levels is None:
            return len(subset.quasi), "", None, None, None, None, 0
        told = ", ".join(f"{name}={level}" for name, level in levels.items()) or "(none)"
        counted = (int(best[name]) for name in ("classes", "smallest", "suppressed"))
        return len(subset.quasi), told, self.loss_of(subset), *counted, subset.feasible


def subsets(
    source: Any,
    schema: Schema | str | PathLike[str] | None = None,
    *,
    models: Models,
    keep: Sequence[str] = (),
    suppress: Share = 0.0,
    minimize: str | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    prior: Stated | None = None,
    memory_limit: str | None = None,
    loops: Loops = Loops.COMPILED,
    progress: Progress | None = None,
) -> Subsets:
    """Compare what can be released: for every subset of the QIDs the best node within the models. `keep` names QIDs to release."""
    with opened(source, schema, memory_limit) as table:
        problem, told = problem_of(
            table, Asked(models, suppress, quasi, sensitive, prior, memory_limit=memory_limit, loops=loops)
        )
    if not problem.models:
        raise UsageError("name at least one model to satisfy, as in k-anonymity:5", where="model")
    names = problem.counts.node.attributes
    for name in keep:
        if name not in names:
            raise UsageError(unknown("QID", name, names, within="the release"), where="keep")
    loss = loss_to_minimize(minimize, problem)
    space = explored(problem, told, memory_limit=memory_limit, progress=progress)
    found = [subset for subset in _every(space, loss) if set(keep) <= set(subset.quasi)]
    return Subsets(tuple(map(str, problem.models)), loss, problem.people, tuple(found))


def _every(space: PolicySpace, loss: str) -> list[Subset]:
    """Every subset of QIDs that some node releases; a QID without levels below its root cannot be released."""
    released = space.evaluations.levels < np.array(space.lattice.heights)
    which, of = np.unique(released, axis=0, return_inverse=True)
    order = sorted(range(len(which)), key=lambda place: (which[place].sum(), (~which[place]).tolist()))
    return [_subset(space, which[place], np.flatnonzero(of.ravel() == place), loss) for place in order]


def _subset(space: PolicySpace, released: npt.NDArray[np.bool_], places: npt.NDArray[np.intp], loss: str) -> Subset:
    names = tuple(name for name, here in zip(space.lattice.attributes, released, strict=True) if here)
    part = replace(space, evaluations=space.evaluations.only(places))
    place = best_of(part.evaluations, loss)
    best = None if place is None else space.node(part.evaluations.levels[place].tolist())
    return Subset(names, len(places), int(part["feasible"].sum()), best)
