"""The ways to search, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.errors import TooManyNodes, argument
from sfumato.progress import Progress
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Found, Interrupted, NotFound, Trace, best_of
from sfumato.search.problem import Problem
from sfumato.search.tracing import Evolution, Splitting

if TYPE_CHECKING:
    from sfumato.search.algorithms.evolutionary import Evolved
    from sfumato.search.mondrian.rounds import Local


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of some algorithms: how many nodes an evolutionary search may look at; how Mondrian splits. `limited`: `progress` ends the
    search when its time is up."""

    budget: int = 2000
    relaxed: bool = False
    split: str = "range"
    seed: int = 0
    limited: bool = False


Algorithm = Callable[[Problem, str, Options, Progress | None], Found | NotFound]


def _optimal(problem: Problem, loss: str, options: Options, progress: Progress | None) -> Found | NotFound:
    """Where too much of the lattice is left to be listed: the best node in the time that there is, if it is limited."""
    from sfumato.search.algorithms.optimal import optimal

    try:
        return optimal(problem, loss, progress=progress)
    except TooManyNodes as refused:
        if not options.limited or progress is None:
            refused.add(f"; or give it {argument('time_limit')}, for the best node that is found until then")
            raise
    from sfumato.search.algorithms.descending import descend

    return descend(problem, loss, progress)


def _incognito(problem: Problem, loss: str, options: Options, progress: Progress | None) -> Found | NotFound:
    from sfumato.search.algorithms.incognito import incognito

    return incognito(problem, loss, progress=progress)


def _evolutionary(problem: Problem, loss: str, options: Options, progress: Progress | None) -> Found | NotFound:
    """Two objectives keep the population spread out: the loss, and what is given away; or, where neither a model nor the loss looks at
    sensitive values, how coarse the classes are."""
    from sfumato.search.algorithms.evolutionary import Unfinished, evolve

    other = "distribution.max" if problem.narrowed_to([loss]).sensitive else "precision"
    objectives = list(dict.fromkeys([loss, other if other != loss else "loss"]))
    try:
        evolved = evolve(problem, objectives, budget=options.budget, seed=options.seed, progress=progress)
    except Unfinished as stopped:
        best = _best_evolved(problem, loss, options, stopped.evolved)
        raise Interrupted(best if isinstance(best, Found) else None) from None
    return _best_evolved(problem, loss, options, evolved)


def _best_evolved(problem: Problem, loss: str, options: Options, evolved: Evolved) -> Found | NotFound:
    details = Evolution(evolved.generations, len(evolved.front), options.budget, options.seed)
    trace = Trace("evolutionary", Lattice.of(problem.counts).size, len(evolved.evaluations), details)
    place = best_of(evolved.evaluations, loss)
    return NotFound(trace) if place is None else Found.at(problem.counts.node.attributes, evolved.evaluations, place, trace)


def _mondrian(problem: Problem, loss: str, options: Options, progress: Progress | None) -> Found | NotFound:
    from sfumato.search.mondrian.rounds import NoRelease, Unfinished, mondrian

    strict = not options.relaxed
    try:
        local = mondrian(problem, kinds=problem.kinds, strict=strict, by=options.split, seed=options.seed, progress=progress)
    except Unfinished as stopped:
        raise Interrupted(_split(problem, options, stopped.local)) from None
    if isinstance(local, NoRelease):
        return NotFound(Trace("mondrian", Lattice.of(problem.counts).size, 0))
    return _split(problem, options, local)


def _split(problem: Problem, options: Options, local: Local) -> Found:
    lattice, strict = Lattice.of(problem.counts), not options.relaxed
    evaluation = {"loss": local.loss, "classes": local.classes, "suppressed": 0}
    trace = Trace("mondrian", lattice.size, 0, Splitting(strict, options.split, local.rounds))
    return Found(lattice.node(lattice.heights), evaluation, trace, recoding=local.recoding)


def _recommended(problem: Problem, loss: str, options: Options, progress: Progress | None) -> Found | NotFound:
    from sfumato.search.algorithms.guided import nearest

    return nearest(problem, loss, options.seed, progress)


GUIDES: dict[str, Algorithm] = {"recommended": _recommended}
ALGORITHMS: dict[str, Algorithm] = {
    "optimal": _optimal,
    "incognito": _incognito,
    "mondrian": _mondrian,
    "evolutionary": _evolutionary,
}
