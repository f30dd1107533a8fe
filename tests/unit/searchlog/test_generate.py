"""Generated logs: the same for a seed, as large as asked, and as they say of themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from sfumato.errors import UsageError
from sfumato.searchlog import generate
from sfumato.searchlog.spelling import normalized


def test_the_same_seed_gives_the_same_files_and_another_others(tmp_path: Path) -> None:
    for name, seed in (("one", 4), ("same", 4), ("other", 5)):
        generate(tmp_path / name, rows=3_000, seed=seed)
    for file in ("log.parquet", "truth/people.parquet", "truth/planted.parquet"):
        one, same, other = ((tmp_path / name / file).read_bytes() for name in ("one", "same", "other"))
        assert one == same != other


def test_a_log_is_what_it_says_of_itself(tmp_path: Path) -> None:
    made = generate(tmp_path / "log", rows=25_000, seed=1)
    log = pq.read_table(tmp_path / "log" / "log.parquet")
    people = pq.read_table(tmp_path / "log" / "truth" / "people.parquet")
    assert log.num_rows == made.rows == 25_000
    assert set(log.column("UserId").to_pylist()) == set(people.column("UserId").to_pylist())
    assert made.people == people.num_rows == 625
    assert pc.sum(people.column("Bot")).as_py() == made.bots == 1
    assert normalized(log.column("Query").combine_chunks()).equals(log.column("Query").combine_chunks())
    ranks = log.filter(pc.is_valid(log.column("Rank")))
    assert ranks.column("URL").null_count == 0
    assert (pc.min(ranks.column("Rank")).as_py(), pc.max(ranks.column("Rank")).as_py()) == (1, 10)
    rows = log.select(["UserId", "Query"]).to_pylist()
    planted = {(row["UserId"], row["Query"]) for row in pq.read_table(tmp_path / "log" / "truth" / "planted.parquet").to_pylist()}
    assert planted <= {(row["UserId"], row["Query"]) for row in rows}
    assert len({user for user, _ in planted}) == made.planted_people


def test_nothing_in_a_log_is_an_address_or_number_that_somebody_has(tmp_path: Path) -> None:
    generate(tmp_path / "log", rows=25_000, seed=1)
    log = pq.read_table(tmp_path / "log" / "log.parquet")
    assert all(re.search(r"\.example(/|$)", url) for url in set(log.column("URL").to_pylist()) - {None})
    for text in set(log.column("Query").to_pylist()):
        assert "@" not in text or text.endswith("@mail.example")
        assert not re.search(r"\d{7}", text) or text.startswith("tax id 00")
        assert "555-" not in text or text.startswith("555-01")


@pytest.mark.parametrize(("rows", "seed", "message"), [(999, 0, "at least 1,000 rows"), (1_000, -1, "0 or more")])
def test_what_cannot_be_made_is_refused(rows: int, seed: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        generate(tmp_path / "log", rows=rows, seed=seed)
    assert not list(tmp_path.iterdir())
