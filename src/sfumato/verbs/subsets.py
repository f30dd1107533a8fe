"""Which QIDs to release at all: for every subset of them, the best node that withholds the others and satisfies the models.

A withheld QID is one at the top of its hierarchy, so every subset is a part of the one lattice and all of them are one look at the
policy space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, unknown
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question.problem import loss_to_minimize, problem_of
from sfumato.question.question import QUESTION_OPTIONS, Question, QuestionOptions, names_of
from sfumato.results import Printed, Rows
from sfumato.search.deadline import require_seconds
from sfumato.search.evaluation import Fact
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import least_of
from sfumato.search.space import Point, PolicySpace
from sfumato.search.space.exploring import explored, require_few
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened


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
    """Every subset of the QIDs, the smallest first, and in the order of the schema.

    `complete` is False where the time was up before every node was evaluated: then there may be better nodes, and other subsets.
    """

    models: tuple[str, ...]
    minimize: str
    people: int
    subsets: tuple[Subset, ...]
    complete: bool = True

    @property
    def best(self) -> Subset | None:
        """The subset with the least loss; among equal ones the smallest."""
        feasible = [subset for subset in self.subsets if subset.best is not None]
        return min(feasible, key=self.loss_of, default=None)

    def loss_of(self, subset: Subset) -> float:
        """The least loss of a feasible subset."""
        return float("inf") if subset.best is None else float(subset.best[self.minimize])

    def leading(self) -> list[Subset]:
        """The best subset of each size; sizes of which none is feasible are left out."""
        sizes = sorted({len(subset.quasi) for subset in self.subsets})
        each = [[s for s in self.subsets if len(s.quasi) == size and s.best is not None] for size in sizes]
        return [min(feasible, key=self.loss_of) for feasible in each if feasible]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        best = self.best
        return {
            "status": "infeasible" if best is None else "found",
            "models": list(self.models),
            "minimize": self.minimize,
            "people": self.people,
            "best": None if best is None else self._record(best),
            "subsets": [self._record(subset) for subset in self.subsets],
            **({} if self.complete else {"complete": False}),
        }

    def _record(self, subset: Subset) -> dict[str, Any]:
        record: dict[str, Any] = {"quasi": list(subset.quasi), "nodes": subset.nodes, "feasible": subset.feasible}
        if subset.best is None:
            return record | {"node": None, "loss": None, "classes": None, "suppressed": None}
        counted = {name: int(subset.best[name]) for name in ("classes", "smallest", "suppressed")}
        return record | {"node": subset.levels(), "loss": self.loss_of(subset)} | counted

    def table(self) -> Rows:
        """The best subset of each size."""
        heads = ("QIDs", "released at levels", "loss", "classes", "smallest", "suppressed", "feasible")
        return Rows(heads, tuple(self._row(subset) for subset in self.leading()))

    def _row(self, subset: Subset) -> tuple[Any, ...]:
        best, levels = subset.best, subset.levels()
        if best is None or levels is None:
            return len(subset.quasi), "", None, None, None, None, 0
        text = ", ".join(f"{name}={level}" for name, level in levels.items()) or "(none)"
        counted = (int(best[name]) for name in ("classes", "smallest", "suppressed"))
        return len(subset.quasi), text, self.loss_of(subset), *counted, subset.feasible


class SubsetsOptions(SourceOptions, QuestionOptions, total=False):
    """What `subsets` takes besides."""


def subsets(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    keep: Sequence[str] | str = (),
    minimize: str | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    **options: Unpack[SubsetsOptions],
) -> Subsets:
    """Compare what can be released: for every subset of the QIDs the best node within the models.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    keep : str or list of str
        QIDs to release in any case.
    minimize : str, optional
        The loss.
    time_limit : float, optional
        The seconds after which the nodes evaluated so far are all there is; of a lattice that is too large to enumerate these are the
        smallest subsets.
    progress : callable, optional
        Called with the nodes done and all nodes.
    **options
        The fields of `Source` and `Question`.

    Returns
    -------
    Subsets
        Every subset with its best node.
    """
    require_seconds(time_limit)
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    question, kept = Question(**asked), names_of(keep, "keep") or ()
    question.require_models()
    with opened(data, schema, source) as table:
        problem, prior = problem_of(table, question, before=_require_few if time_limit is None else None)
    names = problem.counts.node.attributes
    for name in kept:
        if name not in names:
            raise UsageError(unknown("QID", name, names, within="the release"), where=argument("keep"))
    loss = loss_to_minimize(minimize, problem)
    space = explored(
        problem,
        prior,
        memory=table.source.memory,
        threads=table.source.threads,
        progress=progress,
        time_limit=time_limit,
        wanted=[loss],
    )
    every = [subset for subset in _every(space, loss) if set(kept) <= set(subset.quasi)]
    return Subsets(tuple(map(str, problem.models)), loss, problem.people, tuple(every), space.about.complete)


def _require_few(lattice: Lattice) -> None:
    require_few(lattice, f"or give it {argument('time_limit')} for the smallest subsets alone")


def _every(space: PolicySpace, loss: str) -> list[Subset]:
    """Every subset of QIDs that some node releases; a QID without levels below its root cannot be released."""
    evaluations = space.evaluations
    released = evaluations.levels < np.array(space.lattice.heights)
    which, of = np.unique(released, axis=0, return_inverse=True)
    nodes = np.split(np.argsort(of.ravel(), kind="stable"), np.cumsum(np.bincount(of.ravel()))[:-1])
    values, feasible = evaluations.named()[loss], np.asarray(evaluations[Fact.FEASIBLE], bool)
    order = sorted(range(len(which)), key=lambda place: (which[place].sum(), (~which[place]).tolist()))
    return [_subset(space, which[place], nodes[place], values, feasible) for place in order]


def _subset(
    space: PolicySpace,
    released: npt.NDArray[np.bool_],
    places: npt.NDArray[np.intp],
    values: npt.NDArray[np.float64],
    feasible: npt.NDArray[np.bool_],
) -> Subset:
    names = tuple(name for name, here in zip(space.lattice.attributes, released, strict=True) if here)
    within = places[feasible[places]]
    place = least_of(values, within, space.evaluations.levels)
    best = None if place is None else next(iter(replace(space, evaluations=space.evaluations.only(np.array([place])))))
    return Subset(names, len(places), len(within), best)
