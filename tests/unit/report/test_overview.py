"""The pictures of the first screen: what was before, what is now, who was suppressed; and what the form for others does not hold."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.reporting.bins import binned
from sfumato.reporting.document import Report
from sfumato.reporting.page import page
from sfumato.reporting.sentences import still_disclosed
from sfumato.table.marginals import marginals_of
from sfumato.verbs.report import report
from sfumato.vocabulary.kinds import Kind
from tests.unit.report.releases import people, twenty_columns, written

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [50] }

[attributes.town]
role = "quasi"

[attributes.illness]
role = "sensitive"
"""


def table() -> pd.DataFrame:
    """Forty people of 20 to 39 in A and forty of 60 to 79 in B; three of 90 in C, who are left out."""
    rows = [(20 + place % 20, "A", "flu" if place % 2 else "gout") for place in range(40)]
    rows += [(60 + place % 20, "B", "flu" if place % 4 else "gout") for place in range(40)]
    rows += [(90, "C", "flu")] * 3
    return pd.DataFrame(rows, columns=["age", "town", "illness"])


@pytest.fixture
def release(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "schema.toml").write_text(SCHEMA)
    sf.publish(table(), tmp_path / "schema.toml", node=[1, 0], suppress=[3], output=tmp_path / "out.parquet")
    return tmp_path / "out.parquet", tmp_path / "schema.toml"


def test_a_column_shows_what_it_was_and_what_it_is(release: tuple[Path, Path]) -> None:
    age, town, illness = report(*release, original=table()).overview.columns
    assert (age.words, age.labels, age.values) == ("in 50-year bands", 2, 41)
    assert age.named == (("[0, 50)", 40), ("[50, 100]", 40))
    assert [(span.start, span.end, span.people) for span in age.after] == [(0.0, 0.5, 40), (0.5, 1.0, 40)]
    assert [span.people for span in age.before] == [10, 30, 30, 13]  # 20 to 24, 25 to 49, 50 to 74, 75 and more
    assert (town.words, town.named) == ("as it is", (("A", 40), ("B", 40)))
    assert [span.people for span in illness.before] == [53, 30]
    assert [span.people for span in illness.after] == [50, 30]


def test_the_suppressed_are_compared_in_every_column(release: tuple[Path, Path]) -> None:
    differences = report(*release, original=table()).overview.differences
    assert differences is not None
    by_column = {each.column: each for each in differences}
    assert list(by_column) == ["age", "town", "illness"]
    assert by_column["age"].rows == (("[0, 50)", 40, 0), ("[50, 100]", 40, 3))
    assert by_column["illness"].rows == (("flu", 50, 3), ("gout", 30, 0))
    assert by_column["town"].others == 1  # fewer than five people are of C
    assert "C" not in [label for label, _, _ in by_column["town"].rows]


def test_the_form_for_others_has_nothing_of_before_and_nothing_of_the_suppressed(release: tuple[Path, Path]) -> None:
    made = report(*release)
    assert (made.audience, made.overview.differences, made.overview.risk_before, made.overview.sizes.before) == (
        "public",
        None,
        None,
        None,
    )
    assert all((column.before, column.values) == ((), None) for column in made.overview.columns)
    assert "compared with those in the file" not in page(made)
    owner = report(*release, original=table())
    assert owner.audience == "owner"
    assert "compared with those in the file" in page(owner)


def test_a_report_with_the_original_is_the_owners_even_if_nobody_is_suppressed(tmp_path: Path) -> None:
    frame = people({("A", 30, "flu"): 9, ("B", 30, "gout"): 9})
    release, schema = written(tmp_path, frame)
    assert report(release, schema).audience == "public"
    made = report(release, schema, original=frame)
    assert made.audience == "owner"  # it shows the columns as they were
    assert made.warnings[0].startswith("For the owner only.")


def test_labels_that_only_small_classes_have_are_not_in_a_column(tmp_path: Path) -> None:
    """Twelve people of HIDDEN, each of another age: no class of theirs is large, so the town is not named, before or now."""
    counts = {("A", 30, "flu"): 9} | {("HIDDEN", 40 + place, "flu"): 1 for place in range(12)}
    frame = people(counts)
    release, schema = written(tmp_path, frame)
    for made in (report(release, schema), report(release, schema, original=frame)):
        assert "HIDDEN" not in page(made) + json.dumps(made.as_dict())
        town = next(column for column in made.overview.columns if column.name == "town")
        assert (town.labels, town.named) == (2, (("A", 9),))
        assert "… and 1 more" in page(made)


def test_pages_of_tables_that_differ_in_the_suppressed_alone_are_the_same_for_others(tmp_path: Path) -> None:
    """Whatever ages and salaries the suppressed have: the owner's pages differ, those for others do not by a byte."""
    schema = sf.Schema.parse(SCHEMA.replace("illness", "salary"))
    kept = [(20 + place % 60, "A" if place % 60 < 30 else "B", place * 37 % 1000) for place in range(400)]
    public, owners = set(), set()
    for number in range(6):
        drawn = random.Random(number)
        left = [(drawn.choice((81, 95, 99)), "C", drawn.choice((3, 555, 999_999))) for _ in range(3)]
        frame = pd.DataFrame([*kept, *left], columns=["age", "town", "salary"])
        with sf.Table.open(frame, schema) as opened:
            codes = opened.count().roll_up(opened.node([1, 0]))
            classes = [place for place in range(1, codes.classes + 1) if codes.labels(place)[1] == "C"]
            released = sf.publish(opened, node=[1, 0], suppress=classes, now=NOW)
        others = report(released, schema, now=NOW, models=["t-closeness:0.5"])
        public.add(page(others) + json.dumps(others.as_dict()))
        owners.add(page(report(released, schema, original=frame, now=NOW)))
    assert len(public) == 1
    assert len(owners) > 1


