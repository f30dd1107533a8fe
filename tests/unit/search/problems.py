"""Random problems to search: small tables with several kinds of sensitive attributes, every model with drawn parameters.

A `Case` is a `World` of the models' contract (the attribute `value`, numbers under a tree; `guard`; other people of a population)
with a second sensitive attribute `score`, numbers without a tree, and a third, `word`, text without an order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from sfumato.beliefs import Prior
from sfumato.frequency import CellTable, FrequencySet
from sfumato.models import MODELS, Context, Population, model_of
from sfumato.models.protected import Members
from sfumato.question.population import PopulationOf
from sfumato.search.evaluation import Evaluations
from sfumato.search.lattice import Lattice
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.statements import Statement
from sfumato.vocabulary.builders import Listed, Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema
from tests.contracts.model_world import GUARDS, TREE, VALUES, World
from tests.strategies import Drawn, Paths, Row, paths_to_a_root

ATTRIBUTES = {
    "value": Attribute("value", Role.SENSITIVE, Kind.INTEGER, TREE),
    "score": Attribute("score", Role.SENSITIVE, Kind.INTEGER, Listed((("0",), ("3",), ("4",)))),
    "word": Attribute("word", Role.SENSITIVE, Kind.TEXT, Suppression()),
}
MORE = {"score": ("0", "3", "4"), "word": ("a", "b")}


@dataclass(frozen=True)
class Case:
    """A world and the marks of each row for the further sensitive attributes (None is missing)."""

    world: World
    marks: Mapping[str, tuple[int | None, ...]]

    @property
    def people(self) -> int:
        return self.counts().total_people

    def counts(self) -> FrequencySet:
        """Everything at the bottom."""
        found = self.world.count()
        for name, marks in self.marks.items():
            hierarchy = Listed(tuple((label,) for label in MORE[name])).build(name, Kind.TEXT, ())
            codes = np.array([len(MORE[name]) if mark is None else mark for mark in marks], np.int32)
            world = self.world
            cells = CellTable(world._columns(), world._times(), {name: (hierarchy, codes)}, world._owners())
            found = found.with_payloads(FrequencySet.of_cells(found.node, found.hierarchies, cells))
        return found

    def problem(
        self,
        models: Sequence[str],
        *,
        limit: int = 0,
        sensitive: Sequence[str] = ("value",),
        stated: Mapping[str, float] | None = None,
        population: bool = False,
    ) -> Problem:
        """To satisfy these models; `stated` are shares that everybody is believed to have of the first sensitive attribute."""
        counts = self.counts()
        return Problem(
            counts=counts,
            sensitive={name: ATTRIBUTES[name] for name in sensitive},
            priors={name: Prior.of(counts, name) for name in sensitive},
            models=tuple({text: model_of(text) for text in models}.values()),
            limit=limit,
            statements={sensitive[0]: [Statement({}, stated)]} if stated else {},
            context=Context(Members(self.schema()), population_size=3 * counts.total_people),
            population=self.beside if population else None,
            beside=PopulationOf(self.world.population().count()).beside(counts) if population else None,
        )

    def schema(self) -> Schema:
        """The QIDs with their trees."""
        table = self.world.table
        pairs = zip(table.names, table.paths, strict=True)
        return Schema(tuple(Attribute(name, Role.QUASI, Kind.TEXT, Listed(paths)) for name, paths in pairs))

    def beside(self, counts: FrequencySet) -> Population:
        """The people of the population in the classes of a node, read from the rows."""
        people = self.world.population().people(counts.node.levels)
        held = [counts.labels(number) for number in range(1, counts.classes + 1)]
        unmatched = sum(count for labels, count in people.items() if labels not in held)
        return Population(np.array([people[labels] for labels in held], np.int64), unmatched)


def _twelve() -> Case:
    tree = (("a", "g", "*"), ("b", "g", "*"), ("c", "h", "*"))
    rows = tuple(Row((place % 3, place % 2), None, place, 1) for place in range(12))
    numbers = tuple(place % 4 for place in range(12))
    return Case(World(Drawn((tree, tree), rows, owned=False), numbers, numbers), {"score": (None,) * 12, "word": (0,) * 12})


# Twelve rows over two QIDs, two in each of six classes.
TWELVE = _twelve()


def stated_about(case: Case) -> dict[str, float]:
    """A share of one value, stated of everybody: half if another value occurs, else all; nothing if no value is known."""
    values = Prior.of(case.counts(), "value").values
    known = [value for value in values if value is not None]
    return {known[0]: 0.5 if len(values) > 1 else 1.0} if known else {}


def cases(*, owned: bool = False, least: int = 1) -> st.SearchStrategy[Case]:
    """Small tables with up to three QIDs; some miss nothing. Most are made from a seed, for drawn ones are often too small to tell."""
    return st.tuples(st.integers(0, 10**9), st.just(owned), st.just(least)).map(_seeded) | _drawn(owned, least)


def _seeded(given: tuple[int, bool, int]) -> Case:
    """Five to fourteen rows, most of them of a few kinds whose values are alike."""
    seed, owned, least = given
    rng = Random(seed)
    paths = tuple(_tree(rng) for _ in range(rng.randint(max(least, 2), 3)))
    missing = rng.choice([0.0, 0.0, 0.1])

    def mark(size: int, liked: int) -> int | None:
        return None if rng.random() < missing else liked % size if rng.random() < 0.5 else rng.randrange(size)

    kinds = [tuple(mark(len(tree), rng.randrange(9)) for tree in paths) for _ in range(rng.randint(2, 4))]
    rows, marks = [], []
    for _ in range(rng.randint(5, 14)):
        kind = rng.randrange(len(kinds))
        leaves = kinds[kind] if rng.random() < 0.7 else tuple(mark(len(tree), rng.randrange(9)) for tree in paths)
        rows.append(Row(leaves, None, rng.randrange(8), rng.choice([1, 1, 1, 2])))
        marks.append({name: mark(size, kind) for name, size in _SIZES.items()})
    others = tuple(Row(rng.choice(kinds), None, rng.randrange(20), rng.randint(1, 3)) for _ in range(rng.randint(0, 4)))
    return _case(Drawn(paths, tuple(rows), owned), {name: tuple(each[name] for each in marks) for name in _SIZES}, others)


def _tree(rng: Random) -> Paths:
    """Two to four leaves under `*`, often with groups between."""
    leaves = range(rng.randint(2, 4))
    if rng.random() < 0.3:
        return tuple((f"v{leaf}", "*") for leaf in leaves)
    return tuple((f"v{leaf}", f"w{rng.randrange(2)}", "*") for leaf in leaves)


_SIZES = {"value": len(VALUES), "guard": len(GUARDS), **{name: len(labels) for name, labels in MORE.items()}}


def _case(table: Drawn, marks: Mapping[str, tuple[int | None, ...]], others: tuple[Row, ...]) -> Case:
    return Case(World(table, marks["value"], marks["guard"], others), {name: marks[name] for name in MORE})


@st.composite
def _drawn(draw: st.DrawFn, owned: bool, least: int) -> Case:
    """The smallest tables there are, and all their odd cases."""
    paths = tuple(draw(st.lists(paths_to_a_root(leaves=4, levels=2), min_size=least, max_size=3)))
    known = draw(st.booleans())

    def mark(size: int) -> st.SearchStrategy[int | None]:
        return st.integers(0, size - 1) if known else st.none() | st.integers(0, size - 1)

    row = st.builds(Row, st.tuples(*(mark(len(tree)) for tree in paths)), st.none(), st.integers(0, 5), st.integers(1, 3))
    rows = tuple(draw(st.lists(row, min_size=1, max_size=10)))
    marks = {name: tuple(draw(st.lists(mark(size), min_size=len(rows), max_size=len(rows)))) for name, size in _SIZES.items()}
    return _case(Drawn(paths, rows, owned), marks, tuple(draw(st.lists(row, max_size=4))))


# Every model with parameters: thresholds that are sometimes kept and sometimes broken by tables of ten rows.
_shares = st.sampled_from(["0", "0.1", "0.25", "0.34", "0.5", "0.6", "0.75", "0.9"])
_counts = st.sampled_from(["1", "2", "3", "4"])
_parts = st.sampled_from(["1", "1.2", "1.5", "2", "3"])
_losses = st.sampled_from(["0", "0.05", "0.2", "0.4", "0.7", "0.9", "1.2"])
_pairs = st.sampled_from(["0.05", "0.2", "0.4", "0.7", "0.9", "1.2"])
_basis = st.sampled_from(["", ",total"])


def _text(name: str, *parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    made = [part if isinstance(part, st.SearchStrategy) else st.just(part) for part in parts]
    return st.tuples(*made).map(lambda found: f"{name}:" + "".join(found))


TEXTS: dict[str, st.SearchStrategy[str]] = {
    "k-anonymity": _text("k-anonymity", _counts),
    "distinct-diversity": _text("distinct-diversity", _counts),
    "probabilistic-diversity": _text("probabilistic-diversity", _parts),
    "entropy-diversity": _text("entropy-diversity", _parts),
    "recursive-diversity": _text("recursive-diversity", st.sampled_from(["0.5", "1", "1.5", "3"]), ",", _counts),
    "t-closeness": _text("t-closeness", _shares, st.sampled_from(["", ",equal", ",ordered"])),
    "distribution-loss": _text("distribution-loss", _losses, _basis),
    "entropy-loss": _text("entropy-loss", _losses, _basis),
    "privacy-loss": _text("privacy-loss", _pairs, ",", _pairs, _basis),
    "utility-distribution-loss": _text("utility-distribution-loss", _losses, _basis),
    "utility-entropy-loss": _text("utility-entropy-loss", _losses, _basis),
    "utility-loss": _text("utility-loss", _pairs, ",", _pairs, _basis),
    "map-error": _text("map-error", _shares, _basis),
    "alpha-k-anonymity": _text("alpha-k-anonymity", _shares, ",", _counts),
    "confidence-bounding": _text("confidence-bounding", _shares),
    "xy-privacy": _text("xy-privacy", _counts, ",", _shares) | _text("xy-privacy", _counts),
    "ke-anonymity": _text("ke-anonymity", _counts, ",", st.sampled_from(["0", "1", "3", "7"])),
    "em-anonymity": _text("em-anonymity", _losses, ",", _parts, st.sampled_from(["", ",relative"])),
    "personalized-privacy": _text("personalized-privacy", _shares, ",guard"),
    "ct-isolation": _text("ct-isolation", _parts, ",", _counts),
    "beta-likeness": _text("beta-likeness", st.sampled_from(["0.2", "0.5", "1", "3"]), st.sampled_from(["", ",enhanced"])),
    "delta-disclosure": _text("delta-disclosure", st.sampled_from(["0", "0.5", "1", "2"])),
    "average-risk": _text("average-risk", _shares),
    "population-uniqueness": _text("population-uniqueness", _shares, st.sampled_from(["", ",zayatz", ",snb"])),
    "k-map": _text("k-map", _counts),
    "delta-presence": st.sampled_from(["delta-presence:0,0.5", "delta-presence:0.3,0.8", "delta-presence:0,1"]),
    "multirelational-k-anonymity": _text("multirelational-k-anonymity", _counts),
}
PUBLIC = ("k-map", "delta-presence")  # these need a public table
OWNERS = ("multirelational-k-anonymity",)  # and these owners
OF_VALUE = ("personalized-privacy",)  # these speak of the tree of `value`
ROWS = [name for name in MODELS if name not in (*PUBLIC, *OWNERS)]


def several(names: Sequence[str] = ROWS, *, most: int = 3) -> st.SearchStrategy[list[str]]:
    """Some models with parameters."""
    return st.lists(st.sampled_from(names).flatmap(lambda name: TEXTS[name]), min_size=1, max_size=most, unique=True)


def limits(case: Case) -> st.SearchStrategy[int]:
    """How many may leave: nobody, some, everybody."""
    return st.sampled_from([0, 0.15, 0.3, 0.5, 0.7, 1]).map(lambda share: int(share * case.people))


@st.composite
def problems(
    draw: st.DrawFn,
    names: Sequence[str] = ROWS,
    *,
    most: int = 3,
    limit: int | None = None,
    sensitive: Sequence[str] = (),
    least: int = 1,
) -> Problem:
    """A problem whose rows are people, about one, two or no sensitive attributes, with at least so many QIDs."""
    case = draw(cases(least=least))
    models = draw(several(names, most=most))
    about: Sequence[str] = sensitive or draw(st.sampled_from([("value",), ("value", "score"), ("score",)]))
    if any(text.startswith(OF_VALUE) for text in models):
        about = ("value",)
    return case.problem(models, limit=draw(limits(case)) if limit is None else limit, sensitive=about)


@st.composite
def unusual(draw: st.DrawFn, kinds: Sequence[str] = ("owners", "stated", "population")) -> Problem:
    """A problem in which people do not simply add up: with owners, with a stated belief, or with a population."""
    kind = draw(st.sampled_from(kinds))
    case = draw(cases(owned=kind == "owners" or (kind == "population" and draw(st.booleans()))))
    assume(kind != "stated" or stated_about(case))
    names = [*ROWS, *OWNERS] if kind == "owners" else [*ROWS, *PUBLIC] if kind == "population" else ROWS
    return case.problem(
        draw(several(names)),
        limit=draw(limits(case)),
        stated=stated_about(case) if kind == "stated" else None,
        population=kind == "population",
    )


def plainly(problem: Problem, wanted: Sequence[str]) -> Evaluations:
    """Every node of a problem by the plain definitions."""
    return PlainEvaluator(problem, wanted).evaluate(Lattice.of(problem.counts).levels())


def assert_same(found: Evaluations, right: Evaluations, close: float = 1e-12) -> None:
    """The same nodes and columns; numbers within `close` relative to max(1, |v|)."""
    assert found.levels.tolist() == right.levels.tolist()
    columns, expected = found.named(), right.named()
    assert set(columns) == set(expected)
    for name, column in expected.items():
        assert _close(np.asarray(columns[name]), np.asarray(column), close), (name, columns[name], column)


def _close(found: npt.NDArray[Any], right: npt.NDArray[Any], close: float) -> bool:
    if right.dtype == bool or found.dtype == bool:
        return found.dtype == right.dtype and bool((found == right).all())
    finite = np.isfinite(right)
    if not np.array_equal(found[~finite], right[~finite]):
        return False
    gap = np.abs(found[finite] - right[finite])
    return bool((gap <= close * np.maximum(1, np.abs(right[finite]))).all())


def below(levels: npt.NDArray[np.integer], node: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Which nodes lie at or below a node."""
    return np.asarray((levels <= node).all(axis=1))
