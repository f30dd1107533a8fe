"""What the exhibits say: every difference is a known one, and the numbers are those of the definitions and of the census section."""

from __future__ import annotations

import json
from math import log, log2, sqrt
from pathlib import Path
from typing import Any

import pytest

from sfumato_studies import census
from sfumato_studies.examples import Example
from sfumato_studies.exhibit import Agreement
from sfumato_studies.exhibits.distributions import SALARIES, SAME_DISTANCE, UNIFORM, UNIFORM_WORST
from sfumato_studies.registry import EXHIBITS
from sfumato_studies.tables import CLOSE_SALARIES, FOUR_ANONYMOUS, THREE_DISEASES, THREE_DIVERSE_PATIENTS
from tests.studies.made import made, row

GOLDEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "worked_examples.json").read_text(encoding="utf-8")
)["releases"]
# These take seconds: searches, and a log with three detectors.
SLOW = ("thesis-fig-4.", "thesis-fig-5.", "thesis-table-5.")
# The errata of the sources, and where their copy of the census differs; everything else that they print must agree.
DIFFER = {
    ("thesis-table-2.5", "closeness of disease"),
    ("leakage-example-3", "distribution loss, class 3"),
    ("leakage-example-3", "earth mover's distance, class 1"),
    ("leakage-example-3", "earth mover's distance, class 2"),
    ("leakage-example-3", "earth mover's distance, class 3"),
    ("leakage-example-3", "closeness"),
    ("thesis-example-8", "distribution loss, class 3"),
    ("thesis-example-8", "distribution loss, two digits, class 3"),
    ("leakage-example-4", "distribution loss, class 1"),
    ("leakage-example-4", "distribution loss, class 2"),
    ("leakage-example-4", "entropy loss, class 1"),
    ("lecture-kl", "cross-entropy of (0.1, 0.9) and (0.2, 0.8)"),
    ("lecture-kl", "cross-entropy of (0.1, 0.9) and (0.9, 0.1)"),
    ("lecture-kl", "divergence of (⅓, ⅓, ⅓) from (0.36, 0.48, 0.16)"),
    ("leakage-fig-1", "the most sensitive of the others"),
    ("thesis-fig-3.2", "distribution loss, class 3"),
    ("thesis-fig-3.3", "distribution loss, class 3"),
    ("leakage-table-4", "domain of age"),
    ("leakage-v.b", "distribution loss, class 1"),
    ("leakage-v.b", "distribution loss, class 2"),
    ("leakage-v.b", "entropy loss, class 1"),
    ("leakage-v.b", "entropy loss, class 2"),
    ("leakage-fig-3", "share of the 8th occupation in the table"),
    ("leakage-fig-3", "share of the 8th occupation in class 6"),
    ("leakage-fig-3", "share of the 10th occupation in class 6"),
    ("leakage-fig-3", "distribution loss of class 6"),
    ("leakage-fig-4", "classes at QID (3, 4)"),
    ("negotiation-fig-6", "the third set of QIDs"),
    ("thesis-fig-4.10", "a flat rate and the best utility"),
    # The thesis's chapter 5: errata, and values of its private logs. Patterns agree.
    ("thesis-table-5.3", "bad addresses in %"),
    ("thesis-table-5.5", "test logins, original, as printed"),
    ("thesis-table-5.5", "test logins, country, as printed"),
    ("thesis-table-5.5", "precision in %, original, our log"),
    ("thesis-table-5.5", "recall in %, original, our log"),
    *(
        ("thesis-table-5.5", f"{share} in %, {level}, our log")
        for share in ("precision", "recall", "accuracy")
        for level in ("subnet", "country")
    ),
    ("thesis-fig-5.4", "the most important feature"),
    ("thesis-table-5.6", "largest distribution loss against (0.88, 0.12)"),
    ("thesis-table-5.6", "largest losses from subnet to country, as printed"),
    ("thesis-table-5.6", "smallest entropy loss, subnet, as printed"),
    ("thesis-table-5.6", "utility loss in %, country against subnet, from the counts of Table 5.5"),
    ("thesis-table-5.6", "average privacy losses over classes"),  # the average over logins falls
    *(
        ("thesis-table-5.6", what.format(level))
        for what in (
            "classes, {}, our log",
            "largest distribution loss, {}, our log",
            "largest entropy loss, {}, our log",
            "average distribution loss, {}, our log",
            "average entropy loss, {}, our log",
            "utility loss in %, {}, our log",
        )
        for level in ("subnet", "country")
    ),
    # Errata of the channel paper: equations 3, 7 and 25, and how many inputs are behind an output.
    ("channel-4.1", "equation 3 on the appendix"),
    ("channel-4.1", "conditional entropy of the appendix in bits"),
    *(("channel-5.3", f"{k}-anonymous tables at {where}") for k in (2, 3) for where in ("level 0", "all nodes")),
    ("channel-5.3", "inputs behind five people with a cold, QIDs withheld"),
}
quick = pytest.mark.parametrize("name", [each.name for each in EXHIBITS if not each.name.startswith(SLOW)])


