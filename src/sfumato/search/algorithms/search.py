"""How to search: the algorithm and its settings, as one frozen value."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import isqrt
from typing import TypedDict

from sfumato.errors import LongSearchWarning, UsageError, argument, raise_alone, unknown
from sfumato.progress import Progress
from sfumato.search.algorithms.by_name import ALGORITHMS, GUIDES, Options
from sfumato.search.algorithms.remaining import MOST_LEFT
from sfumato.search.cost import announce
from sfumato.search.deadline import Deadline, require_seconds, too_short
from sfumato.search.detail import BY_LEVELS
from sfumato.search.lattice import Lattice, require_enumerable
from sfumato.search.outcome import Found, Interrupted, NotFound
from sfumato.search.problem import Problem

_VERY_MANY = 1_000_000_000  # nodes: of so many an exact search often cannot rule out enough

# Settings that some algorithms alone heed.
_OWN = {"budget": ("evolutionary",), "relaxed": ("mondrian",), "split": ("mondrian",)}


class SearchOptions(TypedDict, total=False):
    """The fields of `Search` that verbs take as keyword arguments."""

    minimize: str | None
    time_limit: float | None
    algorithm: str
    toward: str | None
    budget: int
    relaxed: bool
    split: str


@dataclass(frozen=True, slots=True)
class Search:
    """How to search.

    Parameters
    ----------
    minimize : str, optional
        The loss; `loss` by default, whatever the models are.
    time_limit : float, optional
        The seconds after which a search ends with the best so far. Incognito knows none before its end.
    algorithm : str
        `optimal`, `incognito`, `mondrian` or `evolutionary`.
    toward : str, optional
        `recommended` looks for the node whose classes come nearest to the recommended distribution instead.
    budget : int
        The number of nodes that an evolutionary search may look at.
    relaxed : bool
        Mondrian may divide people with equal values.
    split : str
        Which QID Mondrian splits, by `range` or by `loss`.
    """

    minimize: str | None = None
    time_limit: float | None = None
    algorithm: str = "optimal"
    toward: str | None = None
    budget: int = 2000
    relaxed: bool = False
    split: str = "range"

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UsageError(unknown("algorithm", self.algorithm, ALGORITHMS, within="this version"), where=argument("algorithm"))
        if self.toward is not None and self.toward not in GUIDES:
            raise UsageError(unknown("guide", self.toward, GUIDES, within="this version"), where=argument("toward"))
        if self.toward is not None and self.algorithm != "optimal":
            raise UsageError(f"guidance is an algorithm of its own; leave {argument('algorithm')} out", where=argument("toward"))
        for field in fields(self):
            own = _OWN.get(field.name, (self.algorithm,))
            if self.algorithm not in own and getattr(self, field.name) != field.default:
                raise UsageError(f"is for {argument('algorithm')} {' or '.join(own)}; leave it out", where=argument(field.name))
        if self.algorithm == "mondrian" and self.minimize is not None:
            raise UsageError(
                f"Mondrian minimizes no loss by name; leave {argument('minimize')} out ({argument('split')} chooses what to split)",
                where=argument("minimize"),
            )
        require_seconds(self.time_limit)

    def look_at(self, lattice: Lattice) -> None:
        """Refuse a lattice that is too large, before anything is counted; or say that it may turn out to be."""
        if self.algorithm == "incognito":
            require_enumerable(lattice)
        if self.algorithm == "optimal" and self.time_limit is None and lattice.size > _VERY_MANY:
            ways = f"{argument('algorithm')} evolutionary and {argument('time_limit')} do, with the best node they find"
            message = f"of {lattice.size:,} nodes an exact search may have to leave too many to answer; {ways}"
            warnings.warn(LongSearchWarning(message), stacklevel=2)

    def run(self, problem: Problem, loss: str, seed: int = 0, progress: Progress | None = None) -> Found | NotFound:
        """Search a problem for the release with the least loss."""
        algorithm = ALGORITHMS[self.algorithm] if self.toward is None else GUIDES[self.toward]
        options = Options(self.budget, self.relaxed, self.split, seed, limited=self.time_limit is not None)
        if self.time_limit is None:
            self._announce(problem, loss)
            return algorithm(problem, loss, options, progress)
        deadline = Deadline(self.time_limit, progress)
        try:
            return algorithm(problem, loss, options, deadline)
        except Interrupted as stopped:
            if not deadline.over:
                raise
            if stopped.best is None:
                raise_alone(too_short())
            return replace(stopped.best, trace=replace(stopped.best.trace, complete=False))
        except KeyboardInterrupt:
            if not deadline.over:
                raise
            raise_alone(too_short())

    def _announce(self, problem: Problem, loss: str) -> None:
        """Say that the search takes long, if it does."""
        lattice = Lattice.of(problem.counts)
        if nodes := {"evolutionary": self.budget, "incognito": lattice.size // 4, "optimal": self._visits(problem, loss)}.get(
            self.algorithm
        ):
            announce(problem.counts, nodes, 1, known=self.algorithm == "evolutionary")

    @staticmethod
    def _visits(problem: Problem, loss: str) -> int:
        """How many nodes the exact search may evaluate: where levels tell the loss, in our experience no more than some times the root of
        their number."""
        lattice = Lattice.of(problem.counts)
        return (3 if problem.limit else 1) * isqrt(lattice.size) if loss in BY_LEVELS else min(lattice.size, MOST_LEFT)


SEARCH_OPTIONS: Sequence[str] = tuple(field.name for field in fields(Search))
