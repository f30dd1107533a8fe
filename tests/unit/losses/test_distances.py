"""Earth mover's distances against a solver of the transport problem, and the comparison metrics against plain formulas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.optimize
import scipy.spatial.distance
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.losses import loss_named
from sfumato.losses.distances import emd, fitting_distance
from tests.golden import exact
from tests.unit.losses.classes import Floats, counts_of, pairs, paths, places, shares, statistics, trees

Pair = tuple[list[int], list[int]]
Ground = list[list[float]]


def transported(prior: list[int], posterior: list[int], ground: Ground) -> float:
    """The least work that turns the one distribution into the other, by linear programming."""
    m = len(prior)
    leaving = np.kron(np.eye(m), np.ones(m))
    arriving = np.kron(np.ones(m), np.eye(m))
    result = scipy.optimize.linprog(
        np.ravel(ground),
        A_eq=np.vstack([leaving, arriving])[:-1],
        b_eq=np.concatenate([shares(prior), shares(posterior)])[:-1],
        method="highs",
    )
    assert result.success
    return float(result.fun)


def places_apart(values: int) -> Ground:
    return [[abs(i - j) / max(values - 1, 1) for j in range(values)] for i in range(values)]


def different(values: int) -> Ground:
    return [[float(i != j) for j in range(values)] for i in range(values)]


def height_of_meeting(tree: Sequence[Sequence[int]]) -> Ground:
    """The height of the lowest common ancestor, as a share of that of the tree."""
    values = range(len(tree[0]))

    def height(i: int, j: int) -> float:
        return 0 if i == j else next(level for level, nodes in enumerate(tree, start=1) if nodes[i] == nodes[j]) / len(tree)

    return [[height(i, j) for j in values] for i in values]


pairs_on_trees = st.integers(1, 6).flatmap(lambda m: st.tuples(counts_of(m), counts_of(m), trees(m)))


@given(pairs())
def test_equal_distance_is_the_least_work(pair: Pair) -> None:
    prior, posterior = pair
    [result] = emd(statistics([posterior], prior), "equal").tolist()
    assert result == pytest.approx(transported(prior, posterior, different(len(prior))), abs=1e-9)
    assert result == pytest.approx(float(exact.emd_equal(exact.shares(prior), exact.shares(posterior))), abs=1e-14)


@given(pairs())
def test_ordered_distance_is_the_least_work(pair: Pair) -> None:
    prior, posterior = pair
    [result] = emd(statistics([posterior], prior), "ordered").tolist()
    assert result == pytest.approx(transported(prior, posterior, places_apart(len(prior))), abs=1e-9)
    assert result == pytest.approx(float(exact.emd_ordered(exact.shares(prior), exact.shares(posterior))), abs=1e-14)


@given(pairs(values=2))
def test_ordered_distance_is_the_wasserstein_distance_of_evenly_spaced_numbers(pair: Pair) -> None:
    prior, posterior = pair
    places = np.arange(len(prior)) / (len(prior) - 1)
    [result] = emd(statistics([posterior], prior), "ordered").tolist()
    assert result == pytest.approx(float(scipy.stats.wasserstein_distance(places, places, prior, posterior)), abs=1e-12)


@given(pairs(values=2).flatmap(lambda pair: st.tuples(st.just(pair), places(len(pair[0])))))
def test_declared_values_that_nobody_has_keep_their_places(drawn: tuple[Pair, list[int]]) -> None:
    (prior, posterior), [*each, last] = drawn
    [result] = emd(statistics([posterior], prior, places=[*each, last]), "ordered").tolist()
    at = np.array(each) / last
    assert result == pytest.approx(float(scipy.stats.wasserstein_distance(at, at, prior, posterior)), abs=1e-12)


@settings(max_examples=200)
@given(pairs_on_trees)
def test_hierarchical_distance_is_the_least_work(drawn: tuple[list[int], list[int], list[list[int]]]) -> None:
    prior, posterior, tree = drawn
    [result] = emd(statistics([posterior], prior, tree=tree), "hierarchical").tolist()
    assert result == pytest.approx(transported(prior, posterior, height_of_meeting(tree)), abs=1e-9)
    right = exact.emd_hierarchical(exact.shares(prior), exact.shares(posterior), paths(tree))
    assert result == pytest.approx(float(right), abs=1e-14)


@given(pairs())
def test_hierarchical_distance_on_a_tree_of_one_level_is_equal_distance(pair: Pair) -> None:
    prior, posterior = pair
    known = statistics([posterior], prior, tree=[[0] * len(prior)])
    assert emd(known, "hierarchical").tolist() == pytest.approx(emd(known, "equal").tolist(), abs=1e-15)


@given(pairs(values=2, most=2))
def test_all_three_distances_are_one_for_two_values(pair: Pair) -> None:
    prior, posterior = pair
    known = statistics([posterior], prior)
    equal, ordered, hierarchical = (emd(known, distance).tolist() for distance in ("equal", "ordered", "hierarchical"))
    assert ordered == pytest.approx(equal, abs=1e-15)
    assert hierarchical == pytest.approx(equal, abs=1e-15)


@given(pairs_on_trees)
def test_no_distance_exceeds_that_of_values_all_equally_far_apart(drawn: tuple[list[int], list[int], list[list[int]]]) -> None:
    prior, posterior, tree = drawn
    known = statistics([posterior], prior, tree=tree)
    [equal] = emd(known, "equal").tolist()
    assert equal <= 1 + 1e-15
    assert all(0 <= emd(known, distance)[0] <= equal + 1e-14 for distance in ("ordered", "hierarchical"))


@given(pairs(), st.data())
def test_the_order_of_values_is_irrelevant_to_a_tree(pair: Pair, data: st.DataObject) -> None:
    prior, posterior = pair
    tree = data.draw(trees(len(prior)))
    order = data.draw(st.permutations(range(len(prior))))
    one = emd(statistics([posterior], prior, tree=tree), "hierarchical")

    def turned(row: Sequence[int]) -> list[int]:
        return [row[value] for value in order]

    other = emd(statistics([turned(posterior)], turned(prior), tree=[turned(level) for level in tree]), "hierarchical")
    assert one.tolist() == pytest.approx(other.tolist(), abs=1e-14)


@given(pairs())
def test_reversing_ordered_values_changes_nothing(pair: Pair) -> None:
    prior, posterior = pair
    one, other = statistics([posterior], prior), statistics([posterior[::-1]], prior[::-1])
    assert emd(one, "ordered").tolist() == pytest.approx(emd(other, "ordered").tolist(), abs=1e-14)


def test_the_distance_that_fits() -> None:
    tree = [[0, 0, 1], [0, 0, 0]]
    assert fitting_distance(statistics([[1, 1, 1]]).domain) == "equal"
    assert fitting_distance(statistics([[1, 1, 1]], numbers=[1, 2, 5]).domain) == "ordered"
    assert fitting_distance(statistics([[1, 1, 1]], tree=tree).domain) == "hierarchical"
    for known, distance in (
        (statistics([[2, 1, 0]], [1, 1, 1], tree=tree), "hierarchical"),
        (statistics([[2, 1, 0]], [1, 1, 1], numbers=[1, 2, 5]), "ordered"),
        (statistics([[2, 1, 0]], [1, 1, 1]), "equal"),
    ):
        assert loss_named("emd").of(known).tolist() == emd(known, distance).tolist()


def plainly(name: str, a: Floats, x: Floats) -> float:
    """The comparison metrics as books write them."""
    with np.errstate(divide="ignore"):
        return float(
            {
                "l1": lambda: np.linalg.norm(a - x, 1),
                "kl": lambda: scipy.stats.entropy(x, a, base=2),
                "js": lambda: scipy.spatial.distance.jensenshannon(x, a, base=2) ** 2,
                "hellinger": lambda: np.linalg.norm(np.sqrt(x) - np.sqrt(a)) / np.sqrt(2),
                "chi2": lambda: sum((q - p) ** 2 / p if p else np.inf for p, q in zip(a, x, strict=True) if p or q),
            }[name]()
        )


@pytest.mark.parametrize("name", ["l1", "kl", "js", "hellinger", "chi2"])
@given(pairs(most=8))
def test_comparison_metrics_are_those_of_the_books(name: str, pair: Pair) -> None:
    prior, posterior = pair
    [result] = loss_named(name).of(statistics([posterior], prior)).tolist()
    assert result == pytest.approx(plainly(name, shares(prior), shares(posterior)), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("name", "largest"), [("l1", 2), ("js", 1), ("hellinger", 1), ("emd", 1)])
def test_the_largest_value_of_a_bounded_metric(name: str, largest: float) -> None:
    assert loss_named(name).of(statistics([[0, 3]], [4, 0])).tolist() == [pytest.approx(largest, abs=1e-15)]


@pytest.mark.parametrize("name", ["kl", "chi2"])
def test_a_value_that_the_prior_rules_out_makes_a_ratio_infinite(name: str) -> None:
    assert loss_named(name).of(statistics([[1, 1], [2, 0]], [4, 0])).tolist() == [np.inf, 0]
