"""Defaults that serve: which loss is minimized, what a small suppression would save, a search with a time limit, and a release that no
model was asked of."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import sfumato as sf
from sfumato.errors import OutputError, UsageError
from sfumato.search import deadline
from sfumato.search.outcome import Interrupted
from sfumato.verbs import advice
from sfumato.verbs import anonymize as verb
from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10, 50] }
[attributes.town]
role = "quasi"
hierarchy = { builder = "prefix", keep = [1] }
[attributes.disease]
role = "sensitive"
"""


def people(strangers: int = 2) -> pa.Table:
    """A thousand people who fit well together, and a few strangers whose ages and towns nobody shares."""
    chance = np.random.default_rng(5)
    ages = [*chance.integers(20, 40, 1000).tolist(), *range(85, 85 + strangers)]
    towns = [*chance.choice(["aa", "ab"], 1000).tolist(), *(f"{'xyz'[place % 3]}q" for place in range(strangers))]
    return pa.table({"age": ages, "town": towns, "disease": chance.choice(["flu", "cold", "gout"], 1000 + strangers).tolist()})


@pytest.mark.parametrize(
    "models", [["k-anonymity:5"], ["k-anonymity:5", "t-closeness:0.9"], ["distinct-diversity:2"]], ids=" ".join
)
def test_the_loss_does_not_change_with_the_models(models: list[str]) -> None:
    result = sf.anonymize(people(), schema=sf.Schema.parse(SCHEMA), models=models)
    assert result.as_dict()["minimize"] == "loss"


