"""The worked cases of the lecture and of the thesis, by name."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from tests.unit.attacks import cases
from tests.unit.attacks.cases import tried


def test_alice_is_found_in_the_voter_list() -> None:
    found = tried(cases.MICRODATA, cases.VOTERS, cases.MICRODATA, "record-linkage:journalist", external=cases.VOTER_LIST)
    assert (found.tries, found.hits, found.stopped) == (6, 1, False)
    assert found.positions == (1,)  # the first row of the microdata is hers


def test_alice_is_one_of_three_when_cells_are_suppressed() -> None:
    always = "record-linkage:prosecutor,confidence=0"
    found = tried(cases.SUPPRESSED, cases.VOTERS, cases.MICRODATA, always, external=cases.VOTER_LIST)
    assert (found.tries, found.hits) == (1, pytest.approx(1 / 3))
    assert tried(cases.SUPPRESSED, cases.VOTERS, cases.MICRODATA, "record-linkage", external=cases.VOTER_LIST).hits == 0


def test_nobody_learns_andres_problem() -> None:
    linked = tried(
        cases.ANDRES_TABLE,
        cases.ANDRE,
        cases.ANDRES_ORIGINAL,
        "record-linkage:prosecutor,confidence=0",
        external=cases.ANDRES_LIST,
    )
    assert (linked.tries, linked.hits) == (1, pytest.approx(1 / 3))
    value = tried(cases.ANDRES_TABLE, cases.ANDRE, cases.ANDRES_ORIGINAL, "homogeneity", holds=["race", "birth", "gender", "zip"])
    assert (value.hits, value.rows) == (4, 4)  # two classes of two say the same of both; his says three things


def test_tom_has_cancer_whichever_row_is_his() -> None:
    found = tried(cases.TOMS_TABLE, cases.CONDITIONS, cases.TOM_AND_OTHERS, "homogeneity")
    assert (found.tries, found.hits, found.positions) == (6, 3, (4, 5, 6))
    assert found.stopped is False


def test_bob_has_cancer_in_the_four_anonymous_table_and_not_in_the_three_diverse_one() -> None:
    before = tried(cases.FOUR_ANONYMOUS, cases.INPATIENTS, cases.INPATIENT_TABLE, "homogeneity")
    after = tried(cases.THREE_DIVERSE, cases.INPATIENTS, cases.INPATIENT_TABLE, "homogeneity")
    assert (before.hits, before.positions) == (4, (9, 10, 11, 12))
    assert (after.hits, after.stopped) == (0, True)


def test_umeko_has_a_viral_infection_if_heart_disease_is_ruled_out() -> None:
    before = tried(cases.FOUR_ANONYMOUS, cases.INPATIENTS, cases.INPATIENT_TABLE, "background:excludes,1")
    after = tried(cases.THREE_DIVERSE, cases.INPATIENTS, cases.INPATIENT_TABLE, "background:excludes,1")
    assert before.positions[:4] == (1, 2, 3, 4)  # her class, of two values; and Bob's, of one
    assert before.hits == 8
    assert after.hits == 0


def test_alice_is_present_with_four_fifths_and_bob_with_three_quarters() -> None:
    found = tried(cases.THREE_ANONYMOUS, cases.PATIENTS, cases.PATIENT_TABLE, "table-linkage:0.8", external=cases.EXTERNAL)
    assert found.figures == {"largest presence": pytest.approx(4 / 5), "least presence": pytest.approx(3 / 4)}
    assert (found.tries, found.hits) == (9, pytest.approx(4))  # the five artists are claimed to be present, and four are
    assert found.positions == (4, 5, 6, 7)


def test_the_entropy_of_nine_and_five() -> None:
    """[S]: entropy(9+, 5-) = 0.940; so the class is 1.9-diverse by entropy."""
    rows = pa.table({"place": ["x"] * 14, "positive": ["+"] * 9 + ["-"] * 5})
    declared = cases.schema({"place": "text"}, {"positive": "text"})
    (verdict,) = sf.check(rows, declared, models="entropy-diversity:1.9").verdicts
    assert round(float(verdict.value or 0), 3) == 0.940


def test_one_percent_of_ten_thousand_allows_a_hundred_diverse_classes() -> None:
    declared = cases.schema({"place": "integer"}, {"virus": "text"})

    def spread(classes: int) -> pa.Table:
        return pa.table(
            {
                "place": [number % classes for number in range(10_000)],
                "virus": ["positive" if number < 100 else "negative" for number in range(10_000)],
            }
        )

    assert sf.check(spread(100), declared, models="distinct-diversity:2").satisfied
    assert not sf.check(spread(101), declared, models="distinct-diversity:2").satisfied
    assert tried(spread(100), declared, spread(100), "skewness:2").hits == 0  # all classes are as the table is


def test_skewness_of_one_half_and_of_98_percent() -> None:
    """[T] Example 2: 1 % of 10,000 are positive; a class of two with one positive, and one of fifty with 49."""
    virus = ["positive", "negative"] + ["positive"] * 49 + ["negative"] + ["positive"] * 50 + ["negative"] * 9898
    rows = pa.table({"place": ["a"] * 2 + ["b"] * 50 + ["c"] * 9948, "virus": virus})
    declared = cases.schema({"place": "text"}, {"virus": "text"})
    found = tried(rows, declared, rows, "skewness")
    assert (found.tries, found.hits, found.classes, found.rows) == (10_000, 50, (1, 2), 52)
    assert found.figures["largest growth"] == pytest.approx(98)
    assert found.baseline == pytest.approx(52 / 10_000 * 0.01)
    assert tried(rows, declared, rows, "skewness:51").classes == (2,)


def test_bob_of_the_thesis_is_disclosed_by_homogeneity() -> None:
    found = tried(cases.TABLE_2_2, cases.DISEASES, cases.TABLE_2_1, "homogeneity")
    assert (found.tries, found.hits, found.positions) == (9, 3, (1, 2, 3))


def test_carl_of_the_thesis_is_disclosed_by_background_knowledge() -> None:
    found = tried(cases.TABLE_2_2, cases.DISEASES, cases.TABLE_2_1, "background:excludes,1")
    assert found.positions == (1, 2, 3, 7, 8, 9)  # his class is the last one: cancer, if heart disease is ruled out
    assert found.hits == 6


def test_a_salary_between_3k_and_5k_and_a_disease_of_the_stomach() -> None:
    """[T] Example 3: the first class of the 3-diverse table; prevented by the 0.167-close one (for the salary's quarter of the range)."""
    salary, disease = sf.attack(cases.TABLE_2_4, cases.SALARIES, original=cases.TABLE_2_3, attacks="similarity").attempts
    assert (salary.hits, salary.positions) == (3, (1, 2, 3))
    assert (disease.hits, disease.positions) == (3, (1, 2, 3))
    close = sf.attack(cases.TABLE_2_5, cases.SALARIES, original=cases.TABLE_2_3, attacks="similarity").attempts
    assert [each.hits for each in close] == [0, 0]


def test_what_is_not_known_to_the_lecture_changes_nothing() -> None:
    """Rows in another order give the same attempt, but for their positions."""
    order = np.random.default_rng(3).permutation(12)
    one = tried(cases.FOUR_ANONYMOUS, cases.INPATIENTS, cases.INPATIENT_TABLE, "homogeneity")
    other = tried(cases.FOUR_ANONYMOUS.take(order), cases.INPATIENTS, cases.INPATIENT_TABLE.take(order[::-1]), "homogeneity")
    assert (one.hits, one.classes, one.rows) == (other.hits, other.classes, other.rows)
    assert {order[place - 1] + 1 for place in other.positions} == set(one.positions)
