"""`sfumato report` from the outside: the page, the same as JSON, with and without a certificate, and when it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.reporting.page import page
from sfumato.verbs.report import report
from tests.forging import forge
from tests.unit.report.reading import read
from tests.unit.report.releases import many_classes, written

Run = Callable[..., Any]
OWNERS = '[attributes.q]\nrole="quasi"\n[attributes.r]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n[attributes.who]\nrole="owner"\n'


@pytest.fixture
def release(census: Path) -> Path:
    """Found by a search, with people suppressed."""
    asked: dict[str, Any] = {
        "models": ["k-anonymity:5", "t-closeness:0.3"],
        "suppress": "5%",
        "quasi": ["age", "education", "sex"],
        "minimize": "utility-distribution",
    }
    sf.anonymize(census / "adult.parquet", census / "adult.toml", **asked, output=census / "out.parquet")
    return census / "out.parquet"


def words(path: Path, section: str) -> str:
    root = read(path.read_text(encoding="utf-8"))
    return next(each.words for each in root.all("section") if each.attributes["id"] == section)


def test_the_page_is_written_and_told(sfumato: Run, release: Path) -> None:
    schema, target = release.with_name("adult.toml"), release.with_name("report.html")
    original = release.with_name("adult.parquet")
    ended = sfumato("report", release, "-s", schema, "--original", original, "-m", "distribution-loss:0.1", "-o", target)
    assert ended.status == 0
    assert f"wrote {target}" in ended.out
    assert "distribution-loss:0.1" in ended.out
    shown = target.read_text(encoding="utf-8")
    assert shown.startswith("<!DOCTYPE html>")
    assert sf.Certificate.read(release.with_name("out.parquet.certificate.json")).sha256 in words(target, "published")
    assert "class 7 (103 people)" in words(target, "models")
    assert "same verdict" in words(target, "models")
    assert "575 people, 1.91% of all" in words(target, "suppressed")
    assert "0.004474" in words(target, "suppressed")
    assert "nonuniform-entropy" in words(target, "losses")
    assert "--suppress 5%" in shown
    assert sfumato("report", release, "-s", schema, "-o", target).status == 2
    assert sfumato("report", release, "-s", schema, "-o", target, "--force").status == 0


def test_the_same_as_json(sfumato: Run, release: Path) -> None:
    ended = sfumato("report", release, "-s", release.with_name("adult.toml"), "--json")
    found = ended.json
    assert (ended.status, found["status"], found["schema_version"], found["written"]) == (0, "satisfied", 1, None)
    # The distribution of the original is withheld: what the file shows by itself is another number than the certified one.
    assert (found["audience"], [each["agrees"] for each in found["models"]]) == ("public", [True, None])
    assert found["models"][1]["certified"]["satisfied"] is True
    assert (found["models"][1]["certified"]["value"], found["suppressed"]["changes"]) == (None, None)
    assert found["facts"]["people"] + found["suppressed"]["people"] == 30_162
    assert found["sensitive"][0]["losses"]["distribution"]["worst"] == found["sensitive"][0]["classes"]["numbers"][0]
    checked = sf.check(release, release.with_name("adult.toml"), models=["t-closeness:0.3"]).verdicts[0]
    assert found["models"][1]["judged"]["value"] == checked.value


def test_the_figures_are_those_of_measure(release: Path) -> None:
    original, schema = release.with_name("adult.parquet"), release.with_name("adult.toml")
    made = report(release, schema, original=original, population_size=1_000_000)
    measured = sf.measure(release, schema, original=original, combinations=True, population_size=1_000_000)
    assert made.findings[0].losses == measured.attributes[0].losses
    assert made.findings[0].combinations == measured.attributes[0].combinations
    assert made.findings[0].shares == measured.attributes[0].shares
    assert made.information == measured.information
    assert made.risk == measured.risk


def test_without_a_certificate_what_is_not_known_is_told(sfumato: Run, release: Path) -> None:
    release.with_name("out.parquet.certificate.json").unlink()
    target = release.with_name("report.html")
    assert sfumato("report", release, "-s", release.with_name("adult.toml"), "-o", target).status == 0
    assert "There is no certificate" in words(target, "published")
    assert "not known: there is no certificate" in words(target, "published")
    assert "Whether people were left out is not known" in words(target, "suppressed")
    assert "How the file was made is not known" in words(target, "again")
    assert "the file itself" in words(target, "settings")
    known = report(release, release.with_name("adult.toml"), original=release.with_name("adult.parquet"))
    assert (known.suppressed.people, known.suppressed.rows) == (575, None)
    assert [level.level for level in known.facts.levels] == [2, 2, 1]


def test_a_certificate_of_another_file_is_refused(sfumato: Run, release: Path) -> None:
    beside, target = release.with_name("out.parquet.certificate.json"), release.with_name("report.html")
    beside.write_text(beside.read_text().replace('"sha256": "', '"sha256": "0'))
    ended = sfumato("report", release, "-s", release.with_name("adult.toml"), "-o", target)
    assert (ended.status, ended.err.count("\n"), target.exists()) == (1, 1, False)
    ended = sfumato("report", release, "-s", release.with_name("adult.toml"), "--json")
    assert (ended.status, ended.json["error"]["code"]) == (1, "not_verified")


def test_a_certificate_that_flatters_is_found_out(release: Path) -> None:
    beside = release.with_name("out.parquet.certificate.json")
    record = json.loads(beside.read_text())
    record["models"][1]["value"] = 0.1
    record["models"].append({**record["models"][0], "model": "k-map:1000000"})
    forge(beside, record)
    made = report(release, release.with_name("adult.toml"))
    assert [each.agrees for each in made.judgments] == [True, False, None]
    assert made.warnings == (
        "The certificate and the file disagree about t-closeness:0.3 of occupation, "
        "unless the release was made under stated beliefs (--prior).",
    )
    assert "differs: 0.1, at most 0.3" in page(made)
    assert "only there: no public table" in page(made)


def test_another_schema_is_told(release: Path) -> None:
    schema = release.with_name("adult.toml")
    schema.write_text(schema.read_text().replace('missing = ["", "?"]', 'missing = [""]'))
    made = report(release, schema)
    assert made.facts.schema_fits is False
    assert "not the one that the release was certified under" in made.warnings[0]


def test_people_with_several_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame({"q": list("aaabbb"), "r": list("xxyxyy"), "s": list("121212"), "who": [1, 1, 2, 3, 4, 3]})
    schema = sf.Schema.parse(OWNERS)
    sf.publish(frame, schema, node=[0, 0], output=tmp_path / "out.parquet", suppress=[2])
    blind = report(tmp_path / "out.parquet", schema)
    assert (blind.facts.basis, blind.combinations_of, blind.findings[0].combinations) == ("owner", "none", ())
    assert any("To measure combinations of columns" in each for each in blind.unknown)
    seeing = report(tmp_path / "out.parquet", schema, original=frame)
    found = {each.attributes: each.smallest_class for each in seeing.findings[0].combinations}
    assert found == {("q", "r"): 1, ("q",): 1, ("r",): 2}
    assert "could not be measured" in page(blind)
    assert page(seeing)


def test_starred_people_of_a_file_without_a_certificate_are_no_class(tmp_path: Path) -> None:
    schema = sf.Schema.parse('[table]\nsuppressed="star"\n[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    frame = pd.DataFrame({"q": list("aaaaabbbbbcc"), "s": list("121212121211")})
    sf.publish(frame, schema, node=[0], suppress=[3], output=tmp_path / "out.csv")
    certified = report(tmp_path / "out.csv", schema, original=frame)
    (tmp_path / "out.csv.certificate.json").unlink()
    made = report(tmp_path / "out.csv", schema, original=frame)
    assert (made.suppressed.people, made.facts.classes, made.facts.people) == (2, 2, 10)
    assert made.suppressed.changes == certified.suppressed.changes
    assert made.findings[0].losses == certified.findings[0].losses


def test_stated_beliefs_are_the_prior(release: Path) -> None:
    original, schema = release.with_name("adult.parquet"), release.with_name("adult.toml")
    stated = {"occupation": [sf.Prior.stated(when={"age": "[0, 25)"}, shares={"Other-service": 0.2})]}
    made = report(release, schema, original=original, prior=stated)
    measured = sf.measure(release, schema, original=original, prior=stated)
    assert made.settings["prior"] == "stated beliefs over the original table"
    assert made.findings[0].losses == measured.attributes[0].losses
    assert [each.agrees for each in made.judgments] == [True, None]  # certified without the beliefs
    assert [warning.partition(".")[0] for warning in made.warnings] == ["For the owner only"]
    assert "against the original table" in page(made)


def test_a_table_without_a_sensitive_attribute(tmp_path: Path) -> None:
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n')
    sf.publish(pd.DataFrame({"q": list("aaaaaabbb")}), schema, node=[0], output=tmp_path / "out.csv")
    made = report(tmp_path / "out.csv", schema, models=["k-anonymity:2"])
    assert made.findings[0].classes.numbers == (2, 1)
    root = read(page(made))
    assert "worst" not in [each.attributes["id"] for each in root.all("section")]
    assert made.status == "satisfied"


def test_many_quasi_identifiers_are_looked_at_in_pairs(tmp_path: Path) -> None:
    names = [f"q{number}" for number in range(12)]
    frame = pd.DataFrame({**{name: list("aabb") * 5 for name in names}, "s": list("1122") * 5})
    schema = sf.Schema.parse(
        "\n".join(f'[attributes.{name}]\nrole="quasi"' for name in names) + '\n[attributes.s]\nrole="sensitive"\n'
    )
    sf.publish(frame, schema, node=[0] * 12, output=tmp_path / "out.parquet")
    made = report(tmp_path / "out.parquet", schema)
    assert (made.combinations_of, len(made.findings[0].combinations)) == ("pairs", 12 + 66)
    assert "single ones and pairs" in page(made)


def test_bad_input_is_one_line(sfumato: Run, release: Path) -> None:
    schema = release.with_name("adult.toml")
    for words_given, message in (
        ((release, "-s", schema), "name the page to write"),
        ((release, "-s", schema, "-o", release.with_name("report.pdf")), "must end in .html"),
        ((release, "-s", schema, "-o", release.parent / "nowhere" / "report.html"), "no such folder"),
        ((release.with_name("none.parquet"), "-s", schema, "--json"), "no such file"),
        ((release, "-s", schema, "-m", "privacy:1", "--json"), "no model"),
    ):
        ended = sfumato("report", *words_given)
        assert ended.status == 2
        assert message in ended.err + ended.out


def test_a_release_in_memory_is_checked_measured_and_reported_on(census: Path) -> None:
    schema = census / "adult.toml"
    with sf.data.adult() as table:
        release = sf.anonymize(table, models="k-anonymity:5", suppress="5%", quasi=["age", "sex"]).release
        measured = sf.measure(release, original=table)
    assert release.path is None
    assert measured.suppressed == release.certificate.suppressed["people"] > 0
    assert measured.risk.prosecutor_max <= 1 / 5
    checked = sf.check(release, schema, models=["k-anonymity:5"])
    assert (checked.satisfied, checked.path, checked.prior) == (True, None, "the certificate")
    made = report(release, schema, original=census / "adult.parquet")
    assert (made.status, made.facts.people) == ("satisfied", release.certificate.people)
    assert "a release in memory" in page(made)


def test_a_release_itself_can_be_reported_on(tmp_path: Path) -> None:
    made = sf.publish(many_classes(3), _schema(tmp_path), node=[0, 0], output=tmp_path / "out.parquet")
    found = sf.report(made, _schema(tmp_path), output=tmp_path / "report.html", models="k-anonymity:5")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page(found)


def _schema(folder: Path) -> Path:
    from tests.unit.report.releases import SCHEMA

    (folder / "schema.toml").write_text(SCHEMA)
    return folder / "schema.toml"


def test_ten_thousand_classes_are_a_page_of_moderate_weight(sfumato: Run, tmp_path: Path) -> None:
    release, schema = written(tmp_path, many_classes(10_000))
    target = tmp_path / "report.html"
    assert sfumato("report", release, "-s", schema, "-m", "k-anonymity:5", "-o", target).status == 0
    assert target.stat().st_size < 5_000_000
    root = read(target.read_text(encoding="utf-8"))
    assert len(root.all("tr")) < 500
    (data,) = [each for each in root.all("script") if each.attributes.get("type") == "application/json"]
    assert len(json.loads(data.text)["numbers"]) == 10_000