def test_the_output_names_the_loss_and_what_a_small_suppression_saves(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(SCHEMA)
    pa.csv.write_csv(people(), tmp_path / "people.csv")
    given = ["anonymize", tmp_path / "people.csv", "-s", tmp_path / "people.toml", "-m", "k-anonymity:5", "--force", "-o"]
    output = sfumato(*given, tmp_path / "out.csv").out
    assert "least loss of " in output
    assert "--minimize names another" in output
    assert "if up to 10 people may be suppressed (--suppress 1%), the loss falls from " in output
    output = sfumato(*given, tmp_path / "out.csv", "--json").out
    advice = json.loads(output)["advice"]
    assert advice["suppress"] == 0.01
    followed = sfumato(*given, tmp_path / "out.csv", "--suppress", "1%", "--json").out
    assert json.loads(followed)["losses"]["loss"]["total"] == pytest.approx(advice["loss"]["then"], abs=1e-12)
    assert json.loads(followed)["suppressed"]["people"] == 2
    assert "advice" not in json.loads(followed)


def test_no_advice_where_nobody_stands_out() -> None:
    result = sf.anonymize(people(strangers=0), schema=sf.Schema.parse(SCHEMA), models="k-anonymity:5", advise=True)
    assert isinstance(result, sf.Anonymized)
    assert result.advice is None


def test_what_a_suppression_would_save_is_looked_for_no_longer_than_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search takes 0.3 s by this clock: with half a second for all three shares there is no time left for the third."""
    clock, limits = [0.0], []
    monkeypatch.setattr(advice, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def run(search: sf.Search, problem: Any, loss: str, progress: Any) -> None:
        limits.append(search.time_limit)
        clock[0] += 0.3

    monkeypatch.setattr(sf.Search, "run", run)
    monkeypatch.setattr(advice, "replace", lambda problem, limit: problem)
    found = SimpleNamespace(evaluation={"loss": 0.5})
    assert advice.advise(SimpleNamespace(people=1000, limit=0), "loss", found, 0.01, Event()) is None  # type: ignore[arg-type]
    assert limits == pytest.approx([0.5, 0.2])


def test_a_release_that_fails_ends_the_looking_for_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of the advice goes on until it is stopped; without that this test would not end."""
    looking, ended = Event(), Event()
    run = sf.Search.run

    def endless(search: sf.Search, problem: Any, loss: str, seed: int = 0, progress: Any = None) -> Any:
        if not problem.limit:
            return run(search, problem, loss, seed, progress)
        try:
            while True:
                looking.set()
                progress(0, 1)
        except KeyboardInterrupt:
            ended.set()
            raise Interrupted(None) from None

    def fail(*given: Any, **named: Any) -> None:
        looking.wait()
        raise OutputError("no room on the disk", where="out.csv")

    monkeypatch.setattr(sf.Search, "run", endless)
    monkeypatch.setattr(verb, "carry_out", fail)
    with pytest.raises(OutputError, match="no room"):
        sf.anonymize(people(), schema=sf.Schema.parse(SCHEMA), models="k-anonymity:5", advise=True)
    assert ended.is_set()


def test_a_search_whose_time_is_up_publishes_the_best_so_far_and_says_so(
    sfumato: Run, census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over the first time that the search asks."""
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=chain([0.0], repeat(1e9)).__next__))
    given: list[Any] = ["anonymize", census / "adult.parquet", "-s", census / "adult.toml", "-m", "k-anonymity:5", "--json"]
    ended = sfumato(*given, "-o", tmp_path / "out.csv", "--time-limit", "60")
    assert ended.status == 0
    record = json.loads(ended.out)
    assert record["search"]["complete"] is False
    assert record["search"]["visited"] < record["search"]["nodes"]
    assert record["models"][0]["satisfied"] is True
    certificate = sf.verify(tmp_path / "out.csv").certificate
    assert certificate.search is not None
    assert certificate.search["complete"] is False


def test_an_evolutionary_search_whose_time_is_up_publishes_the_best_so_far_and_says_so(
    sfumato: Run, census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over when the second part of the first population was evaluated."""
    monkeypatch.setattr(deadline, "time", Clock(2))
    given: list[Any] = ["anonymize", census / "adult.parquet", "-s", census / "adult.toml", "-m", "k-anonymity:5", "--json"]
    ended = sfumato(*given, "--algorithm", "evolutionary", "-o", tmp_path / "out.csv", "--time-limit", "60")
    assert ended.status == 0
    answer = json.loads(ended.out)
    assert answer["search"]["complete"] is False
    assert 1 < answer["search"]["visited"] < 2000
    assert answer["models"][0]["satisfied"] is True
    assert sf.verify(tmp_path / "out.csv").certificate.search["complete"] is False  # type: ignore[index]


@pytest.mark.parametrize("looks", [5, 7, 9])
def test_what_would_work_is_looked_for_in_the_time_that_is_left(
    looks: int, sfumato: Run, census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That there is no release is known before the time is over; which bounds would work is not."""
    monkeypatch.setattr(deadline, "time", Clock(looks))
    given: list[Any] = ["anonymize", census / "adult.parquet", "-s", census / "adult.toml", "-m", "k-anonymity:99999"]
    ended = sfumato(*given, "-o", tmp_path / "out.csv", "--time-limit", "60")
    assert ended.status == 1
    assert ended.out.splitlines() == [
        "no release satisfies k-anonymity:99999",
        "the time was up before it was known which bounds would work; give it more (--time-limit)",
    ]
    assert not (tmp_path / "out.csv").exists()


class Clock:
    """So many looks at the clock until the time is over."""

    def __init__(self, looks: int) -> None:
        self.monotonic = chain(repeat(0.0, looks), repeat(1e9)).__next__


@pytest.mark.parametrize("command", ["explore", "tradeoff", "subsets"])
def test_exploring_whose_time_is_up_tells_of_the_nodes_so_far(
    command: str, sfumato: Run, census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over the third time that somebody asks: some of the nodes are evaluated."""
    monkeypatch.setattr(deadline, "time", Clock(3))
    monkeypatch.setattr("sfumato.search.compiled.walk._OFTEN", 60.0)
    output = ["-o", tmp_path / "space.parquet"] if command == "explore" else []
    given = [command, census / "adult.parquet", "-s", census / "adult.toml", "-m", "k-anonymity:5", *output, "--time-limit", "60"]
    record = json.loads(sfumato(*given, "--json").out)
    assert record["complete"] is False
    nodes = record["nodes"] if command != "subsets" else sum(subset["nodes"] for subset in record["subsets"])
    assert 0 < nodes < 2160
    if output:
        space = sf.PolicySpace.read(output[1])
        assert (len(space), space.about.complete) == (nodes, False)
        whole = sf.explore(census / "adult.parquet", schema=census / "adult.toml", models="k-anonymity:5")
        point = next(iter(space))
        assert dict(whole.node(point.node).measures) == pytest.approx(dict(point.measures), rel=1e-12)


def test_dimensions_whose_time_is_up_tell_of_the_qids_so_far(sfumato: Run, census: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.verbs.dimensions.time", Clock(3))
    ended = sfumato("dimensions", census / "adult.parquet", "-s", census / "adult.toml", "--json", "--time-limit", "60")
    record = json.loads(ended.out)
    assert [step["qids"] for step in record["steps"]] == [1, 2]
    assert record["complete"] is False


@pytest.mark.parametrize("verb", [sf.explore, sf.trade_off, sf.dimensions, sf.subsets, sf.measure])
def test_a_time_limit_is_a_number_of_seconds_for_every_verb(verb: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match="time_limit: give the seconds as a number above 0"):
        verb(people(), schema=sf.Schema.parse(SCHEMA), models="k-anonymity:5", time_limit=-1)


def test_a_time_limit_that_is_enough_changes_nothing(tmp_path: Path) -> None:
    schema = sf.Schema.parse(SCHEMA)
    limited, free = (
        sf.anonymize(people(), schema=schema, models="k-anonymity:5", **given) for given in ({"time_limit": 600.0}, {})
    )
    assert isinstance(limited, sf.Anonymized)
    assert isinstance(free, sf.Anonymized)
    assert limited.release.certificate.node == free.release.certificate.node
    assert limited.trace.complete
    assert "complete" not in (limited.release.certificate.search or {})


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"time_limit": 0}, "time_limit: give the seconds as a number above 0"),
        ({"time_limit": float("nan")}, "time_limit: give the seconds as a number above 0"),
        ({"time_limit": 1e-9, "algorithm": "incognito"}, "time_limit: no node was found within the time; give it more"),
        (
            {"time_limit": 5, "recipe": "again.toml"},
            "time_limit: a search that ends by the clock cannot be repeated; leave it or the recipe out",
        ),
    ],
)
def test_a_time_limit_that_makes_no_sense(given: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as caught:
        sf.anonymize(people(), schema=sf.Schema.parse(SCHEMA), models="k-anonymity:5", **given)
    assert str(caught.value) == line


def test_mondrian_ends_with_what_it_has_split_when_the_time_is_up() -> None:
    given = {"schema": sf.Schema.parse(SCHEMA), "models": "k-anonymity:5", "algorithm": "mondrian"}
    stopped, whole = (sf.anonymize(people(), **given, time_limit=seconds) for seconds in (1e-9, None))
    assert isinstance(stopped, sf.Anonymized)
    assert isinstance(whole, sf.Anonymized)
    assert (stopped.trace.complete, whole.trace.complete) == (False, True)
    assert (stopped.release.certificate.search or {})["complete"] is False
    assert stopped.release.certificate.classes < whole.release.certificate.classes
    assert all(each.satisfied for each in stopped.verdicts)


def test_publishing_without_models_says_who_is_alone(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(SCHEMA)
    pa.csv.write_csv(people(), tmp_path / "people.csv")
    given = ["publish", tmp_path / "people.csv", "-s", tmp_path / "people.toml", "-o", tmp_path / "out.csv", "--force", "--node"]
    assert (
        "no model was asked for: 2 people are alone in their class, 2 people share a class of fewer than 5;"
        in sfumato(*given, "[0,1]").out
    )
    assert "no model was asked for" not in sfumato(*given, "[3,2]").out


def test_a_wide_release_is_shown_by_column(sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty columns: one line each, with a label, and no table that breaks words into letters."""
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"a long name {place}" for place in range(20)]
    pa.csv.write_csv(pa.table({name: ["some label"] * 12 for name in names}), tmp_path / "wide.csv")
    (tmp_path / "wide.toml").write_text("".join(f'[attributes."{name}"]\nrole = "quasi"\n' for name in names))
    ended = sfumato(
        "publish", tmp_path / "wide.csv", "-s", tmp_path / "wide.toml", "--node", str([0] * 20), "-o", tmp_path / "o.csv"
    )
    shown = [line for line in ended.out.splitlines() if "some label" in line]
    assert len(shown) == 20
    assert all(f"│ {name} " in line and "│ 0 of 1 │" in line for name, line in zip(names, shown, strict=True))
    assert max(map(len, ended.out.splitlines()[:25])) <= 80
