"""Two nodes per model that is not monotone: the finer one satisfies it, the coarser one does not."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.models import Judged
from sfumato.vocabulary.kinds import Kind
from tests.contracts.model_world import GUARDS, World, known, release
from tests.strategies import Drawn, Row

Two = tuple[Judged, Judged]
# Leaves 0 and 1 are one group; 2 and 3 stay alone.
PATHS = ((("0", "g0", "*"), ("1", "g0", "*"), ("2", "g1", "*"), ("3", "g2", "*")),)
Cell = tuple[int, int, Sequence[int]]


def merging(classes: Sequence[Sequence[int]], **how: object) -> Two:
    """Counts per class, and the same with the first two classes merged."""
    one, two, *rest = classes
    prior = [sum(column) for column in zip(*classes, strict=True)]
    merged = [tuple(a + b for a, b in zip(one, two, strict=True)), *rest]
    return release(classes, prior=prior, **how), release(merged, prior=prior, **how)  # type: ignore[arg-type]


def of_owners(cells: Sequence[Cell], others: Sequence[Cell] = ()) -> Two:
    """Cells of (class, value, owners); classes 0 and 1 merge."""
    rows = [(Row((place,), None, owner, 1), value) for place, value, owners in cells for owner in owners]
    more = tuple(Row((place,), None, owner, 1) for place, _, owners in others for owner in owners)
    table = Drawn(PATHS, tuple(row for row, _ in rows), owned=True)
    world = World(table, tuple(value for _, value in rows), (None,) * len(rows), more)
    return world.judged((0,)), world.judged((1,))


def sizes(people: Sequence[int], population: int) -> Judged:
    """Classes of so many people in a population of so many."""
    return known(release([(count,) for count in people]), size=population)


def guarded() -> Two:
    """Somebody of the first class guards `low` and nobody there has it; in the second everybody has it and nobody guards it."""
    rows = (Row((0,), None, 0, 1), Row((1,), None, 0, 1))
    world = World(Drawn(PATHS, rows, owned=False), (3, 0), (GUARDS.index("low"), None))
    return world.judged((0,)), world.judged((1,))


def distances() -> Two:
    """Places 0, 2, 3: the first becomes 0.5, in a group with the empty place 1."""
    rows = tuple(Row((leaf,), None, 0, people) for leaf, people in ((0, 1), (2, 1), (3, 2)))
    world = World(Drawn(PATHS, rows, owned=False), (0, 0, 0), (None,) * 3)
    return world.judged((0,)), world.judged((1,))


# Classes whose entropy is near the prior's, one a permutation of the other; together they are far more mixed than the table.
MIXED = ((9, 1, 0), (0, 1, 9), (0, 400, 0))
PURE = ((1, 0), (0, 1))
# {0, 5} and {-1, 1}: merged, 0 has -1 and 1 within reach.
NEAR = merging(((0, 1, 0, 1), (1, 0, 1, 0)), kind=Kind.INTEGER, labels=("-1", "0", "1", "5"))

BREAKS: dict[str, Two] = {
    "entropy-loss:0.3": merging(MIXED),
    "privacy-loss:1.4,0.3": merging(MIXED),
    "utility-distribution-loss:0.5": merging(PURE),
    "utility-entropy-loss:0.5": merging(PURE),
    "utility-loss:0.5,0.5": merging(PURE),
    "em-anonymity:1,2": NEAR,
    "personalized-privacy:0.4,guard": guarded(),
    "ct-isolation:1.5,3": distances(),
    "population-uniqueness:0.05": (sizes((1, 1, 6, 6), 50), sizes((1, 1, 12), 50)),
    "population-uniqueness:0.1,zayatz": (sizes((1, 1, 5, 6), 50), sizes((1, 1, 11), 50)),
    "population-uniqueness:0.1,snb": (sizes((1, 1, 2, 4), 1000), sizes((1, 1, 6), 1000)),
}

# Three classes with two owners under each of two values, and so has the table four under each. Classes 0 and 1 share the owners of one
# value only: merged they count (4, 2).
SHARED = of_owners([(0, 0, (1, 2)), (0, 1, (5, 6)), (1, 0, (3, 4)), (1, 1, (5, 6)), (2, 0, (1, 2)), (2, 1, (7, 8))])

OWNER_BREAKS: dict[str, Two] = {
    **dict.fromkeys(
        (
            "probabilistic-diversity:2",
            "entropy-diversity:2",
            "recursive-diversity:1.5,2",
            "t-closeness:0.05",
            "distribution-loss:0.1",
            "map-error:0.5",
            "alpha-k-anonymity:0.5,2",
            "confidence-bounding:0.5",
            "xy-privacy:2,0.5",
            "beta-likeness:0.1",
            "delta-disclosure:0.1",
        ),
        SHARED,
    ),
    # Two classes of the same four people: there are fewer classes then, and fewer people still.
    "average-risk:0.35": of_owners([(0, 0, (1, 2, 3, 4)), (1, 0, (1, 2, 3, 4)), (2, 0, (9,))]),
    # Two of four people in either class; the other two are the same.
    "delta-presence:0,0.5": of_owners([(0, 0, (1, 2)), (1, 0, (3, 4))], [(0, 0, (9, 10)), (1, 0, (9, 10))]),
}