@quick
def test_what_differs_is_known_and_explained(name: str) -> None:
    rows = made(name).rows
    assert rows
    assert {(name, each.what) for each in rows if not each.agrees} == {each for each in DIFFER if each[0] == name}
    assert all(each.explained for each in rows)


# The worked examples

TABLES = {
    "three diseases": (THREE_DISEASES, "disease"),
    "4-anonymous patients": (FOUR_ANONYMOUS, "condition"),
    "3-diverse patients": (THREE_DIVERSE_PATIENTS, "condition"),
    "nine salaries in thousands, 0.167-close table": (CLOSE_SALARIES, "salary"),
    "nine salaries in thousands, two classes": (SALARIES, "value"),
    "four values, one class uniform": (UNIFORM, "value"),
    "four values, the uniform class is worst": (UNIFORM_WORST, "value"),
    "same distance, different leak": (SAME_DISTANCE, "value"),
}


def test_every_golden_release_is_one_of_the_examples() -> None:
    assert {release["name"] for release in GOLDEN} == set(TABLES)


@pytest.mark.parametrize("release", GOLDEN, ids=lambda release: release["name"])
def test_losses_of_the_examples_are_the_golden_ones(release: dict[str, Any]) -> None:
    example, sensitive = TABLES[release["name"]]
    losses = example.losses(sensitive)
    for name in ("distribution", "entropy"):
        right = [each[name] for each in release["classes"]]
        assert losses[name][: len(right)] == pytest.approx(right, abs=1e-12)
    right = [each["utility_distribution"] for each in release["classes"]]
    assert losses["utility-distribution"][: len(right)] == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "what", "ours", "agreement"),
    [
        ("leakage-example-1", "distribution loss, class 1", sqrt(8) / 12, Agreement.AGREES),
        ("leakage-example-1", "distribution loss, class 3", sqrt(32) / 12, Agreement.DIFFERS),
        ("leakage-example-1", "entropy loss, class 3", 0.1156, Agreement.CUT),
        ("leakage-example-3", "earth mover's distance, class 3", 1 / 3, Agreement.DIFFERS),
        ("leakage-example-2", "distribution loss, class 1", sqrt(48) / 16, Agreement.AGREES),
        ("thesis-example-7", "distribution loss, class 4", sqrt(26) / 16, Agreement.AGREES),
        ("thesis-example-8", "distribution loss, class 3", sqrt(74) / 12, Agreement.DIFFERS),
        ("thesis-example-12", "distribution utility loss, class 2", 0.7739, Agreement.AGREES),
        ("thesis-example-9", "entropy loss, class 2", 0.0546, Agreement.AGREES),
        ("thesis-example-11", "distribution loss, class 1", sqrt(2) / 3, Agreement.DIFFERS),
        ("thesis-example-11", "distribution loss, class 2", sqrt(8) / 3, Agreement.DIFFERS),
        ("thesis-example-11", "entropy loss, class 1", log2(3), Agreement.DIFFERS),
        ("thesis-example-11", "entropy loss, class 2", log2(9), Agreement.CUT),
        ("thesis-table-2.5", "closeness of salary", 1 / 6, Agreement.AGREES),
        ("thesis-table-2.5", "closeness of disease", 8 / 27, Agreement.DIFFERS),
        ("thesis-example-4", "earth mover's distance, class 2", 0.1, Agreement.AGREES),
        ("thesis-2.5", "prior of cancer in the class", 0.16, Agreement.AGREES),
        ("thesis-2.5", "posterior of cancer in the class", 0.28, Agreement.AGREES),
        ("thesis-2.5", "loss where 10 % are believed and 10 % are found", 0, Agreement.AGREES),
        ("thesis-example-2", "share of positive people, class of 49 to 1", 0.98, Agreement.AGREES),
        ("lecture-entropy", "entropy in bits", 0.9403, Agreement.AGREES),
        ("lecture-kl", "divergence of (⅓, ⅓, ⅓) from (0.36, 0.48, 0.16)", 0.09746, Agreement.DIFFERS),
        ("lecture-kl", "cross-entropy of (0.1, 0.9) and (0.2, 0.8)", -(0.1 * log(0.2) + 0.9 * log(0.8)), Agreement.DIFFERS),
        ("lecture-emd", "earth mover's distance of {3K, 4K, 5K}", 0.375, Agreement.AGREES),
        ("lecture-emd", "earth mover's distance of {6K, 8K, 11K}", 1 / 6, Agreement.AGREES),
    ],
)
def test_a_value_is_what_the_definition_gives(name: str, what: str, ours: float, agreement: Agreement) -> None:
    result = row(name, what)
    assert float(result.ours) == pytest.approx(ours, abs=6e-5)
    assert result.agreement is agreement


