"""The policy space: every node of the lattice with all its losses and verdicts, exact. Optimum, front and "why not?" are look-ups.

A space answers for the models it was explored with, and for any bound on what it holds for every node: class size, losses, earth
mover's distance. Parts of a space (`feasible`, `pareto`, `minimal`) are spaces again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import NodeError, UsageError, argument, unknown
from sfumato.frequency import Mask
from sfumato.models import Models, PrivacyModel, models_of
from sfumato.search.evaluation import Evaluations, Fact
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import least_of
from sfumato.search.space.bounds import Bound, bounds_of
from sfumato.search.space.front import front
from sfumato.upward import above
from sfumato.vocabulary.node import Node

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class About:
    """What a space was explored from: the people and how they count, the sensitive attributes and their distance, models, limit."""

    people: int
    rows: int
    basis: str
    sensitive: tuple[str, ...]
    distance: str
    models: tuple[str, ...]
    limit: int
    prior: str
    complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """One node of a space with everything that is known about it."""

    node: Node
    measures: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.measures[name]

    def __repr__(self) -> str:
        return f"Point({self.node}: {self.measures['classes']:,} classes, the smallest of {self.measures['smallest']:,})"


@dataclass(frozen=True, slots=True, eq=False)
class PolicySpace:
    """Nodes of a lattice with their evaluations."""

    lattice: Lattice
    evaluations: Evaluations
    about: About

    def __len__(self) -> int:
        return len(self.evaluations)

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        """A column by its public name."""
        named = self.evaluations.named()
        if column not in named:
            raise UsageError(unknown("loss", column, map(str, self.evaluations.columns), within="this space"), where="loss")
        return named[column]

    def __iter__(self) -> Iterator[Point]:
        rows = self.evaluations.rows(range(len(self)))
        for levels, measures in zip(self.evaluations.levels.tolist(), rows, strict=True):
            yield Point(self.lattice.node(levels), measures)

    def __repr__(self) -> str:
        whole = "" if len(self) == self.lattice.size else f" of {self.lattice.size:,}"
        return f"PolicySpace({len(self):,}{whole} nodes over {', '.join(self.lattice.attributes)})"

    def _repr_html_(self) -> str:
        from sfumato.search.space.shown import space_html

        return space_html(self)

    def plot(self, models: Models | None = None, loss: str | None = None) -> Any:
        """The lattice as an altair chart, nodes colored by what models say of them. Needs the extra `report`.

        Parameters
        ----------
        models : models or their texts, optional
            Those to ask; the models that the space was explored with, unless given.
        loss : str, optional
            The loss whose least value makes a node optimal.
        """
        return above("PolicySpace.plot")(self, None if models is None else [str(model) for model in self._models(models)], loss)

    @property
    def floor(self) -> Node:
        """The node that the search started at: below it nothing was looked at."""
        return self.lattice.node(self.lattice.floors)

    def node(self, levels: Sequence[int] | Mapping[str, int] | Node) -> Point:
        """One node."""
        return self._point(self._place(levels))

    def _place(self, levels: Sequence[int] | Mapping[str, int] | Node) -> int:
        named = levels.as_dict() if isinstance(levels, Node) else levels
        wanted = [named.get(name, -1) for name in self.lattice.attributes] if isinstance(named, Mapping) else list(named)
        if len(wanted) == len(self.lattice.attributes) and all(type(level) is int for level in wanted):
            same = np.flatnonzero((self.evaluations.levels == np.array(wanted)).all(axis=1))
            if len(same):
                return int(same[0])
        raise NodeError("not a node of this space; the levels go from " + self._span(), where=argument("node"))

    def feasible(self, models: Models | None = None) -> PolicySpace:
        """The nodes that satisfy models: those the space was explored with, or any it can answer for."""
        return self._only(self._feasible(models))

    def satisfying(self, models: Models | None = None) -> Mask:
        """Which nodes satisfy models, in the order of the space."""
        return self._feasible(models)

    def best(self, loss: str, models: Models | None = None) -> Point | None:
        """The feasible node with the least loss; None if there is none. `NAME` is the mean over people, `NAME.max` the worst class."""
        part = self._only(self._feasible(models))
        place = least_of(part[loss], np.arange(len(part)), part.evaluations.levels)
        return None if place is None else part._point(place)

    def pareto(self, *losses: str, models: Models | None = None) -> PolicySpace:
        """The feasible nodes that no other beats in all of the losses: as good everywhere and better somewhere."""
        if len(losses) < 2:
            raise UsageError("a front needs two losses at least", where="pareto")
        part = self._only(self._feasible(models))
        return part._only(front(np.stack([part[loss] for loss in losses], axis=1)))

    def minimal(self, models: Models | None = None) -> PolicySpace:
        """The feasible nodes with no feasible node below them."""
        if not self.about.complete or len(self) < self.lattice.size:
            raise UsageError("minimal nodes need the whole space", where="minimal")
        shape, feasible = self.lattice.shape, self._feasible(models)
        reached = feasible.reshape(shape)
        for axis in range(len(shape)):
            reached = np.logical_or.accumulate(reached, axis=axis)
        below = np.zeros(shape, bool)
        for axis in range(len(shape)):
            upper, lower = [slice(None)] * len(shape), [slice(None)] * len(shape)
            upper[axis], lower[axis] = slice(1, None), slice(None, -1)
            below[tuple(upper)] |= reached[tuple(lower)]
        return self._only(feasible & ~below.ravel())

    def why_not(self, levels: Sequence[int] | Mapping[str, int] | Node, models: Models | None = None) -> list[Bound]:
        """What each model says of a node: its value, the bound, and whether it is kept."""
        place = self._place(levels)
        return [bound.at(place) for model in self._models(models) for bound in self._bounds(model)]

    def to_arrow(self) -> pa.Table:
        """One row per node: a column `level:QID` per QID, then what is known."""
        from sfumato.search.space.file import to_arrow

        return to_arrow(self)

    @classmethod
    def read(cls, path: str | Path) -> PolicySpace:
        """A space that `explore` has written."""
        from sfumato.search.space.file import read

        return read(Path(path))

    def _models(self, models: Models | None) -> tuple[PrivacyModel, ...]:
        """The models asked about; those of the space unless given."""
        return models_of(self.about.models if models is None else models)

    def _bounds(self, model: PrivacyModel) -> list[Bound]:
        return bounds_of(model, self.evaluations, self.about.sensitive, self.about.distance, suppression=self.about.limit > 0)

    def _feasible(self, models: Models | None) -> Mask:
        if models is None:
            return np.asarray(self.evaluations[Fact.FEASIBLE], bool)
        asked = self._models(models)
        if self.about.limit and {str(model) for model in asked} != set(self.about.models):
            raise UsageError(
                f"explored with suppression, a space answers for {', '.join(self.about.models)} together; explore again for others",
                where=argument("models"),
            )
        if self.about.limit:
            return np.asarray(self.evaluations[Fact.FEASIBLE], bool)
        holds = np.ones(len(self), bool)
        for model in asked:
            for bound in self._bounds(model):
                holds &= bound.satisfied
        return holds

    def _only(self, chosen: Mask) -> PolicySpace:
        return replace(self, evaluations=self.evaluations.only(np.flatnonzero(chosen)))

    def _point(self, place: int) -> Point:
        return Point(self.lattice.node(self.evaluations.levels[place].tolist()), self.evaluations.row(place))

    def _span(self) -> str:
        pairs = zip(self.lattice.attributes, self.lattice.floors, self.lattice.heights, strict=True)
        return ", ".join(f"{name} {floor} to {height}" for name, floor, height in pairs)
