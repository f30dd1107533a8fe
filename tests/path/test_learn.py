"""`sfumato learn` from end to end: nodes, the Pareto front, published files, and what it refuses."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from tests.conftest import Ended
from tests.unit.learn.conftest import SCHEMA, rows

Run = Callable[..., Ended]
QUICK = ("--target", "sick", "--estimator", "naive-bayes", "--repeats", "2")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    pq.write_table(rows(), tmp_path / "people.parquet")
    (tmp_path / "people.toml").write_text(sf.Schema.parse(SCHEMA).to_toml(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def learn(sfumato: Run, people: Path) -> Callable[..., Ended]:
    return lambda *words: sfumato("learn", people / "people.parquet", "-s", people / "people.toml", *QUICK, *words)


def test_the_figures_are_those_of_python(learn: Run, people: Path) -> None:
    record = learn("--nodes", "[1,1] [2,0]", "--nodes", "age=3,place=0", "--json").json
    found = sf.learn.utility_losses(
        people / "people.parquet",
        [[1, 1], [2, 0], [3, 0]],
        schema=people / "people.toml",
        target="sick",
        estimator="naive-bayes",
        repeats=2,
    )
    assert [each["release"] for each in record["releases"]] == ["[1,1]", "[2,0]", "[3,0]"]
    assert record["releases"] == found.as_dict()["releases"]
    assert record["original"]["accuracy"] == 1
    assert record["releases"][0]["released"]["baseline"] == 0.5


def test_a_node_may_be_written_with_spaces(learn: Run) -> None:
    record = learn("--nodes", "[1, 1] [2,0]", "--nodes", "age=3, place=0; age=1,place=0 age=2,place=1", "--json").json
    assert [each["release"] for each in record["releases"]] == ["[1,1]", "[2,0]", "[3,0]", "[1,0]", "[2,1]"]


def test_it_says_whose_precision_it_is(learn: Run) -> None:
    assert "precision and recall are those of yes" in learn("--nodes", "[1,1]", "--positive", "yes").out
    assert learn("--nodes", "[1,1]", "--positive", "yes", "--json").json["positive"] == "yes"


def test_figures_are_not_broken_at_80_columns(learn: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = learn("--nodes", "[1,1]").out
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search(r"│ *\d+\.\d\d% ± \d+\.\d\d$", shown, re.MULTILINE)


def test_without_the_extra_it_names_it(learn: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("sfumato.learn.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    ended = learn("--nodes", "[1,1]")
    assert (ended.status, "needs the extra 'learn'" in ended.err) == (2, True)


def test_what_needs_a_sensitive_attribute_is_refused_before_the_work(sfumato: Run, people: Path) -> None:
    plain = {name: {**each, "role": "plain"} if name == "diagnosis" else each for name, each in SCHEMA["attributes"].items()}
    (people / "people.toml").write_text(sf.Schema.parse({"attributes": plain}).to_toml(), encoding="utf-8")
    words = ("learn", people / "people.parquet", "-s", people / "people.toml", *QUICK, "--nodes", "[1,1]")
    refused = sfumato(*words, "--within", "1%", "--results", people / "kept")
    assert (refused.status, "what is disclosed needs a sensitive attribute" in refused.err) == (2, True)
    assert not (people / "kept").exists()
    assert sfumato(*words).status == 0


def test_which_release_within_a_tolerance_leaks_least(learn: Run) -> None:
    ended = learn("--nodes", "[0,0] [3,0] [3,2]", "--within", "1%")
    assert ended.status == 0
    assert "within 1%, [3,0] leaks least: ε = " in ended.out


def test_that_no_release_is_within_a_tolerance_is_an_answer(learn: Run) -> None:
    ended = learn("--nodes", "[3,2]", "--within", "1%", "--json")
    assert ended.status == 1
    assert ended.json["least_leaking"] is None


def test_along_the_front_disclosure_rises(learn: Run) -> None:
    record = learn("--along-pareto", "3", "-m", "k-anonymity:5", "--json").json
    epsilons = [each["privacy"]["distribution"]["max"] for each in record["releases"]]
    assert len(epsilons) == 3
    assert epsilons == sorted(set(epsilons))
    assert epsilons[0] == 0


@pytest.mark.parametrize(("node", "message"), [("[9,1]", "level 9 of 'age' does not exist"), ("[1]", "1 level for 2 QIDs")])
def test_a_node_that_does_not_exist_is_one_of_the_nodes(learn: Run, sfumato: Run, people: Path, node: str, message: str) -> None:
    queries = sfumato("queries", people / "people.parquet", "-s", people / "people.toml", "--nodes", node)
    for ended in (learn("--nodes", f"[1,1] {node}"), queries):
        assert ended.status == 2
        assert ended.err.startswith(f"sfumato: --nodes: {message}")


def test_files_of_anybody_are_learned_from(learn: Run, people: Path) -> None:
    sf.publish(people / "people.parquet", people / "people.toml", node=[1, 0], output=people / "a.parquet", ledger=people)
    (people / "b.csv").write_text("place,sick\n" + "Oslo,yes\nTurku,no\n" * 60)
    record = learn("--releases", f"{people / 'a.parquet'},{people / 'b.csv'}", "--json").json
    assert [each["release"] for each in record["releases"]] == ["a.parquet", "b.csv"]
    assert all(each["mapped"] is None for each in record["releases"])
    assert record["releases"][1]["rows"] == 120


def test_a_second_run_takes_what_the_first_has_kept(learn: Run, people: Path) -> None:
    words = ("--nodes", "[1,1]", "--results", people / "kept", "--json")
    first = learn(*words).out
    kept = {path: path.read_bytes() for path in (people / "kept").iterdir()}
    assert learn(*words, "--jobs", "2").out == first
    assert {path: path.read_bytes() for path in (people / "kept").iterdir()} == kept
    assert b"Oslo" not in b"".join(kept.values())


def test_the_chart_is_written(learn: Run, people: Path) -> None:
    assert learn("--nodes", "[1,1]", "-o", people / "chart.svg").status == 0
    assert "utility loss" in (people / "chart.svg").read_text(encoding="utf-8")
    assert "exists already" in learn("--nodes", "[1,1]", "-o", people / "chart.svg").err


def test_the_explorer_page_has_the_loss_as_an_axis(learn: Run, people: Path) -> None:
    assert learn("--nodes", "[1,1] [2,0]", "--page", people / "page.html").status == 0
    page = (people / "page.html").read_text(encoding="utf-8")
    assert "accuracy that a model loses · learning" in page
    assert '"nodes":2' in page
    refused = learn("--releases", people / "people.parquet", "--page", people / "other.html")
    assert (refused.status, "only nodes are on the page" in refused.err) == (2, True)


def test_the_trade_off_of_learned_nodes_has_their_losses(people: Path) -> None:
    with sf.Table.open(people / "people.parquet", people / "people.toml") as table:
        found = sf.learn.utility_losses(table, [[3, 2], [1, 1]], target="sick", estimator="naive-bayes", repeats=1)
        result = sf.learn.learned_trade_off(table, found)
    assert {tuple(point.node.levels): point["learning"] for point in result.space} == {
        (3, 2): found.releases[0].loss.value,
        (1, 1): found.releases[1].loss.value,
    }


def test_the_report_shows_what_was_learned(learn: Run, sfumato: Run, people: Path) -> None:
    (people / "learned.json").write_text(learn("--nodes", "[1,1]", "--json").out, encoding="utf-8")
    sf.publish(people / "people.parquet", people / "people.toml", node=[1, 1], output=people / "a.parquet", ledger=people)
    report = ("report", people / "a.parquet", "-s", people / "people.toml", "-o", people / "report.html")
    assert sfumato(*report, "--learned", people / "learned.json").status == 0
    page = (people / "report.html").read_text(encoding="utf-8")
    assert "What a model loses that learns from releases" in page
    assert "naive-bayes predicts sick" in page
    (people / "learned.json").write_text("{}")
    refused = sfumato(*report, "--force", "--learned", people / "learned.json")
    assert "not what 'sfumato learn --json' prints: target is missing" in refused.err
    assert "What a model loses" not in _page_without(sfumato, report, people)


def _page_without(sfumato: Run, report: tuple[Any, ...], people: Path) -> str:
    assert sfumato(*report, "--force").status == 0
    return (people / "report.html").read_text(encoding="utf-8")


BAD: list[tuple[tuple[Any, ...], str]] = [
    ((), "say what to learn from: --nodes, --along-pareto or --releases, one of them"),
    (("--nodes", "[1,1]", "--along-pareto", "2"), "one of them"),
    (("--nodes", "[1,1]", "--target", "name"), "declared identifier"),
    (("--nodes", "[1,1]", "--estimator", "oracle"), "--estimator: no estimator 'oracle'"),
    (("--nodes", "rubbish"), "--nodes: cannot read 'rubbish'; write age=2,sex=1 or [2,1]"),
    (("--nodes", "[1,1]", "--within", "1.0"), "a tolerance is a share between 0 and 1, as 1% or 0.01"),
    (("--nodes", "[1,1]", "--within", "1"), "a tolerance is a share between 0 and 1, as 1% or 0.01"),
    (("--along-pareto", "2", "--pareto", "loss"), "a front is of two losses"),
    (("--releases", "nowhere.parquet"), "nowhere.parquet"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_bad_input_is_one_line(words: tuple[Any, ...], message: str, learn: Run) -> None:
    ended = learn(*words)
    assert ended.status == 2
    assert message in ended.err
    assert len(ended.err.strip().splitlines()) == 1


def test_queries_are_asked_of_nodes_and_files(sfumato: Run, people: Path) -> None:
    ask = ("queries", people / "people.parquet", "-s", people / "people.toml")
    record = sfumato(*ask, "--nodes", "[0,0] [3,2]", "--count", "50", "--seed", "7", "--json").json
    assert [each["release"] for each in record["releases"]] == ["[0,0]", "[3,2]"]
    assert record["releases"][0]["quantiles"]["100%"] == 0 < record["releases"][1]["mean"]
    (people / "own.toml").write_text("[[query]]\nname = 'of Oslo'\nwhere = { place = ['Oslo'] }\n")
    shown = sfumato(*ask, "--nodes", "[3,1]", "--queries", people / "own.toml").out
    assert "of Oslo" in shown
    assert "relative error of 1 query of your own" in shown
    assert "--nodes or --releases, one of them" in sfumato(*ask).err