def test_2_diverse_classes_are_at_most_as_many_as_positive_people() -> None:
    assert row("lecture-two-diverse", "most classes of a 2-diverse table").ours == "100"


def test_diseases_of_the_close_table_are_those_of_the_tree() -> None:
    assert CLOSE_SALARIES.losses("disease")["emd"] == pytest.approx([7 / 27, 8 / 27, 5 / 27], abs=1e-12)


def test_classes_are_in_the_order_of_the_source_and_not_of_their_labels() -> None:
    example = Example.of_text("q,s\nz,1\nz,1\na,1\na,2\n", "s")
    assert example.shares() == [{"1": 1.0}, {"1": 0.5, "2": 0.5}]


# The census


@pytest.mark.parametrize(
    ("numbers", "classes", "close"),
    [((1, 2), 8, 0.4371), ((2, 3), 6, 0.580), ((2, 4), 4, 0.375), ((3, 4), 6, 0.522)],
)
def test_pairs_of_qids_are_those_of_the_census_section(numbers: tuple[int, ...], classes: int, close: float) -> None:
    released = census.pair(numbers)
    assert released.classes == classes
    assert max(released.losses["emd"]) == pytest.approx(close, abs=5e-5 if close == 0.4371 else 5e-4)
    assert all(sum(shares) == pytest.approx(1, abs=1e-12) for shares in released.posteriors)


def test_class_7_of_age_and_work_class_has_22_people_and_6_of_14_occupations() -> None:
    released = census.pair((1, 2))
    assert (released.people[6], min(released.people), released.distinct(7), len(released.values)) == (22, 22, 6, 14)
    assert (round(released.of("distribution", 7), 4), round(released.of("entropy", 7), 4)) == (0.2878, 1.0046)


def test_two_ages_are_printed_beside_ours() -> None:
    rows = [each for each in made("leakage-v.b").rows if "loss" in each.what]
    assert [each.printed for each in rows] == ["0.0125", "0.0477", "0.0015", "0.0306"]
    assert [each.ours for each in rows] == ["0.0134", "0.0510", "0.0006", "0.0369"]
    assert all("copy of the data" in each.reason for each in rows)


def test_the_table_of_fig_3_is_our_own_and_says_so() -> None:
    exhibit = made("thesis-fig-3.5")
    assert exhibit.contents.note.startswith("Our table is")
    assert "age=2, workclass=1, education=2" in exhibit.contents.note
    ours = {each.what: each for each in exhibit.rows}
    assert "not reproducible" in ours["distribution loss of class 6"].reason
    assert ours["share of the 10th occupation in the table"].ours == "0.1339"
    assert ours["share of the 8th occupation in the table"].ours == "0.1065"
    # The 8th is rarer and the 10th more frequent than in the table, as the source tells.
    assert float(ours["share of the 8th occupation in class 6"].ours) < 0.1065 / 2
    assert float(ours["share of the 10th occupation in class 6"].ours) > 0.1339 * 2


def test_the_leakage_papers_8_classes_at_education_and_country_are_6() -> None:
    result = row("leakage-fig-4", "classes at QID (3, 4)", "leakage paper")
    assert (result.printed, result.ours, result.agrees) == ("8", "6", False)
    assert row("leakage-fig-4", "classes at QID (3, 4)", "thesis").agrees


def test_no_exhibit_of_the_census_names_the_classes_but_by_number() -> None:
    for name in ("leakage-fig-2", "leakage-fig-3", "leakage-fig-4", "leakage-v.b", "negotiation-fig-4", "negotiation-fig-5"):
        text = json.dumps(made(name).as_dict())
        assert "[75, 100]" not in text
        assert '"Gov"' not in text
        assert "Non-Gov" not in text