def test_twenty_columns_are_all_there(tmp_path: Path) -> None:
    release, original, schema = twenty_columns(tmp_path)
    made: Report = report(release, schema, original=original)
    assert len(made.overview.columns) == 20
    words = {column.name: column.words for column in made.overview.columns}
    assert words["Alter"] == "in 50-year bands"
    assert words["Geburtsdatum"] == "by decade"
    assert words["Jahreseinkommen_brutto_EUR"] == "as it is; shown here in bands of 20,000"
    income = next(column for column in made.overview.columns if column.name == "Jahreseinkommen_brutto_EUR")
    assert sum(span.people for span in income.after) == 2000
    assert not any(symbol in page(made) for symbol in (">100.0%", " 100.0%", "rare values ("))


def test_labels_of_a_local_recoding_are_drawn_where_they_are(tmp_path: Path) -> None:
    """Single years beside ranges: no block is so narrow that it hides the others."""
    with sf.data.adult() as opened:
        done = sf.anonymize(opened, models="k-anonymity:50", algorithm="mondrian", quasi=["age", "sex"])
        made = report(done.release, opened.declared, original=opened)
    age = made.overview.columns[0]
    assert age.words == "in labels that differ from record to record"
    assert sum(span.people for span in age.after) == 30_162
    densities = [span.people / (span.end - span.start) for span in age.after]
    assert max(densities) < 200 * sum(span.people for span in age.after) / len(age.after)
    assert all(0 <= span.start < span.end <= 1.01 for span in age.after)


def test_bins_hold_everybody_and_name_no_extreme() -> None:
    values = [str(number) for number in range(1000)] + ["123456789", None]
    bins = binned(values, [1] * len(values), Kind.INTEGER)
    assert bins is not None
    assert bins.places[-1] == -1
    assert sorted(set(bins.places[:-1])) == list(range(len(bins.names)))
    assert bins.places[-2] == len(bins.names) - 1
    assert not any("123" in name for name in bins.names)
    assert binned(["a"] * 30, [1] * 30, Kind.TEXT) is None
    assert binned(["1", "2"], [5, 5], Kind.INTEGER) is None


PLAIN = (
    SCHEMA
    + """
[attributes.ward]
role = "plain"

[attributes.cost]
role = "plain"
type = "decimal"
"""
)


@pytest.fixture
def with_plain(tmp_path: Path) -> tuple[pd.DataFrame, Path, Path]:
    frame = table().assign(ward=["east" if place % 8 else "west" for place in range(83)], cost=[place / 4 for place in range(83)])
    (tmp_path / "schema.toml").write_text(PLAIN)
    sf.publish(frame, tmp_path / "schema.toml", node=[1, 0], suppress=[3], output=tmp_path / "out.csv")
    return frame, tmp_path / "out.csv", tmp_path / "schema.toml"


def test_columns_that_are_published_as_they_are_have_a_picture(with_plain: tuple[pd.DataFrame, Path, Path]) -> None:
    frame, *release = with_plain
    made = report(*release, original=frame)
    ward, cost = made.overview.columns[3:]
    kept = frame["ward"][:80].value_counts()
    assert ward.named == (("east", kept["east"]), ("west", kept["west"]))
    assert [span.people for span in ward.before] == frame["ward"].value_counts()[["east", "west"]].tolist()
    assert "shown here in bands" in cost.words
    assert (sum(span.people for span in cost.after), sum(span.people for span in cost.before)) == (
        80,
        80,
    )  # three are too few for a bar
    differences = {each.column: each for each in made.overview.differences or ()}
    assert set(differences["ward"].rows) == {("east", kept["east"], 2), ("west", kept["west"], 1)}
    assert "ward" in page(made)


def test_a_column_of_too_many_values_has_no_picture(
    with_plain: tuple[pd.DataFrame, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marginals_of, "__defaults__", (400,))
    made = report(*with_plain[1:])
    assert [(each.name, each.labels, each.after) for each in made.overview.columns[3:]][1] == ("cost", 0, ())
    assert "too many different values to show" in page(made)


def test_a_value_that_nobody_else_has_is_told(tmp_path: Path) -> None:
    (tmp_path / "schema.toml").write_text(SCHEMA.replace('"sensitive"', '"sensitive"\ntype = "decimal"'))
    frame = table().assign(illness=[place / 2 for place in range(83)])
    sf.publish(frame, tmp_path / "schema.toml", node=[1, 0], suppress=[3], output=tmp_path / "out.csv")
    made = report(tmp_path / "out.csv", tmp_path / "schema.toml")
    assert made.overview.disclosed[0].alone == 80
    assert "80 people have a value of illness that nobody else has. Whoever knows it finds their rows." in still_disclosed(made)
