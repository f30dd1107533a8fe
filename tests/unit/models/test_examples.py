"""The example in each model's docstring, and the worked cases of the sources, by hand."""

from __future__ import annotations

from math import log, log2, sqrt

import pytest

from sfumato.models import MODELS, Judged, model_of
from sfumato.vocabulary.kinds import Kind
from tests.contracts.model_breaks import of_owners, sizes
from tests.contracts.model_world import GUARDS, World, known, release
from tests.strategies import Drawn, Row

ONE = release([(3, 1, 0)], labels=("flu", "cold", "gout"))
THREE = release([(3, 1, 0), (3, 1, 0), (1, 1, 2)], prior=(7, 3, 2))
PAIR = release([(2, 2), (3, 1)], prior=(1, 1))
CENSUS = release([(22,), (181,), *[(4993,)] * 5, (4994,)])


def numbers(*classes: tuple[int, ...]) -> Judged:
    """Classes of distinct numbers."""
    held = sorted({number for numbers in classes for number in numbers})
    counts = [tuple(int(number in numbers) for number in held) for numbers in classes]
    return release(counts, kind=Kind.INTEGER, labels=[str(number) for number in held])


def public() -> Judged:
    """The lecture's patients: 4 of the 5 artists and 3 of the 4 professionals of the external table."""
    return known(release([(3, 1), (1, 2)]), (5, 4))


def guarded() -> Judged:
    """Counts (1, 1, 2) of 1, 2 and 5; somebody guards low = {1, 2}."""
    rows = tuple(Row((0,), None, 0, times) for times in (1, 1, 2))
    world = World(Drawn(((("a", "*"),),), rows, owned=False), (0, 1, 2), (None, None, GUARDS.index("low")))
    return world.judged((0,))


def line() -> Judged:
    """Codes 0, 1 and 10 of 0 to 10, with 1, 2 and 9 people."""
    paths = (tuple((str(code), "*") for code in range(10)),)
    rows = (Row((0,), None, 0, 1), Row((1,), None, 0, 2), Row((None,), None, 0, 9))
    return World(Drawn(paths, rows, owned=False), (0, 0, 0), (None,) * 3).judged((0,))


# Model, release, value, satisfied.
EXAMPLES = [
    ("k-anonymity:22", CENSUS, 22, True),
    ("k-anonymity:23", CENSUS, 22, False),
    ("distinct-diversity:2", ONE, 2, True),
    ("probabilistic-diversity:1", ONE, 3 / 4, True),
    ("probabilistic-diversity:2", ONE, 3 / 4, False),
    ("entropy-diversity:3", release([(2, 2, 2)]), log2(3), True),  # no false rejection, as ARX's
    ("recursive-diversity:2,3", release([(4, 3, 2, 1)]), 4 / 3, True),
    ("recursive-diversity:1.5,2", release([(4, 2, 2)]), 1, True),
    ("recursive-diversity:1,2", release([(4, 2, 2)]), 1, False),
    # Strict beyond rounding: 1.1 * 10 is a little more than 11 in floating point.
    ("recursive-diversity:1.1,2", release([(11, 10)]), 1.1, False),
    # The lecture prints r_1 < c (r_1 + ...), which everything satisfies for c > 1; it is r_l + ... + r_m.
    ("recursive-diversity:1.1,2", release([(9, 1)]), 9, False),
    ("t-closeness:0.4,equal", THREE, 1 / 3, True),
    ("t-closeness:0.3", THREE, 1 / 3, False),
    ("distribution-loss:0.47", THREE, sqrt(32) / 12, False),  # printed: sqrt(26) / 12
    ("entropy-loss:1.6", release([(0, 0, 4)], prior=(3, 4, 5)), 1.5545851693377994, True),
    ("privacy-loss:0.5,1", THREE, 0.9428090415820635, True),
    ("utility-distribution-loss:0.8", release([(2, 2, 0)]), sqrt(1 / 2), True),
    ("utility-entropy-loss:1", release([(1, 2, 1)]), 1.5, False),
    ("utility-loss:3,0.9", release([(1, 2, 1)]), 0.77389339119464 / 0.9, True),
    ("map-error:0.25", ONE, 1 / 4, True),
    ("map-error:0.3", ONE, 1 / 4, False),
    ("map-error:0.4,total", release([(3, 1), (1, 1)]), 1 / 3, False),  # (1 + 1) / 6 people
    ("alpha-k-anonymity:0.5,3", ONE, 0.75, False),
    ("alpha-k-anonymity:0.5,3", release([(2, 2)]), 0.5, True),
    ("alpha-k-anonymity:0.5,3", release([(1, 1)]), 2, False),
    ("multirelational-k-anonymity:2", of_owners([(0, 0, (7, 7, 7, 8))])[0], 2, True),
    ("confidence-bounding:0.5", ONE, 3 / 4, False),
    ("confidence-bounding:0.5,cold;gout", ONE, 1 / 4, True),
    ("xy-privacy:2", ONE, 2, True),
    ("xy-privacy:2,0.5", ONE, 3 / 4, False),
    ("ke-anonymity:3,3", numbers((3, 4, 5)), 2, False),
    ("ke-anonymity:3,2", numbers((3, 4, 5)), 2, True),
    ("em-anonymity:1,2", numbers((0, 5)), 1 / 2, True),
    ("personalized-privacy:0.5,guard", guarded(), 1 / 2, True),
    ("personalized-privacy:0.4,guard", guarded(), 1 / 2, False),
    ("delta-presence:0.5,0.8", public(), 4 / 5, True),
    ("delta-presence:0.5,0.75", public(), 4 / 5, False),
    ("delta-presence:0.8,0.9", public(), 3 / 4, False),
    ("ct-isolation:2,3", line(), 3, True),
    ("ct-isolation:2,4", line(), 3, False),
    ("beta-likeness:2", release([(3, 7)], prior=(1, 9)), 2, True),
    ("beta-likeness:2,enhanced", release([(3, 7)], prior=(1, 9)), 1, True),  # -ln 0.1 = 2.3 is no bound here
    ("delta-disclosure:0.7", PAIR, log(2), True),
    ("delta-disclosure:0.6", PAIR, log(2), False),
    ("k-map:5", known(release([(1,), (3,)]), (7, 5)), 5, True),
    ("average-risk:0.001", CENSUS, 8 / 30162, True),
    ("population-uniqueness:0.5", sizes([1] * 10, 10), 1, False),
    ("population-uniqueness:0", sizes([2, 3, 5], 10**6), 0, True),
]


