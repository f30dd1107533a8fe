"""Stricter thresholds for chosen groups, guided generalization and subsets of QIDs, from the command line."""

from __future__ import annotations

import errno
import html
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ended

Run = Callable[..., Ended]
OLD = "age=[75, 100]"


@pytest.fixture
def census(tmp_path: Path, sfumato: Run) -> Path:
    assert sfumato("data", "adult", "-o", tmp_path / "census").status == 0
    return tmp_path / "census"


@pytest.fixture
def anonymize(census: Path, sfumato: Run) -> Run:
    def call(*arguments: object) -> Ended:
        place = census.parent / "out.parquet"
        return sfumato("anonymize", census / "adult.parquet", "-s", census / "adult.toml", *arguments, "-o", place, "--force")

    return call


def words_of(page: Path) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text()))


def test_a_group_gets_its_own_threshold_in_search_check_and_report(anonymize: Run, sfumato: Run, census: Path) -> None:
    plain = anonymize("-m", "k-anonymity:5", "-m", "distribution-loss:0.5", "--json")
    assert plain.status == 0
    out, schema = census.parent / "out.parquet", census / "adult.toml"
    # Without protection the old are exposed.
    exposed = sfumato("check", out, "-s", schema, "--protect", OLD, "distribution-loss:0.1", "--json")
    assert exposed.status == 1
    made = anonymize("-m", "k-anonymity:5", "-m", "distribution-loss:0.5", "--protect", OLD, "distribution-loss:0.1", "--json")
    assert made.status == 0
    own = next(each for each in made.json["models"] if each["model"] == f"distribution-loss:0.1 for {OLD}")
    assert own["value"] <= 0.1
    assert own["satisfied"] is True
    checked = sfumato("check", out, "-s", schema, "--protect", OLD, "distribution-loss:0.1", "--json")
    assert checked.status == 0
    assert checked.json["models"][0]["value"] == pytest.approx(own["value"], abs=1e-12)
    assert (
        made.json["losses"]["utility-distribution"]["people_mean"] > plain.json["losses"]["utility-distribution"]["people_mean"]
    )
    page = census.parent / "report.html"
    reported = sfumato("report", out, "-s", schema, "-o", page, "--json")
    assert reported.status == 0
    assert f"-m 'distribution-loss:0.1 for {OLD}' --minimize" in words_of(page)


def test_a_group_that_the_file_cannot_hold_is_refused_unless_it_is_known_to_exist(
    anonymize: Run, sfumato: Run, census: Path
) -> None:
    """Misspelled, it must not look protected; gone with the suppressed, it is not applicable."""
    schema, out, page = census / "adult.toml", census.parent / "out.parquet", census.parent / "page.html"
    assert anonymize("--quasi", "sex,race", "-m", "k-anonymity:5", "--json").status == 0
    for words in (["check", out], ["report", out, "-o", page]):
        wrong = sfumato(*words, "-s", schema, "--protect", "sex=Fmale", "k-anonymity:9")
        assert wrong.status == 2
        assert "no class of the file can hold people of sex=Fmale" in wrong.err
    assert not page.exists()
    still = sfumato("check", out, "-s", schema, "--protect", "sex=F", "k-anonymity:9", "--original", census / "adult.parquet")
    assert still.status == 2
    # Only white people are left, and the others are known from the original.
    ended = anonymize("--quasi", "race", "-m", "k-anonymity:25000", "--suppress", "20%", "--minimize", "loss", "--json")
    assert ended.status == 0
    words = ["check", out, "-s", schema, "--protect", "race=Other", "k-anonymity:9"]
    assert sfumato(*words).status == 2
    ended = sfumato(*words, "--original", census / "adult.parquet", "--json")
    assert (ended.status, ended.json["models"][0]["satisfied"]) == (0, "not_applicable")


