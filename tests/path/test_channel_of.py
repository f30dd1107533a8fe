"""`sfumato channel of`: what the best guesser gains from a published file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.cli.main import run


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    sf.data.write_adult(tmp_path)
    sf.publish("adult.parquet", "adult.toml", quasi=["age", "workclass"], node=[2, 1], output="out.csv")
    return tmp_path


def test_it_says_what_is_gained_and_by_which_prior(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["channel", "of", "out.csv", "-s", "adult.toml"]) == 0
    shown = capsys.readouterr().out
    assert "0.1339" in shown  # the share of the most frequent occupation
    assert "prior: the file itself" in shown


def test_as_json_it_is_what_python_returns(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["channel", "of", "out.csv", "-s", "adult.toml", "--original", "adult.parquet", "--per-class", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    result = sf.channel_of("out.csv", "adult.toml", original="adult.parquet")
    assert record["sensitive"] == result.as_dict()["sensitive"]
    assert record["prior"] == result.prior == "the original table"
    assert record["per_class"][0]["map_error"] == [row[4] for row in result.attributes[0].per_class().rows]
    assert record["per_class"][0]["people"][6] == 22


def test_a_model_is_refused(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["channel", "of", "out.csv", "-s", "adult.toml", "-m", "k-anonymity:5"]) == 2
    assert "sfumato check" in capsys.readouterr().err
