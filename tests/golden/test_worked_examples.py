"""The worked examples of the sources, and what their authors got wrong.

`worked_examples.json` holds counts and values that are recomputed from the definitions; `exact.py` holds the definitions. Where a
source prints something else, the printed value stands in a comment beside the right one (see docs/errata.md for the derivations).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import log, log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.losses import loss_named, summarize
from sfumato.losses.distances import emd, fitting_distance
from sfumato.models import Judged
from sfumato.models.attribute.recursive_diversity import RecursiveDiversity
from sfumato.statistics import entropy_of
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.kinds import Kind
from tests.golden import exact
from tests.unit.losses.classes import believed, statistics

RELEASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "worked_examples.json").read_text("utf-8"))["releases"]
# What the file calls a quantity, and how the package finds it.
QUANTITIES = {
    "distribution": loss_named("distribution").of,
    "entropy": loss_named("entropy").of,
    "utility_distribution": loss_named("utility-distribution").of,
    "utility_entropy": loss_named("utility-entropy").of,
    "emd_equal": lambda known: emd(known, "equal"),
    "emd_ordered": lambda known: emd(known, "ordered"),
}
# Printed by the sources and wrong; everything else that they print agrees with the file.
WRONG = {
    ("three diseases", "distribution", 2),
    ("three diseases", "emd_equal", 0),
    ("three diseases", "emd_equal", 1),
    ("three diseases", "emd_equal", 2),
    ("4-anonymous patients", "distribution", 2),
    ("nine salaries in thousands, two classes", "distribution", 0),
    ("nine salaries in thousands, two classes", "distribution", 1),
    ("nine salaries in thousands, two classes", "entropy", 0),
}
all_releases = pytest.mark.parametrize("release", RELEASES, ids=lambda release: release["name"])


def column(release: dict[str, Any], quantity: str) -> list[float]:
    """A quantity of every class; the file writes exact ones as fractions."""
    return [float(Fraction(each[quantity])) for each in release["classes"]]


def values_of(prior: Sequence[int], classes: Sequence[Sequence[int]], name: str) -> list[float]:
    """A loss of every class."""
    found: list[float] = loss_named(name).of(statistics(classes, prior)).tolist()
    return found


@all_releases
def test_the_file_holds_what_the_definitions_say(release: dict[str, Any]) -> None:
    a = exact.shares(release["prior"])
    for each in release["classes"]:
        x = exact.shares(each["counts"])
        assert Fraction(each["distribution_squared"]) == exact.distribution_squared(a, x)
        assert each["distribution"] == float(exact.root(exact.distribution_squared(a, x)))
        assert each["entropy"] == float(exact.entropy_loss(a, x))
        assert Fraction(each["emd_equal"]) == exact.emd_equal(a, x)
        assert Fraction(each["emd_ordered"]) == exact.emd_ordered(a, x)
        assert each["utility_distribution"] == float(exact.utility_distribution(x))
        assert each["utility_entropy"] == float(exact.entropy(x))


@all_releases
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_class_of_every_example_has_its_loss(release: dict[str, Any], quantity: str) -> None:
    counts = [each["counts"] for each in release["classes"]]
    _, known = believed(counts, release["prior"], release["values"])
    assert QUANTITIES[quantity](known).tolist() == pytest.approx(column(release, quantity), rel=0, abs=1e-12)


@all_releases
def test_over_the_table_a_loss_is_its_largest_its_smallest_and_its_means(release: dict[str, Any]) -> None:
    classes = [each["counts"] for each in release["classes"]]
    counts, known = believed(classes, release["prior"], release["values"])
    for name, quantity in (("distribution", "distribution"), ("utility-entropy", "utility_entropy")):
        values = column(release, quantity)
        summary = summarize(loss_named(name).of(known), counts.people)
        weighted = sum(value * sum(people) for value, people in zip(values, classes, strict=True))
        assert (summary.max, summary.min) == pytest.approx((max(values), min(values)), abs=1e-12)
        assert summary.class_mean == pytest.approx(sum(values) / len(values), abs=1e-12)
        assert summary.people_mean == pytest.approx(weighted / sum(map(sum, classes)), abs=1e-12)


@all_releases
def test_printed_values_agree_but_for_the_known_errata(release: dict[str, Any]) -> None:
    """The sources cut or round to as many digits as they print: two at least, so that a hundredth is the tolerance."""
    for quantity, printed in release["printed"].items():
        for place, (said, right) in enumerate(zip(printed, column(release, quantity), strict=True)):
            assert (abs(said - right) < 0.0101) == ((release["name"], quantity, place) not in WRONG)


# Errata: distribution and entropy loss, earth mover's distance


def test_distribution_loss_of_the_third_class_of_three_diseases() -> None:
    """Leakage paper, Examples 1 and 3; thesis, Examples 5 and 10. The differences are 4, 0 and 4 twelfths."""
    [loss] = values_of([7, 3, 2], [[1, 1, 2]], "distribution")
    assert loss == pytest.approx(sqrt(32) / 12, abs=1e-15)  # printed: sqrt(26)/12 = 0.4249
    assert round(loss, 4) == 0.4714


def test_three_diseases_are_0_333_close() -> None:
    """Leakage paper, Example 3; thesis, Example 10."""
    known = statistics([[3, 1, 0], [3, 1, 0], [1, 1, 2]], [7, 3, 2])
    assert emd(known, "equal").tolist() == pytest.approx([1 / 6, 1 / 6, 1 / 3], abs=1e-15)  # printed: 1/3, 1/3, 2/3
    assert round(float(emd(known, "equal").max()), 3) == 0.333  # printed: 0.67-closeness


def test_losses_of_the_salaries_345_and_777() -> None:
    """Leakage paper, Example 4 (which lists the classes in the other order); thesis, Example 11."""
    classes = [[1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 3, 0, 0, 0, 0]]
    distribution = values_of([3] * 9, classes, "distribution")
    assert distribution == pytest.approx([sqrt(2 / 9), sqrt(8 / 9)], abs=1e-15)  # printed: 0.22, 0.89
    assert [round(loss, 4) for loss in distribution] == [0.4714, 0.9428]
    entropy = values_of([3] * 9, classes, "entropy")
    assert entropy == pytest.approx([log2(3), log2(9)], abs=1e-14)  # printed: 0.158, 3.16
    assert [round(loss, 3) for loss in entropy] == [1.585, 3.170]
    assert emd(statistics(classes, [3] * 9), "ordered").tolist() == pytest.approx([0.375, 5 / 18], abs=1e-15)


def test_distribution_loss_of_the_class_that_all_have_cancer() -> None:
    """Negotiation paper, Example 1; thesis, Examples 8 and 12. Differences of 3, 4 and 7 twelfths."""
    [loss] = values_of([3, 4, 5], [[0, 0, 4]], "distribution")
    assert loss == pytest.approx(sqrt(9 + 16 + 49) / 12, abs=1e-15)  # printed: 0.7619
    assert round(loss, 4) == 0.7169


def test_a_class_of_fraud_only_against_a_prior_of_12_percent() -> None:
    """Thesis, Table 5.6, with the prior (0.88, 0.12) of its section 5.7."""
    [loss] = values_of([88, 12], [[0, 50]], "distribution")
    assert loss == pytest.approx(sqrt(2) * 0.88, abs=1e-15)  # printed: 0.87
    assert round(loss, 3) == 1.245


DISEASES = {
    "respiratory": {
        "infection": ["flu", "pneumonia", "bronchitis"],
        "vascular": ["pulmonary edema", "pulmonary embolism"],
    },
    "digestive": {
        "stomach": ["gastric ulcer", "stomach cancer", "gastritis"],
        "colon": ["colitis", "colon cancer"],
    },
}
# Leakage paper, Table II; thesis, Table 2.5.
CLOSE_TABLE = [
    ("gastric ulcer", "stomach cancer", "pneumonia"),
    ("gastritis", "flu", "bronchitis"),
    ("gastritis", "bronchitis", "stomach cancer"),
]


def test_hierarchical_distance_of_the_close_table() -> None:
    """With the tree of Li, Li and Venkatasubramanian, of height 3."""
    names = [name for branch in DISEASES.values() for twig in branch.values() for name in twig]
    classes = [[people.count(name) for name in names] for people in CLOSE_TABLE]
    prior = [sum(column) for column in zip(*classes, strict=True)]
    _, known = believed(classes, prior, names, builder=Listed.of_tree(DISEASES))
    assert fitting_distance(known.domain) == "hierarchical"
    found = loss_named("emd").of(known).tolist()
    assert found == pytest.approx([7 / 27, 8 / 27, 5 / 27], abs=1e-15)
    assert [round(distance, 3) for distance in found] == [0.259, 0.296, 0.185]  # printed: 0.278 for the table
    paths = [(twig, branch, "*") for branch, twigs in DISEASES.items() for twig, leaves in twigs.items() for _ in leaves]
    plain = [exact.emd_hierarchical(exact.shares(prior), exact.shares(each), paths) for each in classes]
    assert plain == [Fraction(7, 27), Fraction(8, 27), Fraction(5, 27)]


def test_salaries_of_the_close_table_are_numbers_and_ordered() -> None:
    release = next(release for release in RELEASES if "0.167" in release["name"])
    classes = [each["counts"] for each in release["classes"]]
    _, known = believed(classes, release["prior"], release["values"], kind=Kind.INTEGER)
    assert known.domain.labels == tuple(release["values"])
    assert fitting_distance(known.domain) == "ordered"
    assert loss_named("emd").of(known).tolist() == pytest.approx([1 / 6, 1 / 6, 1 / 12], abs=1e-15)


def test_children_of_a_node_are_its_direct_children() -> None:
    """Lecture, hierarchical distance. Over all leaves below, moving a half within one branch would be paid at the root again."""
    tree = [[0, 0, 1, 1], [0, 0, 0, 0]]
    [found] = emd(statistics([[2, 0, 1, 1]], [1, 1, 1, 1], tree=tree), "hierarchical").tolist()
    assert found == 1 / 4 * 1 / 2  # "all leaf nodes below": 1/4 * 1/2 + 1/4 * 2/2


def test_the_ground_distance_is_a_difference_of_places() -> None:
    """Lecture: printed |p_i - q_i| / (m - 1), a difference of probabilities; right |i - j| / (m - 1)."""
    first, last = [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]
    classes = [[int(place == moved) for place in range(5)] for moved in range(5)]
    assert emd(statistics(classes, first), "ordered").tolist() == [0, 1 / 4, 2 / 4, 3 / 4, 1]
    assert emd(statistics(classes, last), "ordered").tolist() == [1, 3 / 4, 2 / 4, 1 / 4, 0]


def test_entropy_loss_is_no_more_than_a_pseudo_metric() -> None:
    """Thesis, Theorem 3 (printed: zero if and only if the distributions are equal): a permutation has loss 0."""
    prior, turned = [7, 3, 2], [2, 7, 3]
    assert values_of(prior, [turned], "entropy") == [0]
    assert values_of(prior, [turned], "distribution")[0] > 0.5


@pytest.mark.parametrize("prior", [(1, 1, 1, 1), (7, 3, 2), (9, 3, 2, 2), (1, 0, 0), (97, 1, 1, 1)])
def test_the_largest_entropy_loss_is_reached_by_one_value_or_by_the_uniform_class(prior: tuple[int, ...]) -> None:
    """Thesis, 3.3.2: printed log2 m - H(a), which is 0 for a uniform prior; right max(H(a), log2 m - H(a))."""
    m = len(prior)
    h = float(exact.entropy(exact.shares(prior)))
    sure, even = values_of(prior, [[1] + [0] * (m - 1), [1] * m], "entropy")
    assert (sure, even) == pytest.approx((h, log2(m) - h), abs=1e-14)
    steps = [[i, j, *[4 - i - j] * (m > 2), *[0] * (m - 3)] for i in range(5) for j in range(5 - i)]
    assert max(values_of(prior, steps, "entropy")) <= max(sure, even) + 1e-14


def test_entropy_loss_is_not_convex() -> None:
    """Thesis, 3.3.2. Between two classes that have the prior's entropy lies one that has not."""
    ends, middle = values_of([3, 1], [[3, 1], [1, 3]], "entropy"), values_of([3, 1], [[2, 2]], "entropy")
    assert ends == [0, 0]
    assert middle[0] == pytest.approx(1 - float(exact.entropy(exact.shares([3, 1]))), abs=1e-15)


