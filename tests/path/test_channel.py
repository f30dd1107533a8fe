"""`sfumato channel` from the outside: what it prints and refuses, and that Python reads the same files."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.errors import DataError

Run = Callable[..., Any]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text("asked,yes,no\nill,3/4,1/4\n\nwell,0.25,0.75\n", encoding="utf-8-sig")
    return path


def test_a_channel_is_measured(sfumato: Run, answers: Path, tmp_path: Path) -> None:
    ended = sfumato("channel", "measure", answers)
    assert (ended.status, ended.err) == (0, "")
    assert "2 inputs, 2 outputs; prior: uniform" in ended.out
    (tmp_path / "prior.csv").write_text("well,1/10\nill,9/10\n", encoding="utf-8")
    for prior in ("0.9,0.1", tmp_path / "prior.csv"):
        record = json.loads(sfumato("channel", "measure", answers, "--prior", prior, "--json").out)
        assert record["prior"] == "stated"
        assert record["measures"]["map_error"] == pytest.approx(0.1)
        assert record["adversaries"] == pytest.approx({"nothing": 0.5, "prior": 0.1, "mechanism": 0.25, "both": 0.1})
        assert record["capacity_residual"] <= 1e-9


def test_a_mechanism_is_judged_and_a_violation_ends_with_one(sfumato: Run, answers: Path, tmp_path: Path) -> None:
    kept = sfumato("channel", "judge", answers, "-m", "differential-privacy:1.1")
    assert (kept.status, kept.err) == (0, "")
    broken = sfumato("channel", "judge", answers, "-m", "differential-privacy:1", "-m", "distributional-privacy:1,0.5", "--json")
    assert broken.status == 1
    first, second = json.loads(broken.out)["models"]
    assert (first["value"], first["satisfied"], first["witness"]) == (pytest.approx(log(3)), False, ["ill", "well"])
    assert (second["value"], second["satisfied"]) == (0, True)
    (tmp_path / "near.csv").write_text("ill,well\n", encoding="utf-8")
    (tmp_path / "tuples.csv").write_text("table,sick\nwell,0\nill,1\n", encoding="utf-8")
    more = ("--neighbors", tmp_path / "near.csv", "--members", tmp_path / "tuples.csv", "--law", "0.9,0.1")
    models = ("-m", "differential-privacy:1.1", "-m", "d-gamma-privacy:0.25,0.75", "-m", "distributional-privacy:0.1,0.2")
    assert sfumato("channel", "judge", answers, *models, *more).status == 0


def test_an_infinite_value_is_an_answer(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("x,a,b\na,1,0\nb,0,1\n", encoding="utf-8")
    ended = sfumato("channel", "judge", tmp_path / "all.csv", "-m", "differential-privacy:9", "--json")
    (verdict,) = json.loads(ended.out)["models"]
    assert (ended.status, verdict["value"], verdict["reason"]) == (1, None, "the value is infinite")
    assert "infinite" in sfumato("channel", "judge", tmp_path / "all.csv", "-m", "differential-privacy:9").out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("x,a,b\n1,0.5,0.4\n", "row 1 adds up to 0.9 and not to 1"),
        ("x,a,b\n1,1\n", "line 2 has 2 cells and the first line 3"),
        ("x,a,b\n1,one,0\n", "line 2 has a cell that is no number; write 0.25 or 1/4"),
        ("x,a,b\n1,1/0,0\n", "line 2 has a cell that is no number"),
        ("x,a\n1,1\n1,1\n", "the names of the inputs must differ"),
        ('x,a\n1,"1\n', "is no CSV file"),
        ("x,a,b\n", "rows and columns"),
    ],
)
def test_a_file_that_is_no_channel_is_refused_in_one_line(sfumato: Run, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    ended = sfumato("channel", "measure", path)
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert message in ended.err
    with pytest.raises(DataError):
        sf.channel.read(path)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("measure", "--prior", "0.5"), "1 probability for 2 inputs"),
        (("measure", "--prior", "a,b"), "probabilities with commas between"),
        (("measure", "--prior", "near.csv"), "line 2 names an input again"),
        (("judge", "-m", "k-anonymity:2"), "no model 'k-anonymity' in those of mechanisms"),
        (("judge", "-m", "d-gamma-privacy:0.1,0.5"), "say which are in each input"),
        (("judge", "-m", "differential-privacy:1", "--neighbors", "one.csv"), "two inputs in each"),
        (("judge", "-m", "d-gamma-privacy:0.1,0.5", "--members", "other.csv"), "has other inputs than the channel"),
    ],
)
def test_what_does_not_fit_a_channel_is_refused(
    sfumato: Run, answers: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(answers.parent)
    Path("near.csv").write_text("ill,0.5\nill,0.5\n", encoding="utf-8")
    Path("one.csv").write_text("ill\n", encoding="utf-8")
    Path("other.csv").write_text("x,t\na,0\nb,1\n", encoding="utf-8")
    command, *rest = words
    ended = sfumato("channel", command, answers, *rest)
    assert ended.status == 2
    assert message in ended.err


def test_a_file_is_not_judged_by_a_model_of_mechanisms(sfumato: Run, census: Path) -> None:
    asked = (census / "adult.parquet", "-s", census / "adult.toml", "-m", "differential-privacy:1")
    for ended in (sfumato("check", *asked), sfumato("anonymize", *asked, "-o", census / "out.csv")):
        assert ended.status == 2
        assert "`sfumato channel judge` judges a mechanism's channel" in ended.err


def test_models_lists_those_of_mechanisms_as_a_kind_of_their_own(sfumato: Run) -> None:
    records = json.loads(sfumato("models", "--json").out)["models"]
    kinds = {each["name"]: each["kind"] for each in records}
    assert [name for name, kind in kinds.items() if kind == "mechanism"] == list(sf.models.MECHANISM_MODELS)
    assert kinds["k-anonymity"] == "release"
    assert "differential-privacy:epsilon" in sfumato("models").out
