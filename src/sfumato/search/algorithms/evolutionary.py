"""NSGA-II over a lattice that is too large to walk: the best trade-offs found while looking at few nodes.

Only where to look is a matter of chance and of guesses, and the seed decides it. What is told of a node is its exact evaluation; no
node is evaluated twice, none below a node that is known to be hopeless, and never more of them than the budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import Mask
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import evaluator_of
from sfumato.search.evaluation import MAX, Evaluations, Fact
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.search.outcome import is_interrupt
from sfumato.search.problem import Problem
from sfumato.search.space.front import front

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

# Small populations for small budgets, so that there are generations to learn from.
_GENERATIONS = 16
_LEAST, _MOST = 16, 100
# So many times more children are bred than evaluated: the most promising ones are.
_CHILDREN = 4
# How often parents are drawn until there are enough children; most children of an exhausted corner are known already.
_MATINGS = 12
# Generations without a change of the front before its neighbors are looked at.
_PATIENCE = 1
# Lattices up to this size are listed to find what is left; in larger ones it is drawn.
_LISTED = 200_000
# Crowding distances need finite numbers.
_FAR = 1e30
_PARTS = {
    "NSGA2": "algorithms.moo.nsga2",
    "Evaluator": "core.evaluator",
    "Population": "core.population",
    "Problem": "core.problem",
    "NoTermination": "core.termination",
    "SBX": "operators.crossover.sbx",
    "PM": "operators.mutation.pm",
    "RoundingRepair": "operators.repair.rounding",
    "StaticProblem": "problems.static",
}


@dataclass(frozen=True, slots=True, eq=False)
class Evolved:
    """Every node that was evaluated, in that order, and the places among them of the feasible ones that none of them dominates."""

    evaluations: Evaluations
    front: Places
    generations: int


class Unfinished(KeyboardInterrupt):
    """Ctrl-C during a search, or the end of its time; `evolved` is what was evaluated until then."""

    def __init__(self, evolved: Evolved) -> None:
        super().__init__()
        self.evolved = evolved


def evolve(
    problem: Problem,
    objectives: Sequence[str],
    *,
    budget: int,
    seed: int = 0,
    wanted: Sequence[str] = (),
    progress: Progress | None = None,
) -> Evolved:
    """Look for nodes whose objectives, which are names of columns, are small; at most `budget` nodes are evaluated.

    `wanted` names further measures to evaluate; `progress` gets how many nodes of the budget are used.
    """
    if budget < 1:
        raise UsageError("a search evaluates at least one node", where=argument("budget"))
    if not objectives:
        raise UsageError("a search needs at least one objective", where="objectives")
    pymoo = _pymoo()
    evaluated = _Evaluated(problem, objectives, wanted, budget, progress)
    try:
        if not evaluated.desperate:
            _search(pymoo, evaluated, seed)
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        raise Unfinished(evaluated.evolved()) from None
    return evaluated.evolved()


class _Evaluated:
    """Every node evaluated so far, the top first, and what follows from them about the others."""

    def __init__(
        self, problem: Problem, objectives: Sequence[str], wanted: Sequence[str], budget: int, progress: Progress | None
    ) -> None:
        self.problem, self.objectives, self.budget, self.progress = problem, objectives, budget, progress
        self.lattice = Lattice.of(problem.counts)
        self.evaluator = evaluator_of(problem, [*objectives, *wanted], nodes=budget)
        self.top = np.array([self.lattice.heights], np.int16)
        self.evaluations = self.evaluator.evaluate(self.top)
        self._check_objectives()
        self._known = {_key(self.top[0]): 0}
        self._hopeless = self.top[self.evaluations[Fact.HOPELESS]]
        self.front = np.flatnonzero(self.evaluations[Fact.FEASIBLE])
        self.generations = 0

    def evolved(self) -> Evolved:
        """What there is so far."""
        return Evolved(self.evaluations, self.front, self.generations)

    @property
    def left(self) -> int:
        """How many nodes may still be evaluated."""
        return self.budget - len(self._known)

    @property
    def desperate(self) -> bool:
        """Whether no node at all is feasible."""
        return bool(self.below_hopeless(self.top)[0])

    def evaluate(self, levels: LevelArray) -> LevelArray:
        """Evaluate as many of some fresh nodes as the budget allows; which they were."""
        levels = levels[: self.left]
        if not len(levels):
            return levels
        # Fine nodes first: coarse ones can be rolled up from them while they are at hand.
        levels = levels[np.argsort(levels.sum(axis=1), kind="stable")]
        made = self.evaluator.evaluate(levels)
        new = np.arange(len(levels)) + len(self._known)
        self._known |= {_key(row): int(place) for row, place in zip(levels, new, strict=True)}
        self.evaluations = Evaluations.joined([self.evaluations, made])
        rivals = np.concatenate([self.front, new[made[Fact.FEASIBLE]]])
        self.front = rivals[np.flatnonzero(front(self.values(rivals)))]
        hopeless = np.concatenate([self._hopeless, levels[made[Fact.HOPELESS]]])
        self._hopeless = hopeless[front(-hopeless.astype(np.float64))]
        if self.progress:
            self.progress(len(self._known), self.budget)
        return levels

    def fresh(self, levels: LevelArray) -> Mask:
        """Which nodes are worth an evaluation: not evaluated, not named before in the list, not below a hopeless node."""
        named = set(self._known)
        new = np.zeros(len(levels), bool)
        for place, key in enumerate(map(_key, levels)):
            new[place] = key not in named
            named.add(key)
        return new & ~self.below_hopeless(levels)

    def below_hopeless(self, levels: LevelArray) -> Mask:
        below = np.zeros(len(levels), bool)
        for node in self._hopeless:
            below |= (levels <= node).all(axis=1)
        return below

    def values(self, places: Places | slice = slice(None)) -> Floats:
        """The objectives of evaluated nodes; what is no number counts as the worst."""
        named = self.evaluations.named()
        columns = [named[name][places].astype(np.float64) for name in self.objectives]
        return np.where(np.isnan(values := np.column_stack(columns)), np.inf, values)

    def scores(self, levels: LevelArray) -> tuple[Floats, Floats]:
        """The objectives of evaluated nodes, and how far each is from being feasible: 0 if it is."""
        places = np.array([self._known[_key(row)] for row in levels], np.int64)
        made = self.evaluations.only(places)
        beyond = np.maximum(made[Fact.VIOLATING] - self.problem.limit, 1) / self.problem.people
        short = np.where(made[Fact.VIOLATING] > made[Fact.SUPPRESSED], beyond, 0.0)
        if made.verdicts:
            short += np.mean([~judgments.satisfied for judgments in made.verdicts.values()], axis=0)
        return self.values(places), np.where(made[Fact.FEASIBLE], 0.0, short)

    def promising(self, levels: LevelArray, count: int) -> LevelArray:
        """The nodes that may come nearest to the front, or beyond it."""
        if len(levels) <= count or not len(self.front):
            return levels[:count]
        values = np.clip(self.values(), -_FAR, _FAR)
        spread = np.maximum(np.ptp(values, axis=0), 1 / _FAR)
        behind = (self._guessed(levels, values)[:, None] - values[self.front]) / spread
        return levels[np.argsort(behind.min(axis=2).max(axis=1), kind="stable")[:count]]

    def _guessed(self, levels: LevelArray, values: Floats) -> Floats:
        """At least so large is each objective, if it does not change its direction on the way up.

        Most do not: then one that falls is no smaller here than at any node above, one that rises no smaller than at any below.
        """
        below = (levels[:, None] <= self.evaluations.levels).all(axis=2)
        above = (levels[:, None] >= self.evaluations.levels).all(axis=2)
        sums = self.evaluations.levels.sum(axis=1)
        rises = (sums - sums.mean()) @ (values - values.mean(axis=0)) > 0
        least = values.min(axis=0)
        pairs = zip(values.T, rises, least, strict=True)
        return np.column_stack([np.where(above if up else below, column, low).max(axis=1) for column, up, low in pairs])

    def _check_objectives(self) -> None:
        for name in self.objectives:
            if name not in self.evaluations.named():
                measures = (*LOSSES, *(loss + MAX for loss in LOSSES), *INFORMATION) if self.problem.sensitive else INFORMATION
                raise UsageError(unknown("objective", name, measures, within="the measures of a node"), where="objectives")


class _Breeder:
    """NSGA-II itself: it breeds fresh nodes, and lets evaluated ones compete for their places in the population."""

    def __init__(self, pymoo: Any, evaluated: _Evaluated, first: LevelArray, size: int, seed: int) -> None:
        lattice = evaluated.lattice
        self.pymoo, self.evaluated, self.size = pymoo, evaluated, size
        bounds = {"xl": np.array(lattice.floors), "xu": np.array(lattice.heights)}
        self.space = pymoo.Problem(n_var=len(lattice.shape), n_obj=len(evaluated.objectives), n_ieq_constr=1, vtype=int, **bounds)
        whole = {"vtype": float, "repair": pymoo.RoundingRepair()}
        self.algorithm = pymoo.NSGA2(
            pop_size=size,
            n_offsprings=_CHILDREN * size,
            sampling=first.astype(np.int64),
            # Flat curves: with steep ones a child would be rounded back to its parent.
            crossover=pymoo.SBX(prob=0.9, eta=3.0, **whole),
            mutation=pymoo.PM(prob=1.0, eta=3.0, at_least_once=True, **whole),
            eliminate_duplicates=_OnlyFresh(evaluated),
        )
        self.algorithm.mating.n_max_iterations = _MATINGS
        self.algorithm.setup(self.space, seed=seed, termination=pymoo.NoTermination())
        self.algorithm.ask()
        self.take(first)

    def children(self) -> LevelArray:
        """Fresh nodes, bred from the population."""
        bred = self.algorithm.ask()
        if bred is None:
            # Not the end: what is found elsewhere may have children again.
            self.algorithm.termination.force_termination = False
            return self.evaluated.top[:0]
        return self.evaluated.promising(_levels(bred), self.size)

    def take(self, levels: LevelArray) -> None:
        """Let evaluated nodes into the population, if they are good enough."""
        values, short = self.evaluated.scores(levels)
        nodes = self.pymoo.Population.new(X=levels.astype(np.int64))
        known = self.pymoo.StaticProblem(self.space, F=np.clip(values, -_FAR, _FAR), G=short[:, None])
        self.pymoo.Evaluator().eval(known, nodes)
        self.algorithm.tell(infills=nodes)


class _OnlyFresh:
    """What the breeder asks to drop duplicates."""

    def __init__(self, evaluated: _Evaluated) -> None:
        self.evaluated = evaluated

    def do(self, nodes: Any, *others: Any) -> Any:
        """The fresh nodes that are in no other list; the first population, which comes alone, is evaluated already."""
        if not others or not len(nodes):
            return nodes
        before = [_levels(other) for other in others if len(other)]
        every = np.concatenate([*before, _levels(nodes)])
        return nodes[self.evaluated.fresh(every)[len(every) - len(nodes) :]]


def _pymoo() -> Any:
    """The parts of the library, which takes a while to load."""
    try:
        # Else it prints a hint to compile it.
        import_module("pymoo.config").Config.show_compile_hint = False
        return SimpleNamespace(**{name: getattr(import_module(f"pymoo.{home}"), name) for name, home in _PARTS.items()})
    except ImportError:
        raise UsageError('an evolutionary search needs pymoo: pip install "sfumato[evolve]"', where="search") from None


def _search(pymoo: Any, evaluated: _Evaluated, seed: int) -> None:
    """Generation after generation until the budget is spent or nothing is left to look at."""
    chance = np.random.default_rng(seed)
    size = int(np.clip(evaluated.budget // _GENERATIONS, _LEAST, _MOST))
    breeder = _Breeder(pymoo, evaluated, _first(evaluated, chance, size), size, seed)
    stalled = 0
    while evaluated.left:
        before, local = evaluated.front, stalled > _PATIENCE
        taken = evaluated.evaluate(_next(breeder, chance, local=local))
        if not len(taken):
            break
        breeder.take(taken)
        stalled = 0 if local or not np.array_equal(before, evaluated.front) else stalled + 1
        evaluated.generations += 1


def _next(breeder: _Breeder, chance: np.random.Generator, *, local: bool) -> LevelArray:
    """What to evaluate next: children, or first the neighbors of the front; if there are neither, anything that is left."""
    chosen = _neighbors(breeder.evaluated, chance, breeder.size) if local else breeder.children()
    if not len(chosen):
        chosen = breeder.children() if local else _neighbors(breeder.evaluated, chance, breeder.size)
    return chosen if len(chosen) else _rest(breeder.evaluated, chance, breeder.size)


def _first(evaluated: _Evaluated, chance: np.random.Generator, size: int) -> LevelArray:
    """Evaluate the first population: the corners, every QID alone at each level, nodes of all level sums, and others at random."""
    lattice, first = evaluated.lattice, [evaluated.top]
    alone = chance.permutation(np.array([*_alone(lattice), lattice.heights], np.int16))[: max(evaluated.budget // 4, 1)]
    bottom = np.array([lattice.floors], np.int16)
    mixed = np.concatenate([bottom, _spread(lattice, chance, size // 2), _drawn(lattice, chance, size // 2)])
    # One after the other: what the first part shows to be hopeless is left out of the second.
    for levels in (alone, mixed):
        first.append(evaluated.evaluate(levels[evaluated.fresh(levels)]))
    return np.concatenate(first)


def _alone(lattice: Lattice) -> Iterator[tuple[int, ...]]:
    """Every QID at each of its levels, the others withheld."""
    for q, (floor, height) in enumerate(zip(lattice.floors, lattice.heights, strict=True)):
        for level in range(floor, height):
            yield (*lattice.heights[:q], level, *lattice.heights[q + 1 :])


def _spread(lattice: Lattice, chance: np.random.Generator, count: int) -> LevelArray:
    """Nodes at evenly spaced sums of levels, each at the end of a random way up from the bottom."""
    steps = np.repeat(np.arange(len(lattice.shape)), np.array(lattice.shape) - 1)
    sums = np.linspace(0, len(steps), count + 2)[1:-1].round().astype(np.int64)
    ways = [np.bincount(chance.permutation(steps)[:total], minlength=len(lattice.shape)) for total in sums]
    return np.array(ways, np.int16) + np.array(lattice.floors, np.int16)


def _drawn(lattice: Lattice, chance: np.random.Generator, count: int) -> LevelArray:
    ceilings = np.array(lattice.heights) + 1
    return chance.integers(lattice.floors, ceilings, size=(count, len(ceilings))).astype(np.int16)


def _neighbors(evaluated: _Evaluated, chance: np.random.Generator, count: int) -> LevelArray:
    """Fresh nodes one step up or down from the front."""
    around = _around(evaluated.lattice, evaluated.evaluations.levels[evaluated.front])
    return evaluated.promising(chance.permutation(around[evaluated.fresh(around)]), count)


def _around(lattice: Lattice, levels: LevelArray) -> LevelArray:
    """All nodes one step up or down."""
    width = len(lattice.shape)
    steps = np.concatenate([np.eye(width, dtype=np.int16), -np.eye(width, dtype=np.int16)])
    around: LevelArray = (levels[:, None] + steps).reshape(-1, width)
    return around[((around >= lattice.floors) & (around <= lattice.heights)).all(axis=1)]


def _rest(evaluated: _Evaluated, chance: np.random.Generator, count: int) -> LevelArray:
    """Fresh nodes anywhere; of a small lattice many at a time, so that it is listed only a few times.

    In a large one they are drawn, and taken from beside the feasible nodes, as nearly all others may be hopeless.
    """
    if listed := evaluated.lattice.size <= _LISTED:
        levels = evaluated.lattice.levels()
    else:
        beside = _around(evaluated.lattice, evaluated.evaluations.levels[evaluated.evaluations[Fact.FEASIBLE]])
        levels = np.concatenate([_drawn(evaluated.lattice, chance, 20 * count), beside])
    levels = chance.permutation(levels[evaluated.fresh(levels)])
    return levels[: max(count, len(levels) // 8) if listed else count]


def _levels(nodes: Any) -> LevelArray:
    return np.asarray(nodes.get("X"), np.int16)


def _key(row: LevelArray) -> bytes:
    return row.tobytes()
