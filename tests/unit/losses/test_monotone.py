"""What happens to losses when classes merge: the facts on which a search may prune, and counterexamples to those it may not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.losses import LOSSES, Summary, loss_named, summarize
from tests.unit.losses.classes import Classes, classes, counts_of, statistics, total, trees

few = settings(max_examples=50)
MONOTONE = [name for name, loss in LOSSES.items() if loss.monotone]
# Hellinger's distance is the root of a convex function: its largest value is monotone, its mean over people is not (see below).
CONVEX = [name for name in MONOTONE if name != "hellinger"]
# Classes, the first two of which are merged: the largest value grows.
COUNTEREXAMPLES = {
    # One value each, then two: 1 bit is further from the 0.48 bits of the table than none at all.
    "entropy": [[4, 0, 0], [0, 4, 0], [0, 0, 92]],
    "utility-distribution": [[1, 0], [0, 1]],
    "utility-entropy": [[1, 0], [0, 1]],
    "map-error": [[1, 0], [0, 1]],
}


def over(name: str, drawn: Classes, prior: list[int] | None = None, tree: list[list[int]] | None = None) -> Summary:
    known = statistics(drawn, prior, tree=tree)
    return summarize(loss_named(name).of(known), known.sizes)


def merged(drawn: Classes, groups: list[int]) -> Classes:
    """Classes of the same group as one."""
    return [total([each for each, other in zip(drawn, groups, strict=True) if other == group]) for group in sorted(set(groups))]


@st.composite
def merges(draw: st.DrawFn) -> tuple[Classes, Classes, list[list[int]]]:
    """Classes, the same after some have merged, and a tree over their values."""
    drawn = draw(classes(least=2))
    groups = draw(st.lists(st.integers(0, 2), min_size=len(drawn), max_size=len(drawn)))
    return drawn, merged(drawn, groups), draw(trees(len(drawn[0])))


def test_most_losses_are_declared_monotone() -> None:
    assert set(MONOTONE) == {"distribution", "emd", "l1", "kl", "js", "hellinger", "chi2"}


@pytest.mark.parametrize("name", MONOTONE)
@few
@given(merges())
def test_the_largest_value_of_a_monotone_loss_never_grows_when_classes_merge(
    name: str, drawn: tuple[Classes, Classes, list[list[int]]]
) -> None:
    before, after, tree = drawn
    assert over(name, after, tree=tree).max <= over(name, before, tree=tree).max + 1e-12


@pytest.mark.parametrize("name", CONVEX)
@few
@given(merges())
def test_the_mean_over_people_of_a_convex_loss_never_grows_when_classes_merge(
    name: str, drawn: tuple[Classes, Classes, list[list[int]]]
) -> None:
    before, after, tree = drawn
    assert over(name, after, tree=tree).people_mean <= over(name, before, tree=tree).people_mean + 1e-12


@pytest.mark.parametrize("distance", ["emd_equal", "emd_ordered", "emd_hierarchical"])
@few
@given(merges())
def test_no_earth_movers_distance_grows_when_classes_merge(
    distance: str, drawn: tuple[Classes, Classes, list[list[int]]]
) -> None:
    before, after, tree = drawn
    one, other = (statistics(each, tree=tree) for each in (before, after))
    assert other.column(distance).max() <= one.column(distance).max() + 1e-14


@given(merges())
def test_any_stated_prior_for_all_classes_leaves_a_monotone_loss_monotone(
    drawn: tuple[Classes, Classes, list[list[int]]],
) -> None:
    before, after, _ = drawn
    prior = [1 + value for value in range(len(before[0]))]
    for name in MONOTONE:
        assert over(name, after, prior).max <= over(name, before, prior).max + 1e-12


@given(merges())
def test_total_entropy_utility_loss_never_falls_when_classes_merge(drawn: tuple[Classes, Classes, list[list[int]]]) -> None:
    before, after, _ = drawn
    assert over("utility-entropy", after).people_mean >= over("utility-entropy", before).people_mean - 1e-12


@given(merges())
def test_the_best_guesser_never_errs_less_when_classes_merge(drawn: tuple[Classes, Classes, list[list[int]]]) -> None:
    """On average over people, and in the class where the guess is best."""
    before, after, _ = drawn
    assert over("map-error", after).people_mean >= over("map-error", before).people_mean - 1e-12
    assert over("map-error", after).min >= over("map-error", before).min - 1e-12


@pytest.mark.parametrize("name", [name for name, loss in LOSSES.items() if not loss.monotone])
def test_every_loss_that_is_not_monotone_has_a_counterexample(name: str) -> None:
    first, second, *others = COUNTEREXAMPLES[name]
    before, after = [first, second, *others], [total([first, second]), *others]
    assert over(name, after).max > over(name, before).max + 0.01


def test_merging_can_lower_the_total_distribution_utility_loss() -> None:
    """Neither direction is safe: here a coarser table costs less."""
    first, second = [0, 13, 2], [3, 15, 0]
    before, after = over("utility-distribution", [first, second]), over("utility-distribution", [total([first, second])])
    assert after.people_mean < before.people_mean - 1e-4


def test_merging_can_raise_the_total_distribution_utility_loss() -> None:
    assert over("utility-distribution", [[1, 1]]).people_mean > over("utility-distribution", [[1, 0], [0, 1]]).people_mean


def test_merging_can_raise_the_mean_of_hellingers_distance_over_people() -> None:
    """Between the prior and one half the distance is concave in a share."""
    first, second, others = [5, 95], [50, 50], [45, 9755]
    before, after = over("hellinger", [first, second, others]), over("hellinger", [total([first, second]), others])
    assert after.people_mean > before.people_mean + 1e-4
    assert after.max <= before.max


@pytest.mark.parametrize("name", MONOTONE)
def test_merging_can_raise_the_mean_over_classes_of_any_loss(name: str) -> None:
    """Many classes like the prior hide one that is not, until they are one."""
    alike, others = [[1, 1]] * 8, [[9, 1], [1, 9]]
    before, after = over(name, [*alike, *others]), over(name, [total(alike), *others])
    assert after.class_mean > before.class_mean + 0.01


@pytest.mark.parametrize("name", list(LOSSES))
@few
@given(drawn=st.integers(1, 5).flatmap(lambda m: st.tuples(counts_of(m), counts_of(m))))
def test_merging_two_classes_of_one_distribution_changes_no_largest_value(name: str, drawn: tuple[list[int], list[int]]) -> None:
    one, other = drawn
    double = [2 * count for count in one]
    before, after = over(name, [one, double, other]), over(name, [total([one, double]), other])
    assert (after.max, after.people_mean) == pytest.approx((before.max, before.people_mean), abs=1e-12)
