"""The rows are touched twice: counted once at the start, recoded once at the end. The written file is read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.engines.duckdb.engine import DuckDBEngine
from tests.conftest import Ended

Run = Callable[..., Ended]
QUASI = "age,education,sex"


class Work:
    """What engines did, by the name of the file: `opened`, `counted`, `recoded`, `closed`."""

    def __init__(self) -> None:
        self.done: Counter[tuple[str, str]] = Counter()

    def __getitem__(self, key: tuple[str, str]) -> int:
        return self.done[key]

    @property
    def opened(self) -> int:
        return sum(times for (what, _), times in self.done.items() if what == "opened")

    @property
    def left_open(self) -> int:
        return self.opened - sum(times for (what, _), times in self.done.items() if what == "closed")


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    counted = Work()

    def spy(name: str, what: str) -> None:
        plain = getattr(DuckDBEngine, name)

        def noted(engine: DuckDBEngine, *arguments: Any, **named: Any) -> Any:
            result = plain(engine, *arguments, **named)
            name = Path(engine.where).name
            counted.done[what, "the release" if name.startswith("new-") else name] += 1
            return result

        monkeypatch.setattr(DuckDBEngine, name, noted)

    for name, what in (("__init__", "opened"), ("count", "counted"), ("recode", "recoded"), ("close", "closed")):
        spy(name, what)
    return counted


def anonymize(sfumato: Run, census: Path, tmp_path: Path, *more: object) -> None:
    table = [census / "adult.parquet", "-s", census / "adult.toml", "--quasi", QUASI]
    models = ["-m", "k-anonymity:5", "-m", "t-closeness:0.4", "--suppress", "5%"]
    assert sfumato("anonymize", *table, *models, "-o", tmp_path / "out.parquet", *more).status == 0


@pytest.mark.parametrize("report", [False, True])
@pytest.mark.parametrize("more", [(), ("--map", "map.csv"), ("--recipe", "recipe.toml")])
def test_anonymize_counts_the_source_once_and_reads_the_file_once(
    sfumato: Run, census: Path, tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch, report: bool, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    anonymize(sfumato, census, tmp_path, *more, *(["--report", tmp_path / "r.html"] if report else []))
    assert (work["counted", "adult.parquet"], work["recoded", "adult.parquet"]) == (1, 1)
    assert work["counted", "the release"] == 1
    assert (work.opened, work.left_open) == (2 + report, 0)  # a report looks once more, at the columns that nobody judges


def test_mondrian_counts_once_too(sfumato: Run, census: Path, tmp_path: Path, work: Work) -> None:
    table = [census / "adult.parquet", "-s", census / "adult.toml", "--quasi", QUASI]
    ended = sfumato("anonymize", *table, "-m", "k-anonymity:5", "--algorithm", "mondrian", "-o", tmp_path / "out.csv")
    assert (ended.status, work["counted", "adult.parquet"], work["counted", "the release"], work.left_open) == (0, 1, 1, 0)


def test_publish_counts_once(sfumato: Run, census: Path, tmp_path: Path, work: Work) -> None:
    words = [census / "adult.parquet", "-s", census / "adult.toml", "--quasi", "age,sex", "--node", "[2,0]"]
    assert sfumato("publish", *words, "-o", tmp_path / "out.parquet").status == 0
    assert (work["counted", "adult.parquet"], work["counted", "the release"], work.opened, work.left_open) == (1, 1, 2, 0)


@pytest.mark.parametrize(
    ("command", "original"),
    [("check", False), ("check", True), ("measure", True), ("report", False), ("report", True), ("verify", False)],
)
def test_a_file_is_opened_once_whatever_is_asked(
    sfumato: Run, census: Path, tmp_path: Path, work: Work, command: str, original: bool
) -> None:
    anonymize(sfumato, census, tmp_path)
    work.done.clear()
    words = [tmp_path / "out.parquet", *(["-s", census / "adult.toml"] if command != "verify" else [])]
    words += ["--original", census / "adult.parquet"] if original else []
    words += ["-m", "k-anonymity:5"] if command in ("check", "report") else []
    words += ["-o", tmp_path / "page.html"] if command == "report" else []
    assert sfumato(command, *words).status == 0
    # What is judged is read once; a report opens the file once more, for pictures of the columns that nobody judges.
    assert (work["opened", "out.parquet"], work["counted", "out.parquet"]) == (1 + (command == "report"), 1)
    assert work["opened", "adult.parquet"] == original
    assert work["counted", "adult.parquet"] == original
    assert work.left_open == 0


def test_a_verb_closes_what_it_opens_and_leaves_open_what_it_was_given(census: Path, work: Work) -> None:
    schema = census / "adult.toml"
    sf.anonymize(census / "adult.parquet", schema, models="k-anonymity:5", quasi="sex")
    sf.publish(census / "adult.parquet", schema, node=[0], quasi="sex")
    assert work.left_open == 0
    with sf.Source(census / "adult.parquet", schema).open() as table:
        sf.anonymize(table, models="k-anonymity:5", quasi="sex")
        assert work.left_open == 1
        assert table.count(["sex"]).classes == 2
    assert work.left_open == 0


def test_a_release_opens_its_source_again(census: Path, work: Work) -> None:
    for verb, options in ((sf.publish, {"node": [0]}), (sf.anonymize, {"models": "k-anonymity:5"})):
        made = verb(census / "adult.parquet", census / "adult.toml", quasi="sex", **options)
        release = getattr(made, "release", made)
        assert release.beside_original().num_rows == 30162
        assert work.left_open == 0


def test_a_count_is_answered_from_a_finer_one(work: Work) -> None:
    with sf.data.adult() as table:
        finest = table.count(["age", "sex"])
        coarse = table.count(["age"], floor=[2])
        assert work["counted", "adult.parquet"] == 1
        assert coarse.same_as(finest.project(["age"]).roll_up(table.node([2], ["age"])))
        table.count(["age", "race"])
        assert work["counted", "adult.parquet"] == 2
    with sf.data.adult() as table:
        assert [coarse.labels(number) for number in range(1, 5)] == [
            table.count(["age"], floor=[2]).labels(number) for number in range(1, 5)
        ]
