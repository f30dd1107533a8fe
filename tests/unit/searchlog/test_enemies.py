"""Those who edit a release, and what a message, a certificate or a page could say that it must not."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, NotVerified
from sfumato.searchlog import publish, report, verify
from sfumato.searchlog.publishing.certificate import certified, sha256
from tests.forging import forge
from tests.unit.searchlog.logs import searched, write
from tests.unit.searchlog.test_publish import WORKED

WORDS = ("tax", "mail", "okvist", "example", "ann", "bob")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    log = write(tmp_path / "log.parquet", WORKED)
    return publish(log, tmp_path / "out.parquet", threshold=2, bundle=4, owners=tmp_path / "owners.parquet", seed=1).file


def test_a_release_fits_its_certificate_and_the_owner_counts_people(release: Path) -> None:
    assert verify(release).counted["least_ids_of_a_query"] == 2
    found = verify(release, owners=release.with_name("owners.parquet"))
    assert (found.people, found.counted["least_people_of_a_query"], found.counted["people"]) == (True, 2, 3)


def rewritten(release: Path, change: Callable[[pa.Table], pa.Table], *, whole: bool) -> None:
    """Change the rows; `whole`: also what the certificate says of the file, as somebody would who knows the format."""
    pq.write_table(change(pq.read_table(release)), release)
    if whole:
        forge(release.with_name(f"{release.name}.certificate.json"), {"sha256": sha256(release)})


def replaced(name: str, values: list[Any]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        filled = [values[0], *table.column(name).to_pylist()[1:]]
        return table.set_column(place, table.schema.field(name), pa.array(filled, table.schema.field(name).type))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (replaced("Query", ["ann okvist"]), "a query has 1 id"),
        (replaced("URL", ["secret.example"]), "a URL has 1 id"),
        (lambda table: pa.concat_tables([table] * 3), "an id has"),
        (replaced("Time", [WORKED[1][2]]), "finer than the unit, hour"),
        (lambda table: table.slice(1), "counts otherwise"),
    ],
)
def test_an_edited_file_does_not_verify_even_if_its_digest_is_put_right(
    change: Callable[[pa.Table], pa.Table], message: str, release: Path
) -> None:
    rewritten(release, change, whole=False)
    with pytest.raises(NotVerified, match="its digest differs"):
        verify(release)
    rewritten(release, lambda table: table, whole=True)
    with pytest.raises(NotVerified, match=message) as caught:
        verify(release)
    assert not any(word in str(caught.value).replace("out.parquet", "") for word in ("okvist", "secret"))


def everywhere(name: str, value: Any) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        return table.set_column(place, table.schema.field(name), pa.array([value] * len(table), table.schema.field(name).type))

    return change


@pytest.mark.parametrize(
    "change",
    [
        everywhere("Period", 3),
        everywhere("Period", 2),
        everywhere("Period", 0),
        everywhere("Time", datetime(2026, 3, 5)),
        everywhere("Time", datetime(2026, 3, 1, 23)),
    ],
)
def test_a_row_in_another_period_than_its_time_does_not_verify(change: Callable[[pa.Table], pa.Table], tmp_path: Path) -> None:
    rows = [searched(user, "tax", minutes) for user in "abc" for minutes in (30, 1_500)]
    declared: dict[str, Any] = {"begin": "2026-03-02T00:30", "period": "1d", "periods": 2}
    release = publish(write(tmp_path / "log.parquet", rows), tmp_path / "out.parquet", threshold=2, **declared).file
    assert verify(release).counted["outside_their_period"] == 0  # the first hour begins before the first period does
    rewritten(release, change, whole=True)
    with pytest.raises(NotVerified, match="rows are in no period that was declared, or their time is not in it"):
        verify(release)


def test_what_one_person_did_is_not_in_a_certificate(tmp_path: Path) -> None:
    """A program searches a thousand times for what only it knows, and another log has no program: the releases are the same, and so are
    the certificates, up to the digest of the log, which neither has."""
    program = [searched("program", f"secret {number % 7}", number) for number in range(1_000)]
    written = []
    for name, rows in (("with", [*WORKED, *program]), ("without", WORKED)):
        (tmp_path / name).mkdir()
        log = write(tmp_path / name / "log.parquet", rows)
        place = tmp_path / name / "out.csv"
        made = publish(log, place, threshold=2, seed=1, ledger=tmp_path / name / "ledger", now=datetime(2026, 3, 9, tzinfo=UTC))
        written.append((place.read_bytes(), made.certificate_file.read_bytes()))
        assert made.dropped["rare_queries"] == (1_001 if name == "with" else 1)
        assert json.loads(made.ledger.read_text(encoding="utf-8"))["owner"]["dropped"] == made.dropped
    assert written[0] == written[1]


def test_a_certificate_that_counts_what_nobody_can_count_does_not_verify(release: Path) -> None:
    path = release.with_name("out.parquet.certificate.json")
    counted = json.loads(path.read_text(encoding="utf-8"))["counted"]
    assert not any("people" in name or "person" in name for name in counted)
    forge(path, {"counted": counted | {"people": 5_000}})
    for owners in (None, release.with_name("owners.parquet")):
        with pytest.raises(NotVerified, match="counts otherwise: people"):
            verify(release, owners=owners)


def test_an_edited_certificate_does_not_verify_and_another_document_is_none(release: Path) -> None:
    path = release.with_name("out.parquet.certificate.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"threshold": 2', '"threshold": 3'), encoding="utf-8")
    with pytest.raises(NotVerified, match="the certificate was changed: its digest differs"):
        verify(release)
    path.write_text('{"format": "other"}', encoding="utf-8")
    with pytest.raises(DataError, match="the certificate of a table; 'sfumato verify' checks it"):
        verify(release)
    path.write_text('{"kind": "searchlog", "schema_version": 1}', encoding="utf-8")
    with pytest.raises(DataError, match="not the certificate of a search log of this version"):
        verify(release)
    path.unlink()
    with pytest.raises(DataError, match="no certificate here"):
        verify(release)


def test_people_below_the_promise_are_met_by_the_owner_where_ids_hide_them(tmp_path: Path) -> None:
    """One person under two ids looks like two people to anybody else."""
    log = write(tmp_path / "log.parquet", [searched(user, "tax", minute) for user in "ab" for minute in (0, 100)])
    release = publish(log, tmp_path / "out.parquet", threshold=2, owners=tmp_path / "owners.parquet").file
    owners = pq.read_table(tmp_path / "owners.parquet")
    everything = owners.set_column(1, owners.schema.field("UserId"), pa.array(["a"] * len(owners)))
    pq.write_table(everything, tmp_path / "owners.parquet")
    verify(release)
    with pytest.raises(NotVerified, match="a query has 1 person, and the promise is 2 people"):
        verify(release, owners=tmp_path / "owners.parquet")


@pytest.mark.parametrize("change", ["those of another release", "one id twice, another never"])
def test_people_are_counted_by_the_owners_of_this_release_only(change: str, tmp_path: Path) -> None:
    """Everybody is in one session of it, and in two of the other release; rows are as many whoever has them."""
    log = write(tmp_path / "log.parquet", [searched(user, "tax", minute) for user in "abc" for minute in (0, 100)])
    ways: dict[str, Any] = {"threshold": 2, "times": "day"}
    release = publish(log, tmp_path / "out.parquet", owners=tmp_path / "own.parquet", sessions="off", **ways).file
    verify(release, owners=tmp_path / "own.parquet")
    if change == "those of another release":
        publish(log, tmp_path / "other.parquet", owners=tmp_path / "others.parquet", **ways)
    else:
        own = pq.read_table(tmp_path / "own.parquet")
        pq.write_table(own.set_column(0, own.schema.field("Id"), pa.array([1, 1, 2])), tmp_path / "others.parquet")
    with pytest.raises(NotVerified, match=r"others.parquet: .* of another release$"):
        verify(release, owners=tmp_path / "others.parquet")


def test_a_private_release_with_a_count_below_its_threshold_does_not_verify(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched(f"u{user}", "tax", user) for user in range(200)])
    release = publish(log, tmp_path / "out.parquet", private="5,1e-4", per_person=1).file
    rewritten(release, replaced("People", [3]), whole=True)
    with pytest.raises(NotVerified, match="a count is 3, and none below"):
        verify(release)


def promised(release: Path, **settings: Any) -> None:
    """Another promise, and the digest that fits it."""
    path = release.with_name(f"{release.name}.certificate.json")
    certificate = json.loads(path.read_text(encoding="utf-8"))
    forge(path, {"promise": certificate["promise"] | settings})


@pytest.mark.parametrize(
    "settings",
    [
        {"threshold": "ten"},
        {"threshold": None},
        {"threshold": 1},
        {"threshold": 2.5},
        {"bundle": {}},
        {"per_person": ""},
        {"urls": "all"},
        {"sessions": 0},
        {"periods": {"begin": "soon", "seconds": 1, "count": 1}},
        {"periods": {"begin": "2026-03-02"}},
    ],
)
def test_settings_that_no_release_can_have_are_no_promise(settings: dict[str, Any], release: Path) -> None:
    promised(release, **settings)
    with pytest.raises(NotVerified, match="its settings are none that a release can have"):
        verify(release)


@pytest.mark.parametrize(
    "settings",
    [
        {"epsilon": 0.01},
        {"epsilon": "five"},
        {"delta": 1e-9, "delta_spent": 1e-10},
        {"least": "ten"},
        {"least": 5},
        {"threshold": 20},
        {"per_person": 2},
        {"period_count": None},
        {"period_count": 2},
        {"scale": 1e300},
        {"noise": "none"},
        {"delta": 1e-320},
    ],
)
def test_an_epsilon_or_delta_that_does_not_follow_from_the_noise_does_not_verify(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    log = write(tmp_path / "log.parquet", [searched(f"u{user}", "tax", user) for user in range(200)])
    release = publish(log, tmp_path / "out.parquet", private="5,1e-4", per_person=1).file
    assert not verify(release).people
    promised(release, **settings)
    with pytest.raises(NotVerified, match="its epsilon and delta do not follow from its noise and its threshold"):
        verify(release)


def test_certificates_and_records_and_pages_hold_no_query_no_url_and_nobody(release: Path) -> None:
    certificate = release.with_name("out.parquet.certificate.json").read_text(encoding="utf-8")
    made = report(
        release.with_name("log.parquet"), release, release.with_name("page.html"), owners=release.with_name("owners.parquet")
    )
    record = json.dumps(made.as_dict() | {"file": None})
    page = made.file.read_text(encoding="utf-8")
    for word in ("okvist", "tax.example", "bob.example", '"ann"', '"mail"', '"tax"'):
        assert word not in certificate
        assert word not in record.replace('"kind": "mail"', "")
        assert word not in page
    assert "<script" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_file_that_is_no_release_is_refused_without_its_values(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    _certify(log)
    with pytest.raises(DataError, match="has other columns than Id") as caught:
        verify(log)
    assert not any(word in str(caught.value) for word in WORDS[:3])
    (tmp_path / "broken.csv").write_text("Id,Period,Query,Time,Rank,URL\nokvist,1,tax,now,,\n", encoding="utf-8")
    _certify(tmp_path / "broken.csv")
    with pytest.raises(DataError, match="cannot be read") as caught:
        verify(tmp_path / "broken.csv")
    assert not any(word in str(caught.value) for word in ("okvist", "tax", "now"))


def _certify(file: Path) -> None:
    """A certificate that fits the bytes of a file, whatever is in it."""
    certificate = certified("thresholds", file, file.name, _PROMISE, {}, "2026-03-01T00:00:00+00:00")
    file.with_name(f"{file.name}.certificate.json").write_text(certificate.text(), encoding="utf-8")


_PROMISE = {"threshold": 2, "per_person": None, "bundle": None, "times": "hour", "urls": "drop"}