def test_a_local_recoding_protects_the_group_and_spares_the_others(anonymize: Run, sfumato: Run, census: Path) -> None:
    models = ["-m", "k-anonymity:5", "-m", "distribution-loss:0.5", "--protect", OLD, "distribution-loss:0.1"]
    by_node, local = anonymize(*models, "--json"), anonymize(*models, "--algorithm", "mondrian", "--json")
    assert (by_node.status, local.status) == (0, 0)
    assert local.json["classes"] > 100 * by_node.json["classes"]
    checked = sfumato("check", census.parent / "out.parquet", "-s", census / "adult.toml", *models, "--json")
    assert checked.status == 0
    assert checked.json["models"][-1]["value"] == pytest.approx(local.json["models"][-1]["value"], abs=1e-12)


def test_suppression_may_take_the_group_away_and_that_is_said(anonymize: Run, sfumato: Run, census: Path) -> None:
    ended = anonymize(
        "--quasi", "age", "-m", "k-anonymity:5", "--protect", OLD, "k-anonymity:30000", "--suppress", "2%", "--json"
    )
    assert ended.status == 0
    own = ended.json["models"][-1]
    assert (own["value"], own["satisfied"], own["reason"]) == (None, True, "no class can hold people of the group")
    checked = sfumato(
        "check", census.parent / "out.parquet", "-s", census / "adult.toml", "--protect", OLD, "k-anonymity:30000", "--json"
    )
    assert checked.status == 0
    assert checked.json["models"][0]["satisfied"] == "not_applicable"
    page = census.parent / "report.html"
    assert sfumato("report", census.parent / "out.parquet", "-s", census / "adult.toml", "-o", page).status == 0
    assert "no class can hold people of the group" in words_of(page)
    assert "infinite, at least" not in words_of(page)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--protect", OLD], "takes a group and a model"),
        (["--protect", "k-anonymity:5", OLD], "takes a group and a model"),
        (["--protect"], "takes a group and a model"),
        ([f"--protect={OLD}"], "takes a group and a model"),
        (["--protect=agee=[75, 100]", "k-anonymity:9"], "did you mean 'age'?"),
        (["--protect", "agee=[75, 100]", "k-anonymity:9"], "did you mean 'age'?"),
        (["--protect", "age=elderly", "k-anonymity:9"], "is not a label of 'age'"),
        (["--protect", "occupation=Sales", "k-anonymity:9"], "not quasi"),
        (["--protect", OLD, "average-risk:0.1"], "cannot be limited to a group"),
        (["--protect", OLD, "k-anonymity:9", "--algorithm", "incognito"], "is not monotone"),
        (["--protect", OLD, "entropy-loss:1", "--algorithm", "mondrian"], "may be lost when classes merge"),
        (["-m", "k-anonymity:5", "--toward", "recommended"], "nothing to recommend for"),
        (["-m", "privacy-loss:0.3,1", "--toward", "recommnded"], "did you mean 'recommended'?"),
        (["-m", "privacy-loss:0.3,1", "--toward", "recommended", "--algorithm", "incognito"], "leave --algorithm out"),
        (["-m", "privacy-loss:0.3,1", "--toward", "recommended", "--suppress", "5%"], "guidance suppresses nobody"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(anonymize: Run, census: Path, words: list[str], said: str) -> None:
    ended = anonymize(*words)
    assert ended.status == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not (census.parent / "out.parquet").exists()


def test_the_guided_release_tells_what_remains_and_what_the_optimum_would_be(anonymize: Run, census: Path, sfumato: Run) -> None:
    ended = anonymize("-m", "privacy-loss:0.5,2", "-m", "utility-distribution-loss:0.9405", "--toward", "recommended", "--json")
    assert ended.status == 0
    search = ended.json["search"]
    assert search["algorithm"] == "guided"
    assert search["optimum"]["distance"] >= search["distance"] > 0
    assert search["optimum"]["value"] <= ended.json["losses"]["utility-distribution"]["people_mean"]
    assert sum(each["recommended"] for each in search["distribution"]) == pytest.approx(1)
    # The report tells how to make it again, guide included.
    page = census.parent / "report.html"
    assert sfumato("report", census.parent / "out.parquet", "-s", census / "adult.toml", "-o", page).status == 0
    assert "--toward recommended" in words_of(page)


def test_the_guided_release_is_told_to_people(anonymize: Run) -> None:
    ended = anonymize("-m", "privacy-loss:0.3,1", "--toward", "recommended", "--quasi", "age,sex")
    assert ended.status == 0
    assert "remaining distance: 0.3;" in ended.out
    assert "at the optimum [" in ended.out


def test_a_report_is_written_with_the_release(anonymize: Run, census: Path) -> None:
    page = census.parent / "page.html"
    ended = anonymize("-m", "k-anonymity:5", "--quasi", "age,sex", "--report", page, "--json")
    assert ended.status == 0
    assert ended.json["report"] == str(page)
    assert "k-anonymity:5" in page.read_text()


def test_a_report_that_exists_is_told_before_the_search(anonymize: Run, census: Path) -> None:
    page = census.parent / "page.html"
    page.mkdir()
    ended = anonymize("-m", "k-anonymity:5", "--report", page)
    assert ended.status == 2
    assert not (census.parent / "out.parquet").exists()


def test_the_report_needs_a_name_of_its_own(anonymize: Run, census: Path) -> None:
    page = census.parent / "page.html"
    ended = anonymize("-m", "k-anonymity:5", "--quasi", "age,sex", "--report", page, "--map", page)
    assert (ended.status, "two outputs have this name" in ended.err) == (2, True)
    assert not page.exists()


def test_a_report_that_cannot_be_finished_leaves_the_old_one(
    anonymize: Run, census: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = census.parent / "page.html"
    page.write_bytes(b"the old one")
    writing = Path.write_text

    def full(path: Path, text: str, encoding: str = "utf-8") -> int:
        if path.suffix != ".html":
            return writing(path, text, encoding)
        path.write_bytes(b"<!DOC")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    ended = anonymize("-m", "k-anonymity:5", "--quasi", "age,sex", "--report", page)
    assert (ended.status, "No space left" in ended.err) == (2, True)
    assert page.read_bytes() == b"the old one"
    assert [path.name for path in page.parent.iterdir() if path.name.startswith(".")] == []


def test_a_space_says_where_nobody_of_a_group_is_left(sfumato: Run, census: Path) -> None:
    words = ("--quasi", "age", "--protect", OLD, "k-anonymity:30000", "--suppress", "2%", "-o", census / "space.parquet")
    assert sfumato("explore", census / "adult.parquet", "-s", census / "adult.toml", *words).status == 0
    ended = sfumato("space", census / "space.parquet", "--node", "[2]")
    assert f"k-anonymity:30000 for {OLD}: no class to judge yes" in ended.out


def test_names_with_blanks_are_quoted_in_the_command_that_makes_a_subset(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("home town,illness\n" + "a,flu\nb,cold\n" * 9, encoding="utf-8")
    schema = '[attributes."home town"]\nrole = "quasi"\n[attributes.illness]\nrole = "sensitive"\n'
    (tmp_path / "t.toml").write_text(schema, encoding="utf-8")
    ended = sfumato("subsets", tmp_path / "t.csv", "-s", tmp_path / "t.toml", "-m", "k-anonymity:5")
    assert "with --quasi 'home town' makes it" in ended.out


def test_subsets_shows_the_best_of_each_size(sfumato: Run, census: Path) -> None:
    words = ["subsets", census / "adult.parquet", "-s", census / "adult.toml", "-m", "k-anonymity:5", "-m", "t-closeness:0.3"]
    ended = sfumato(*words, "--quasi", "age,marital-status,sex")
    assert ended.status == 0
    assert "age=3, marital-status=1, sex=0" in ended.out
    assert "with --quasi age,marital-status,sex makes it" in ended.out
    record = sfumato(*words, "--quasi", "age,marital-status,sex", "--json").json
    assert record["best"]["quasi"] == ["age", "marital-status", "sex"]
    assert len(record["subsets"]) == 8


def test_subsets_of_which_none_fits_exit_1(sfumato: Run, census: Path) -> None:
    words = ["subsets", census / "adult.parquet", "-s", census / "adult.toml", "-m", "distribution-loss:0.01", "--keep", "sex"]
    ended = sfumato(*words, "--quasi", "sex,race")
    assert ended.status == 1
    assert "no subset satisfies distribution-loss:0.01" in ended.out
