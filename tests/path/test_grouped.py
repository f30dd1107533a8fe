"""Releases with groups, from files: attacks read both tables, and whoever learns or counts does without the second one."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks import Attacked
from tests.conftest import Ended

Run = Callable[..., Ended]
# Values that are written in more ways than one: formulas, numbers with a zero behind the point, nothing at all.
SENSITIVE: dict[str, list[Any]] = {
    "text": ["=1+1", "-x", "tea, cold", "'quoted'", None],
    "decimal": [3.0, 3.5, -1.25, 1e-7, None],
    "integer": [1, 20, 3, -4, None],
    "boolean": [True, False, None],
    "date": [*np.array(["2020-01-01", "2021-12-31", "1999-05-05"], "datetime64[D]").tolist(), None],
}


def people(kind: str, count: int = 120) -> pa.Table:
    draws = np.random.default_rng(5)
    values = SENSITIVE[kind]
    return pa.table(
        {
            "age": draws.integers(20, 40, count),
            "town": [("Aa", "Bb", None)[each] for each in draws.integers(0, 3, count)],
            "secret": [values[place % len(values)] for place in draws.permutation(count)],
            "sick": [("yes", "no")[each] for each in draws.integers(0, 2, count)],
        }
    )


def declared(kind: str) -> dict[str, Any]:
    roles = {"age": ("quasi", "integer"), "town": ("quasi", "text"), "secret": ("sensitive", kind), "sick": ("plain", "text")}
    return {"attributes": {name: {"role": role, "type": each} for name, (role, each) in roles.items()}}


def figures(found: Attacked) -> list[dict[str, Any]]:
    return [{key: value for key, value in each.as_dict().items() if key != "positions"} for each in found.attempts]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("kind", SENSITIVE)
def test_the_file_and_the_release_in_memory_are_attacked_alike(kind: str, suffix: str, tmp_path: Path) -> None:
    table, schema = people(kind), declared(kind)
    made = sf.sanitize(table, schema, method="anatomy:3", seed=3, output=tmp_path / f"o.{suffix}", ledger=tmp_path / "ledger")
    in_memory = sf.sanitize(table, schema, method="anatomy:3", seed=3)
    found = sf.attack(tmp_path / f"o.{suffix}", schema, original=table)
    assert figures(found) == figures(sf.attack(in_memory, original=table)) == figures(sf.attack(made.release, original=table))
    assert {each.about for each in found.attempts if each.threat == "A" and not each.reason} == {"secret"}


@pytest.mark.parametrize("kind", SENSITIVE)
def test_values_of_the_second_table_are_those_of_the_original(kind: str, tmp_path: Path) -> None:
    """Whoever is alone with their QIDs is in one group of three: who knows the two others knows them, if values are read as they were."""
    table, schema = people(kind), declared(kind)
    sf.sanitize(table, schema, method="anatomy:3", output=tmp_path / "o.csv", ledger=tmp_path / "ledger")
    (found,) = sf.attack(tmp_path / "o.csv", schema, original=table, attacks="background:knows,2").attempts
    alone = Counter(zip(table["age"].to_pylist(), table["town"].to_pylist(), strict=True))
    assert found.hits >= list(alone.values()).count(1) > 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sfumato: Run) -> Path:
    monkeypatch.chdir(tmp_path)
    table = people("text")
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerows([table.column_names, *zip(*table.to_pydict().values(), strict=True)])
    (tmp_path / "people.toml").write_text(sf.Schema.parse(declared("text")).to_toml(), encoding="utf-8")
    sfumato("sanitize", "people.csv", "-s", "people.toml", "--method", "anatomy:3", "-o", "o.csv", "--ledger", "ledger")
    return tmp_path


def attacked(sfumato: Run, *words: str) -> Ended:
    return sfumato("attack", "o.csv", "-s", "people.toml", "--original", "people.csv", *words)


def test_no_value_of_a_record_is_printed(sfumato: Run, folder: Path) -> None:
    ended = attacked(sfumato, "--all")
    assert ended.status == 0
    assert "homogeneity" in ended.out
    assert not any(value in ended.out for value in ("1+1", "tea", "quoted"))


def test_the_second_table_must_be_there_and_the_certified_one(sfumato: Run, folder: Path) -> None:
    second = folder / "o.groups.csv"
    second.write_text(second.read_text().replace("tea", "wine", 1))
    ended = attacked(sfumato, "--all")
    assert (ended.status, "its digest differs" in ended.err, ended.err.count("\n")) == (1, True, 1)
    second.unlink()
    ended = attacked(sfumato, "--all")
    assert (ended.status, "the second table of the release is not here" in ended.err, ended.err.count("\n")) == (2, True, 1)


def test_models_are_not_judged_by_classes_of_the_file(sfumato: Run, folder: Path) -> None:
    record = attacked(sfumato, "--all", "-m", "k-anonymity:2", "--json").json
    assert [each["satisfied"] for each in record["models"]] == ["not_applicable"]


def test_whoever_counts_does_without_the_groups(sfumato: Run, folder: Path) -> None:
    ended = sfumato("queries", "people.csv", "-s", "people.toml", "--releases", "o.csv", "--count", "20", "--json")
    assert (ended.status, ended.json["releases"][0]["release"]) == (0, "o.csv")


def test_whoever_learns_does_without_the_groups(sfumato: Run, folder: Path) -> None:
    words = ("learn", "people.csv", "-s", "people.toml", "--releases", "o.csv", "--estimator", "naive-bayes", "--repeats", "1")
    assert sfumato(*words, "--target", "sick", "--json").json["releases"][0]["rows"] == 120
    ended = sfumato(*words, "--target", "secret")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert ended.err == "sfumato: o.csv: anatomy has separated 'secret' from the other columns; learn another target\n"
