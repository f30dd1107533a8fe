"""What a release is still good for, on a log worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import DataError
from sfumato.searchlog import publish, utility
from tests.unit.searchlog.logs import searched, write
from tests.unit.searchlog.test_publish import WORKED


def test_coverage_tops_and_clicks_of_a_log_worked_by_hand(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [*WORKED, searched("dee", "dee alone", 1)])
    publish(log, tmp_path / "out.parquet", threshold=2)
    found = utility(log, tmp_path / "out.parquet", tops=[1, 2, 9])
    covered = {each.what: (each.whole, each.covered) for each in found.coverage}
    # Dee has no query that anybody else has. Of four clicks, three are on a page with two people.
    assert covered == {"rows": (9, 7), "clicks": (4, 3), "queries": (4, 2), "people": (4, 3)}
    assert [(each.size, each.shared) for each in found.overlaps] == [(1, 1), (2, 2), (4, 2)]
    # Before: ranks 1, 1, 2, 3; after: 1, 1, 2. The shares of URLs: 3/4 and 1/4 before, all after.
    assert found.ranks == ((1, 0.5, pytest.approx(2 / 3)), (2, 0.25, pytest.approx(1 / 3)), (3, 0.25, 0.0))
    assert found.ranks_distance == pytest.approx(0.25)
    assert found.urls_distance == pytest.approx(0.25)


def test_a_release_without_clicks_has_no_distance_of_clicks(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    publish(log, tmp_path / "out.csv", threshold=2, urls="drop")
    found = utility(log, tmp_path / "out.csv")
    assert (found.ranks_distance, found.urls_distance) == (None, None)
    assert found.coverage[1].covered == 0


def test_a_program_under_many_ids_leads_a_release_unless_its_rows_are_bounded(tmp_path: Path) -> None:
    """40 people search for news, nine and a program for watches: the program, for weeks."""
    rows = [searched(f"u{user:02}", "news", user) for user in range(40)]
    rows += [searched(f"u{user:02}", "watches", user) for user in range(9)]
    rows += [searched("bot", "watches", 60 * hour) for hour in range(500)]
    log = write(tmp_path / "log.parquet", rows)
    shared = {}
    for name, ways in (("sessions", {}), ("one id", {"sessions": "off"}), ("bounded", {"per_person": 20})):
        publish(log, tmp_path / "out.parquet", force=True, **ways)  # type: ignore[arg-type]
        shared[name] = utility(log, tmp_path / "out.parquet", tops=[1]).overlaps[0].shared
    assert shared == {"sessions": 0, "one id": 1, "bounded": 1}


def test_a_release_of_another_log_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    publish(log, tmp_path / "out.parquet", threshold=2)
    other = write(tmp_path / "other.parquet", [searched(user, "secret", 1) for user in "abc"])
    with pytest.raises(DataError, match="has 2 queries that the log does not have") as caught:
        utility(other, tmp_path / "out.parquet")
    assert "secret" not in str(caught.value)


def test_a_private_release_covers_the_rows_of_its_queries(tmp_path: Path) -> None:
    rows = [searched(f"u{user}", "tax", minute) for user in range(200) for minute in (user, user + 1)] + [searched("x", "y", 1)]
    log = write(tmp_path / "log.parquet", rows)
    publish(log, tmp_path / "out.parquet", private="5,1e-4", per_person=1)
    found = utility(log, tmp_path / "out.parquet", tops=[1])
    assert [(each.whole, each.covered) for each in found.coverage] == [(401, 400), (0, 0), (2, 1), (201, 200)]
    assert found.overlaps[0].share == 1.0
