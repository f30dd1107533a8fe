"""What a report says in people: counted by hand on tables small enough to check."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.models import MODELS
from sfumato.reporting.asking import _WORDS, model_words
from sfumato.reporting.document import Judgment, Report
from sfumato.reporting.page import page
from sfumato.reporting.sections.summary import risk_sentences
from sfumato.reporting.sentences import disclosed_sentences, other_disclosures, percent, share
from sfumato.reporting.words import level_words
from sfumato.verbs.report import report
from sfumato.vocabulary.kinds import Kind
from tests.unit.report.reading import read
from tests.unit.report.releases import people, written

# Town A: 12 people, all with flu. Town B: 8 people, all with gout. Town C: 20 people, 19 with flu. Town D: 6 people, half and half.
COUNTS = {
    ("A", 30, "flu"): 12,
    ("B", 30, "gout"): 8,
    ("C", 30, "flu"): 19,
    ("C", 30, "gout"): 1,
    ("D", 30, "flu"): 3,
    ("D", 30, "gout"): 3,
}


@pytest.fixture
def made(tmp_path: Path) -> Report:
    return report(*written(tmp_path, people(COUNTS)), models=["k-anonymity:5"])


def test_what_is_disclosed_is_told_in_classes_and_people(made: Report) -> None:
    (each,) = made.overview.disclosed
    assert (each.certain, each.nearly, each.clearest) == ((2, 20), (1, 20), (19, 20))
    certain, nearly = disclosed_sentences(each)
    assert certain.startswith("In 2 classes, 20 people, everyone has the same illness.")
    assert nearly == "In 1 class, 20 people, at least 9 in 10 have the same illness, but not all."
    amber = next(each for each in read(page(made)).all("div") if each.attributes.get("class") == "amber")
    assert certain in amber.words
    assert nearly in amber.words


def test_where_nothing_is_certain_the_clearest_class_is_told(tmp_path: Path) -> None:
    counts = {("A", 30, "flu"): 3, ("A", 30, "gout"): 3, ("B", 30, "flu"): 4, ("B", 30, "gout"): 2}
    (each,) = report(*written(tmp_path, people(counts))).overview.disclosed
    assert list(disclosed_sentences(each)) == [
        "No class shows illness for certain. In the clearest one, 4 of 6 people have the same illness."
    ]


def test_people_of_a_continuous_column_share_a_band_not_a_value(tmp_path: Path) -> None:
    """Forty different salaries: nobody shares one, but all of town A are between 0 and 40, in one band of 500."""
    towns = ["A"] * 20 + ["B"] * 20
    salaries = [float(place) for place in range(20)] + [5000.0 * place / 19 for place in range(20)]
    schema = sf.Schema.parse('[attributes.town]\nrole="quasi"\n[attributes.salary]\nrole="sensitive"\n')
    sf.publish(pd.DataFrame({"town": towns, "salary": salaries}), schema, node=[0], output=tmp_path / "out.parquet")
    made = report(tmp_path / "out.parquet", schema)
    (each,) = made.overview.disclosed
    assert (each.certain, each.bands) == ((1, 20), "in bands of 500")
    assert "everyone has a salary in the same band (in bands of 500)" in next(disclosed_sentences(each))
    column = next(column for column in made.overview.columns if column.name == "salary")
    assert column.named[0][0] == "below 500"
    assert column.named[0][1] == 22  # the twenty of town A, and 0 and 263 of town B
    worst = made.findings[0].worst
    assert worst is not None
    assert all(label is None or " " in label for label, _, _ in worst.rows)  # bins, never one of the forty values


def test_people_alone_and_columns_that_nobody_checked_are_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"town": list("AAAAABBC"), "shoe": range(8)})
    schema = sf.Schema.parse('[attributes.town]\nrole="quasi"\n[attributes.shoe]\nrole="plain"\n')
    sf.publish(frame, schema, node=[0], output=tmp_path / "out.csv")
    assert list(other_disclosures(report(tmp_path / "out.csv", schema))) == [
        "1 person is alone in a class: whoever knows the columns finds the row.",
        "2 people are in classes of 2 to 4 people.",
        "shoe is published as it is. Whether it helps to recognize somebody was not checked.",
    ]


def test_the_risk_is_told_before_and_now(tmp_path: Path) -> None:
    """Six people of six ages, at the root of age: from 1 in 1 to 1 in 6."""
    frame = people({("A", age, "flu"): 1 for age in range(30, 36)})
    written(tmp_path, frame)
    sf.publish(frame, tmp_path / "schema.toml", node=[0, 1], output=tmp_path / "six.parquet")
    owner = report(tmp_path / "six.parquet", tmp_path / "schema.toml", original=frame)
    assert risk_sentences(owner) == [
        "The highest risk of being recognized was 1 in 1; now it is 1 in 6.",
        "The mean was 1 in 1; now it is 1 in 6.",
        "Alone with their values were all 6 people; now nobody.",
    ]
    unchanged = report(*written(tmp_path / "same", frame), original=frame)
    assert risk_sentences(unchanged)[:2] == [
        "The highest risk of being recognized is 1 in 1, as before.",
        "The mean is 1 in 1, as before.",
    ]
    others = report(tmp_path / "six.parquet", tmp_path / "schema.toml")
    assert risk_sentences(others)[0] == "Whoever looks for a person in the file finds at least 6 people who fit."
    assert others.overview.risk_before is None


def test_shares_can_be_read() -> None:
    assert [percent(share) for share in (0.0, 1.0, 0.99996, 0.00004, 0.5)] == ["none", "all", ">99.9%", "<0.1%", "50.0%"]
    assert share(30_162, 30_162) == "all 30,162 people"


def test_every_model_asks_in_words() -> None:
    assert set(MODELS) <= set(_WORDS)
    asked, came_out = model_words(Judgment("k-anonymity:5"), ["age", "sex"])
    assert (asked, came_out) == ("everyone looks like at least some others in age and sex", "not judged")


def test_a_model_says_what_came_out_in_people(made: Report) -> None:
    (judgment,) = made.judgments
    assert model_words(judgment, ["town", "age"]) == (
        "everyone looks like at least 4 others in town and age",
        "the smallest class has 6 people",
    )


@pytest.mark.parametrize(
    ("declared", "kind", "values", "levels"),
    [
        ('builder = "intervals", widths = [5, 25]', "integer", ["1", "40"], ["in 5-year bands", "in 25-year bands"]),
        ('builder = "dates", units = ["month", "quarter", "year", "decade"]', "date", ["2020-02-29", "1999-12-31"],
         ["by month", "by quarter", "by year", "by decade"]),
        ('builder = "prefix", keep = [3, 1]', "text", ["12345", "99"], ["by the first 3 characters", "by the first character"]),
        ('tree = { x = ["a", "b"], y = ["c"] }', "text", ["a", "c"], ["in 2 groups"]),
    ],
)  # fmt: skip
def test_levels_are_named_in_words(declared: str, kind: str, values: list[str], levels: list[str]) -> None:
    attribute = sf.Schema.parse(f'[attributes.age]\nrole="quasi"\ntype="{kind}"\nhierarchy = {{ {declared} }}\n')["age"]
    hierarchy = attribute.builder.build("age", Kind(kind), values)
    named = [level_words("age", level, hierarchy.height, hierarchy.at(level)) for level in range(hierarchy.height + 1)]
    assert named == ["as it is", *levels, "the same for everybody (*)"]


@pytest.mark.parametrize(
    "name", [each for each, model in MODELS.items() if "scope" in getattr(model, "__dataclass_fields__", {})]
)
def test_a_bound_on_the_mean_is_not_told_as_one_on_every_class(name: str, tmp_path: Path) -> None:
    """The mean over people may stay within a bound that a class exceeds: nobody may read that every class keeps it."""
    bounds = {"privacy-loss": "9,9", "utility-loss": "9,9", "map-error": "0.1"}.get(name, "9")
    made = report(*written(tmp_path, people(COUNTS)), models=[f"{name}:{bounds}", f"{name}:{bounds},total"])
    single, mean = (model_words(each, ["town"]) for each in made.judgments)
    assert "average" not in " ".join(single)
    assert "on average over people" in mean[0]
    assert ("single classes may fall short of it" if name == "map-error" else "single classes may exceed it") in mean[0]
    assert mean[1].startswith("the average is ")


def test_a_model_that_compares_with_bounds_of_its_own_does_not_name_one_for_all(tmp_path: Path) -> None:
    made = report(*written(tmp_path, people(COUNTS)), models=["beta-likeness:3,enhanced"])
    assert "by more than its own bound allows" in model_words(made.judgments[0], ["town"])[0]