def test_class_utility_loss_is_a_mean_over_the_people_of_the_class() -> None:
    """Thesis, Definition 16: printed 1/N, so that Example 12 would give 0.236; right 1/N_q as in its Example 12."""
    found = values_of([3, 4, 5], [[2, 2, 0], [1, 2, 1], [0, 0, 4]], "utility-distribution")
    assert found == pytest.approx([sqrt(1 / 2), (sqrt(3 / 8) + sqrt(7 / 8)) / 2, 0], abs=1e-15)
    assert [round(loss, 2) for loss in found] == [0.71, 0.77, 0]


# The lecture


def test_entropy_of_9_positive_and_5_negative_examples() -> None:
    assert round(float(entropy_of(np.array([9, 5]) / 14)), 3) == 0.940
    assert values_of([1, 0], [[9, 5]], "utility-entropy") == pytest.approx(
        [float(exact.entropy(exact.shares([9, 5])))], abs=1e-15
    )


def test_divergence_of_the_uniform_from_a_binomial_distribution() -> None:
    """Binomial with p = 0.4, N = 2 against uniform over three values, in nats."""
    [bits] = values_of([36, 48, 16], [[1, 1, 1]], "kl")
    right = float(exact.divergence(exact.shares([1, 1, 1]), exact.shares([36, 48, 16])))
    assert bits == pytest.approx(right, abs=1e-15)
    assert round(bits * log(2), 5) == 0.09746  # printed: 0.09637, from 0.333 for a third


