"""The file that an owner shares: what is in it, and what is refused when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.applications.ato.collaborating.shares import SCHEMA, Share, read_share, require_alike
from sfumato.errors import BadInput, DataError
from tests.unit.ato.collaborating.spraying import SPRAYER, laid


@pytest.fixture
def made(tmp_path: Path) -> Path:
    log = laid(tmp_path / "log")
    sf.ato.share(log, tmp_path / "share.parquet", threshold=5)
    return tmp_path / "share.parquet"


def changed(path: Path, table: pa.Table | None = None, **declared: Any) -> Path:
    """A share with other rows or another declaration, whose digest fits unless it is given."""
    share = read_share(path)
    declaration: Any = dict(share.declaration) | declared
    other = Share(declaration, share.table if table is None else table.cast(SCHEMA))
    other.store(path)
    return path


def refused(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_share(path)
    assert "\n" not in str(caught.value)
    assert not [secret for secret in (SPRAYER, "198.51.100", "example") if secret in str(caught.value)]
    return str(caught.value)


def test_a_share_has_people_by_address_and_nothing_of_a_person(made: Path) -> None:
    share = read_share(made)
    assert share.table.column_names == ["Period", "Key", "FailingPeople", "SucceedingPeople"]
    offices = [row for row in share.table.to_pylist() if row["Key"].startswith("198.51.100")]
    assert [(row["Period"], row["FailingPeople"], row["SucceedingPeople"]) for row in offices] == [(0, 0, 50)] * 4 + [
        (1, 0, 50)
    ] * 4
    sprayed = [row for row in share.table.to_pylist() if row["Key"] == SPRAYER]
    assert [row["FailingPeople"] for row in sprayed] == [8, 8], "this owner has all four organizations"
    assert len(share.table) == 10, "no home of one person"
    assert b"example" not in made.read_bytes()
    assert share.declaration["least"] == 5
    assert share.declaration["private"] is None


def test_a_changed_count_is_noticed(made: Path) -> None:
    table = read_share(made).table
    failing = pa.array([count + 1 for count in table["FailingPeople"].to_pylist()])
    assert "was changed after it was made" in refused(changed(made, table.set_column(2, "FailingPeople", failing)))


def test_a_row_that_was_left_out_is_noticed(made: Path) -> None:
    assert "was changed after it was made" in refused(changed(made, read_share(made).table.slice(1)))


def _digest(table: pa.Table) -> str:
    from sfumato.applications.ato.collaborating.shares import _digest as digest

    return digest(table.cast(SCHEMA))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"FailingPeople": 1, "SucceedingPeople": 1}, "a count is smaller than the least"),
        ({"FailingPeople": -9, "SucceedingPeople": 99}, "shares nobody"),
        ({"Period": 7}, "of a period that it has not"),
        ({"Key": "192.0.2.0/24"}, "of another level"),
        ({"Key": "198.51.100.2"}, "in several rows"),
    ],
)
def test_rows_that_break_the_declaration_are_refused_though_the_digest_fits(made: Path, row: dict[str, Any], said: str) -> None:
    rows = read_share(made).table.to_pylist()
    rows[0] |= row
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    assert said in refused(changed(made, table, digest=_digest(table)))


@pytest.mark.parametrize(
    "declared",
    [{"level": "country"}, {"least": 0}, {"begin": "soon"}, {"periods": "two"}, {"share": 2}, {"private": {"epsilon": 1}}],
)
def test_a_damaged_declaration_is_refused(made: Path, declared: dict[str, Any]) -> None:
    assert "its declaration is damaged" in refused(changed(made, **declared))


def test_other_files_are_refused(made: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ann@a.example", encoding="utf-8")
    assert "no share, or a damaged one" in refused(tmp_path / "text")
    pq.write_table(pa.table({"Key": ["a"]}), tmp_path / "other.parquet")
    assert "but no share" in refused(tmp_path / "other.parquet")
    made.write_bytes(made.read_bytes()[:-20])
    assert "no share, or a damaged one" in refused(made)
    with pytest.raises(BadInput, match="no such file"):
        read_share(tmp_path / "missing.parquet")


def test_a_noisy_share_states_what_it_promises_for_all_periods(tmp_path: Path) -> None:
    log = laid(tmp_path / "log")
    share = sf.ato.share(log, tmp_path / "share.parquet", private=0.5, delta=1e-6, visits=3, seed=1)
    private = share.declaration["private"]
    assert private is not None
    assert (private["epsilon"], private["whole_epsilon"], private["visits"], private["noise"]) == (0.5, 1.0, 3, "seed")
    assert private["whole_delta"] <= 1e-6
    declared = json.loads(pq.read_schema(tmp_path / "share.parquet").metadata[b"sfumato.share"])
    assert declared == share.as_dict()
    assert sf.ato.share(log, tmp_path / "other.parquet", private=0.5).declaration["private"]["noise"] == "system"  # type: ignore[index]


def test_shares_of_other_levels_periods_or_one_owner_are_not_added_up(tmp_path: Path) -> None:
    log = laid(tmp_path / "log")
    settings = [{}, {"level": "subnet"}, {"period": 2}, {"owner": 2}]
    shares = [sf.ato.share(log, tmp_path / f"{place}.parquet", **each) for place, each in enumerate(settings)]  # type: ignore[arg-type]
    names = ["one", "two"]
    require_alike([shares[0], shares[3]], names)
    for place, said in (
        (1, "of level 'subnet', and one is of level 'ip'"),
        (2, "of other periods than one"),
        (0, "two shares of one owner"),
    ):
        with pytest.raises(DataError, match=said):
            require_alike([shares[0], shares[place]], names)
