"""The page: well formed, accessible, closed to the outside, and silent about small classes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.reporting.document import Report
from sfumato.reporting.hiding import few_of
from sfumato.reporting.page import SECTIONS, page
from sfumato.reporting.sections.losses import embedded
from sfumato.reporting.style import DARK, LIGHT, READ, contrast, style
from sfumato.verbs.report import report
from tests.unit.report.reading import Element, read
from tests.unit.report.releases import AWKWARD, many_classes, people, written

PLANTED, RARE = "PLANTED-TOWN", "RARE-ILLNESS"


@pytest.fixture
def small(tmp_path: Path) -> Report:
    """A large class, one of five people, and one of two with a label and a value that must not be told."""
    counts = {("A", 30, "flu"): 20, ("A", 30, "gout"): 5, ("B", 40, "flu"): 5, (PLANTED, 77, "flu"): 1, (PLANTED, 77, RARE): 1}
    return report(*written(tmp_path, people(counts)), models=["k-anonymity:5"])


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return report(*written(tmp_path_factory.mktemp("many"), many_classes(60)), models=["k-anonymity:5", "t-closeness:0.9"])


def test_labels_of_a_small_class_are_nowhere_and_its_number_is(small: Report) -> None:
    shown = page(small)
    for text in (shown, json.dumps(small.as_dict())):
        assert PLANTED not in text
        assert not re.search(r"""[">]77["<]""", re.sub(r"<(rect|line|text|circle) [^>]*>", "", text))  # but for coordinates
        assert RARE not in text
    assert "fewer than 5 people" in shown
    assert "class 3 (2 people)" in shown
    assert {label for each in small.findings for label in each.classes.labels["town"]} == {"A", "B"}


def test_the_worst_class_is_not_drawn_if_it_is_small(small: Report) -> None:
    (findings,) = small.findings
    assert findings.losses["distribution"].worst == 3
    assert findings.worst is not None
    assert findings.worst.number != 3
    assert "Class 3 is worse. It has fewer than 5 people" in page(small)


def test_values_that_few_hold_are_counted_together(small: Report) -> None:
    worst = small.findings[0].worst
    assert worst is not None
    assert (worst.rare, [label for label, _, _ in worst.rows]) == (1, ["flu", "gout", None])
    assert sum(before for _, before, _ in worst.rows) == pytest.approx(1)
    assert sum(after for _, _, after in worst.rows) == pytest.approx(1)


def test_a_promised_k_raises_what_counts_as_small(tmp_path: Path) -> None:
    release = sf.publish(people({("A", 1, "flu"): 9}), _schema(), node=[0, 0])
    said = {"model": "k-anonymity:8", "value": 9, "direction": "at_least", "threshold": 8, "satisfied": True, "witness": None}
    assert few_of(release.certificate) == few_of(None) == 5
    assert few_of(replace(release.certificate, models=[said])) == 8
    assert few_of(replace(release.certificate, models=[{**said, "model": "k-anonymity:2"}])) == 5


def _schema() -> sf.Schema:
    from tests.unit.report.releases import SCHEMA

    return sf.Schema.parse(SCHEMA)


def test_awkward_labels_stay_text(tmp_path: Path) -> None:
    counts = {(town, 30, value): 6 for town in AWKWARD for value in AWKWARD}
    made = report(*written(tmp_path, people(counts)))
    root = read(page(made))
    assert [each.attributes.get("type") for each in root.all("script")] == [None]
    cells = {each.words for each in root.all("td", "th")}
    assert set(AWKWARD) <= cells


def test_embedded_data_cannot_end_its_element(many: Report) -> None:
    classes = replace(many.findings[0].classes, labels={"town": AWKWARD, "age": ("1",)})
    text = embedded(classes, "few")
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["labels"][0] == list(AWKWARD)


def test_embedded_data_keep_within_their_weight(many: Report) -> None:
    classes = many.findings[0].classes
    assert len(json.loads(embedded(classes, "few"))["numbers"]) == 60
    assert len(json.loads(embedded(classes, "few", most=1500))["numbers"]) < 60


def test_the_sections_stand_in_order_under_one_title(many: Report) -> None:
    root = read(page(many))
    assert [each.attributes["id"] for each in root.all("section")] == [
        name for name in SECTIONS if name not in ("attacked", "learning")
    ]
    heads = [int(each.name[1]) for each in root.all("h1", "h2", "h3", "h4")]
    assert heads.count(1) == 1
    assert heads[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(heads))
    assert [len(root.all(name)) for name in ("header", "main", "footer")] == [1, 1, 1]
    assert root.all("html")[0].attributes["lang"] == "en"


def test_tables_charts_and_fields_are_named(many: Report) -> None:
    root = read(page(many))
    for table in root.all("table"):
        assert table.all("caption")[0].words
        assert all(each.attributes.get("scope") in ("row", "col") for each in table.all("th"))
        assert all(each.words for each in table.all("th"))
    for chart in root.all("svg"):
        assert all(chart.all(name)[0].words for name in ("title", "desc"))
    labels = {each.attributes["for"] for each in root.all("label")}
    assert {each.attributes["id"] for each in root.all("input", "textarea")} == labels


def test_every_link_leads_to_a_place_in_the_page(many: Report) -> None:
    root = read(page(many))
    places = [each.attributes["id"] for each in every(root) if "id" in each.attributes]
    assert len(set(places)) == len(places)
    targets = [str(each.attributes["href"]) for each in root.all("a")]
    assert {target.removeprefix("#") for target in targets} <= set(places)
    assert {"#model-k-anonymity", "#loss-distribution", "#word-prior"} <= set(targets)


def every(root: Element) -> list[Element]:
    return [each for child in root.children for each in (child, *every(child))]


def test_the_page_asks_nobody_for_anything(many: Report) -> None:
    shown = page(many)
    assert re.findall(r"""(?:src|href|action|url)\s*[=(]\s*["']?(?!#|data:,)[^"'\s>]+""", shown) == []
    assert set(re.findall(r"https?://[^\s\"<]+", shown)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in shown.replace("&#x27;", "'")


def test_models_say_what_they_stop_and_what_they_are_blind_to(many: Report) -> None:
    root = read(page(many))
    (definitions,) = [each for each in root.all("section") if each.attributes["id"] == "definitions"]
    assert "record linkage: which row is this person’s?" in definitions.words
    leads = {each.all("strong")[0].words: each.text for each in definitions.all("p") if each.all("strong")}
    assert {"Blind to: ", "Monotone: ", "Example: "} <= set(leads)
    assert "a class of k people with one disease satisfies it" in page(many)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(colors: dict[str, str]) -> None:
    for text, ground in READ:
        assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
    assert contrast(colors["bar"], colors["paper"]) >= 3


def test_paper_is_light_and_has_page_breaks() -> None:
    rules = style()
    assert "@media screen and (prefers-color-scheme:dark)" in rules
    assert "@media print" in rules
    assert "#signature{break-inside:avoid}" in rules
    assert "@import" not in rules


def test_the_same_report_is_the_same_page(many: Report) -> None:
    assert page(many) == page(many)