def test_divergence_is_cross_entropy_less_entropy() -> None:
    """The lecture leaves out the minus of the cross-entropy -sum p log q. Its D1 = (0.1, 0.9) against D2 and D3, in nats."""
    for other, printed in (([2, 8], -0.3617), ([9, 1], -2.0828)):
        known = statistics([[1, 9]], other)
        cross = float((known.column("kl") + known.column("entropy"))[0])
        assert cross == pytest.approx(float(exact.cross_entropy(exact.shares([1, 9]), exact.shares(other))), abs=1e-14)
        assert cross * log(2) == pytest.approx(-printed, abs=2e-4)  # the lecture cuts 0.36177 and 2.08287 to four digits


def test_recursive_diversity_leaves_the_most_frequent_values_out_of_the_sum() -> None:
    """Lecture: printed r_1 < c (r_1 + ...), which any c > 1 satisfies; right r_1 < c (r_l + ... + r_m)."""
    counts, known = believed([[3, 4, 1, 2]], [1, 1, 1, 1], ["a", "b", "c", "d"])
    assert (known.column("top").tolist(), known.column("tail", 3).tolist()) == ([4], [1 + 2])
    judged = Judged(counts, known)
    assert RecursiveDiversity(1.5, 3).judge(judged).satisfied  # 4 < 4.5
    assert not RecursiveDiversity(1.3, 3).judge(judged).satisfied  # 4 >= 3.9, though 4 < 1.3 * (4 + 2 + 1)


# Thesis, 2.5


def test_a_belief_that_rises_from_16_to_28_in_a_hundred() -> None:
    """A quarter of 100 people are in their fifties, 4 % are believed to be so and have cancer; 7 are found."""
    assert (Fraction(4, 100) / Fraction(1, 4), Fraction(7, 100) / Fraction(1, 4)) == (Fraction(16, 100), Fraction(28, 100))
    known = statistics([[7, 18]], [16, 84])
    assert known.prior[0].tolist() == [0.16, 0.84]
    assert (known.column("people_with", 0) / known.sizes).tolist() == [0.28]
    assert loss_named("distribution").of(known).tolist() == pytest.approx([0.12 * sqrt(2)], abs=1e-15)


def test_ten_percent_before_and_after_is_no_loss() -> None:
    assert values_of([10, 90], [[3, 27]], "distribution") == values_of([10, 90], [[3, 27]], "entropy") == [0]