# The lecture's and the thesis' tables. Patients: heart disease, flu, cancer; nine salaries of 3K to 11K in classes of three.
PATIENTS = release([(3, 0, 0), (1, 1, 1), (1, 0, 2)])
SALARIES = numbers((3, 4, 5), (6, 8, 11), (7, 9, 10))
CLOSER = numbers((3, 5, 9), (6, 8, 11), (4, 7, 10))
SKEWED = release([(49, 1), (51, 9899)])
WORKED = [
    ("k-anonymity:3", PATIENTS, 3, True),
    ("distinct-diversity:2", PATIENTS, 1, False),  # homogeneity: everybody of the first class has heart disease
    ("distinct-diversity:3", SALARIES, 3, True),
    ("t-closeness:0.2", SALARIES, 0.375, False),
    ("t-closeness:0.167", CLOSER, 1 / 6, True),
    ("distinct-diversity:2", SKEWED, 2, True),
    ("probabilistic-diversity:2", SKEWED, 0.9948743718592965, False),
    ("beta-likeness:50", SKEWED, 97, False),  # 98 % positive where 1 % is
    ("entropy-diversity:2", release([(9, 5)]), 0.9402859586706311, False),
]


@pytest.mark.parametrize(("name", "judged", "value", "satisfied"), [*EXAMPLES, *WORKED])
def test_worked_examples_hold(name: str, judged: Judged, value: float, satisfied: bool) -> None:
    result = model_of(name).judge(judged)
    assert result.value == pytest.approx(value, abs=1e-12)
    assert result.satisfied is satisfied


def test_every_model_has_its_example_here() -> None:
    assert {name.split(":")[0] for name, *_ in EXAMPLES} == set(MODELS)


def test_people_of_the_public_table_in_no_class_are_surely_absent() -> None:
    judged = known(public(), (5, 4), unmatched=2)
    result = model_of("delta-presence:0.1,0.9").judge(judged)
    assert (result.value, result.satisfied, result.witness) == (0.0, False, None)
    assert result.reason == "people of the public table fit no class"
    assert model_of("delta-presence:0,0.9").judge(judged).satisfied


def test_a_class_that_the_public_table_does_not_hold_is_surely_present() -> None:
    judged = known(release([(3, 1), (1, 2)]), (0, 1))
    assert model_of("delta-presence:0,0.9").judge(judged).value == 1.0


def test_the_witness_of_isolation_is_the_class_that_is_isolated() -> None:
    result = model_of("ct-isolation:2,4").judge(line())
    assert (result.witness, result.witness_size) == (2, 2)


def test_a_bound_of_zero_that_is_broken_has_no_value() -> None:
    result = model_of("privacy-loss:0,1").judge(THREE)
    assert (result.value, result.satisfied, result.reason) == (None, False, "a bound of 0 is exceeded")
    assert model_of("privacy-loss:0,1").judge(release([(1, 1)])).value == 0


def test_of_several_conditions_the_first_that_is_violated_speaks() -> None:
    small = model_of("alpha-k-anonymity:0.5,3").judge(release([(2, 2), (1, 1)]))
    assert (small.value, small.direction, small.threshold, small.witness) == (2, "at_least", 3, 2)
    few = model_of("ke-anonymity:3,1").judge(numbers((3, 9), (4, 5, 6)))
    assert (few.value, few.direction, few.threshold, few.witness) == (2, "at_least", 3, 1)
