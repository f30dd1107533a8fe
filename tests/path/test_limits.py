"""Lattices that are too large: refused before anything is counted, or looked at as far as the time goes; and what takes long is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import LongSearchWarning, UsageError
from sfumato.question import problem_of
from sfumato.search import cost, deadline
from sfumato.search.algorithms import descending, remaining
from sfumato.search.lattice import Lattice
from sfumato.search.space import exploring
from sfumato.table import Table
from tests.conftest import Ended

Run = Callable[..., Ended]
QIDS = [f"q{place:02}" for place in range(14)]  # of five levels each: 6.1e9 nodes
SCHEMA = (
    "".join(
        f'[attributes.{name}]\nrole = "quasi"\ntype = "integer"\nhierarchy = {{ builder = "intervals", widths = [2, 4, 8] }}\n'
        for name in QIDS
    )
    + '[attributes.illness]\nrole = "sensitive"\n'
)
FLOOR = dict.fromkeys(QIDS[3:], 4)
NODES = 5**14
K = "k-anonymity:5"


def people(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({name: rng.integers(0, 30, rows) for name in QIDS})
    return table.assign(illness=rng.choice(["flu", "cold", "gout"], rows))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "people.toml").write_text(SCHEMA)
    return tmp_path / "people.csv", tmp_path / "people.toml"


def schema() -> sf.Schema:
    return sf.Schema.parse(SCHEMA)


def looks(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """The time is over after so many looks at the clock."""
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=chain(repeat(0.0, count), repeat(1e9)).__next__))


# Refused at once


@pytest.mark.parametrize(
    ("verb", "way"),
    [
        (sf.explore, "give it time_limit for the coarse nodes alone, or let anonymize with algorithm evolutionary search it"),
        (sf.trade_off, "give it time_limit for the coarse nodes alone, or let anonymize with algorithm evolutionary search it"),
        (sf.subsets, "or give it time_limit for the smallest subsets alone"),
        (sf.dimensions, "or give it time_limit: then it ends with as many QIDs as can be looked at"),
    ],
)
def test_what_enumerates_a_lattice_refuses_a_large_one_before_counting(
    verb: Callable[..., Any], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "count", None)
    with pytest.raises(UsageError) as refused:
        verb(people(), schema(), models=K)
    assert str(refused.value) == (
        f"quasi: the lattice has {NODES:,} nodes, more than the 1,000,000 that are enumerated; release fewer QIDs, raise the floor "
        f"(floor), {way}"
    )


def test_incognito_refuses_a_large_lattice_before_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "count", None)
    with pytest.raises(UsageError, match="use the algorithm evolutionary, or optimal with time_limit, or publish fewer QIDs"):
        sf.anonymize(people(), schema(), models=K, algorithm="incognito", time_limit=5)


@pytest.mark.parametrize("fewer", [{"quasi": QIDS[:3]}, {"floor": FLOOR}], ids=["QIDs", "floor"])
def test_fewer_qids_and_a_higher_floor_are_not_refused(fewer: dict[str, Any]) -> None:
    assert len(sf.explore(people(), schema(), models=K, **fewer)) == 125


def test_a_floor_that_the_cells_ask_for_counts_before_the_lattice_is_judged() -> None:
    with pytest.warns(sf.FloorWarning):
        assert len(sf.explore(people(), schema(), models=K, quasi=QIDS[:4], cells=30)) < 5**4


BUILDERS = {
    "date": '"dates"',
    "timestamp": '"dates"',
    "text": ['"prefix", keep = [3, 1]', '"addresses"', '"suppression"', '"zip3"', '"countries"', '"icd10"'],
    "integer": [
        '"intervals", widths = [5, 10]',
        '"intervals", widths = [10], lower = 0, upper = 10',
        '"cuts", cuts = [[5, 7], [7]]',
    ],
}
VALUES = {"date": "2020-01-02", "timestamp": "2020-01-02 03:04:05", "integer": "3"}
OF = {"addresses": "10.0.0.1", "zip3": "12345", "countries": "France", "icd10": "I21.4"}


@pytest.mark.parametrize(
    ("kind", "builder"), [(kind, each) for kind, some in BUILDERS.items() for each in ([some] if isinstance(some, str) else some)]
)
def test_a_schema_tells_the_lattice_that_a_count_has(kind: str, builder: str) -> None:
    described = f'[attributes.q]\nrole = "quasi"\ntype = "{kind}"\nhierarchy = {{ builder = {builder} }}\n'
    value = VALUES.get(kind) or OF.get(builder.split('"')[1], "abcde")
    with Table.open(pd.DataFrame({"q": [value] * 3}), sf.Schema.parse(described)) as table:
        counts = table.count()
        assert Lattice.above(table.schema, counts.node) == Lattice.of(counts)


# As far as the time goes


def test_exploring_begins_with_the_coarse_nodes(sfumato: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    looks(monkeypatch, 40)
    out = files[0].with_name("space.parquet")
    ended = sfumato("explore", files[0], "-s", files[1], "-m", K, "-o", out, "--time-limit", "60")
    assert "it ended before every node was evaluated" in ended.out
    space = sf.PolicySpace.read(out)
    released = (space.evaluations.levels < 4).sum(axis=1)
    assert not space.about.complete
    assert np.bincount(released)[:2].tolist() == [1, 4 * 14]
    assert released.max() == 2
    part = sf.explore(people(), schema(), models=K, quasi=QIDS[:2])
    some = [each for each in space if all(each.node[name] == 4 for name in QIDS[2:])]
    assert len(some) == 25
    for each in some:
        alone = part.node([each.node[name] for name in QIDS[:2]])
        assert each["smallest"] == alone["smallest"]
        assert each["distribution"] == pytest.approx(alone["distribution"], rel=1e-12)


def test_subsets_are_compared_from_the_smallest_on(
    sfumato: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks(monkeypatch, 40)
    record = sfumato("subsets", files[0], "-s", files[1], "-m", K, "--time-limit", "60", "--json").json
    assert record["complete"] is False
    sizes = [len(each["quasi"]) for each in record["subsets"]]
    assert sizes[: 1 + 14] == [0] + [1] * 14
    assert set(sizes) == {0, 1, 2}
    assert {each["nodes"] for each in record["subsets"]} == {1, 4, 16}  # every node of each of them


def test_a_trade_off_is_one_of_the_nodes_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    looks(monkeypatch, 20)
    result = sf.trade_off(people(), schema(), models=K, time_limit=60)
    assert result.as_dict()["complete"] is False
    assert 0 < len(result.space) < 1000


def test_no_more_nodes_are_held_than_the_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "MOST_NODES", 100)
    space = sf.explore(people(), schema(), models=K, time_limit=600)
    assert (len(space), space.about.complete) == (100, False)
    with pytest.raises(UsageError, match="100 nodes of 400 cells need about 1 MB; memory allows 1kB"):
        exploring._within(*_problem(), "1kB", limited=True)
    assert 0 < exploring._within(*_problem(), "750kB", limited=True) < 100


def _problem() -> tuple[Any, Lattice]:
    with Table.open(people(), schema()) as table:
        problem, _ = problem_of(table, sf.Question(K))
    return problem, Lattice.of(problem.counts)


def test_dimensions_end_with_the_qids_that_can_be_looked_at(
    sfumato: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.verbs.dimensions.MOST_NODES", 130)
    ended = sfumato("dimensions", files[0], "-s", files[1], "--time-limit", "600", "--json")
    assert [step["qids"] for step in ended.json["steps"]] == [1, 2, 3]
    assert ended.json["complete"] is False
    shown = sfumato("dimensions", files[0], "-s", files[1], "--time-limit", "600").out
    assert "it ended after 3 QIDs: more of them have more nodes than could be evaluated" in shown


def test_an_exact_search_that_cannot_list_what_is_left_publishes_the_best_of_its_time(
    sfumato: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remaining, "MOST_LEFT", 10)
    descents = Mock(wraps=descending.descend)
    monkeypatch.setattr(descending, "descend", descents)
    out = files[0].with_name("out.csv")
    given = ["anonymize", files[0], "-s", files[1], "-m", "k-anonymity:2", "--suppress", "20%", "-o", out]
    refused = sfumato(*given)
    assert refused.status == 2
    assert refused.err.rstrip().endswith("or give it --time-limit, for the best node that is found until then")
    looks(monkeypatch, 80)
    ended = sfumato(*given, "--time-limit", "60", "--json")
    assert ended.json["search"]["complete"] is False
    assert ended.json["search"]["visited"] < NODES
    descents.assert_called()
    assert ended.json["models"][0]["satisfied"] is True
    assert json.loads(out.with_name("out.csv.certificate.json").read_text())["search"]["complete"] is False
    looks(monkeypatch, 80)
    shown = sfumato(*given[:-1], out.with_name("again.csv"), "--time-limit", "60")
    assert "the least so far" in shown.out
    assert "least loss of" not in shown.out


# What takes long is said before


def test_a_long_search_is_announced_in_one_line(sfumato: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "LONG", 1e-6)
    few = ["-s", files[1], "-m", K, "--quasi", ",".join(QIDS[:3])]
    line = "sfumato: warning: about 1 minute for 125 nodes; --time-limit ends it earlier with the best so far\n"
    assert sfumato("subsets", files[0], *few).err == line
    assert sfumato("dimensions", files[0], *few).err == line
    assert sfumato("explore", files[0], *few, "-o", files[0].with_name("space.parquet")).err == line
    assert sfumato("subsets", files[0], *few, "--time-limit", "600").err == ""
    out = files[0].with_name("out.csv")
    assert sfumato("anonymize", files[0], *few, "-o", out).err == line.replace("for 125 nodes", "if 11 nodes are evaluated")
    assert sfumato("anonymize", files[0], *few, "-o", out, "--force", "--time-limit", "600").err == ""
    assert sfumato("anonymize", files[0], *few, "-o", out, "--force", "--algorithm", "mondrian").err == ""


def test_a_short_search_is_not_announced(sfumato: Run, files: tuple[Path, Path]) -> None:
    assert sfumato("subsets", files[0], "-s", files[1], "-m", K, "--quasi", "q00,q01,q02").err == ""


def test_that_an_exact_search_may_leave_too_many_is_said_before_anything_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "count", None)
    with pytest.warns(LongSearchWarning, match=f"of {NODES:,} nodes an exact search may"), pytest.raises(TypeError):
        sf.anonymize(people(), schema(), models=K)


def test_an_estimate_grows_with_nodes_classes_losses_and_owners() -> None:
    with Table.open(people(), schema()) as table:
        counts = table.count()
    few = counts.project(QIDS[:3])
    assert cost.seconds_for_nodes(counts, 200, 1) == pytest.approx(2 * cost.seconds_for_nodes(counts, 100, 1))
    assert cost.seconds_for_nodes(counts, 100, 1) > cost.seconds_for_nodes(few, 100, 1)
    assert cost.seconds_for_nodes(few, 100, 9) > cost.seconds_for_nodes(few, 100, 1)
    assert cost.seconds_for_nodes(few, 10**9, 1) == cost.seconds_for_nodes(few, 125, 1)
    owned = sf.Schema.parse(SCHEMA + '[attributes.who]\nrole = "owner"\n')
    with Table.open(people().assign(who=np.arange(200) // 2), owned) as table:
        assert cost.seconds_for_nodes(table.count(), 100, 1) > cost.seconds_for_nodes(counts, 100, 1)
