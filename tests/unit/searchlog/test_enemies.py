"""Those who edit a release, and what a message, a certificate or a page could say that it must not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, NotVerified
from sfumato.searchlog import publish, report, verify
from sfumato.searchlog.publishing.certificate import certified, sha256, write_certificate
from sfumato.signing.canonical import digest_of
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
        path = release.with_name(f"{release.name}.certificate.json")
        certificate = json.loads(path.read_text(encoding="utf-8"))
        certificate["file"]["sha256"] = sha256(release)
        body = {name: value for name, value in certificate.items() if name != "digest"}
        path.write_text(json.dumps(body | {"digest": digest_of(body)}), encoding="utf-8")


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
    with pytest.raises(NotVerified, match="its digest is another"):
        verify(release)
    rewritten(release, lambda table: table, whole=True)
    with pytest.raises(NotVerified, match=message) as caught:
        verify(release)
    assert not any(word in str(caught.value).replace("out.parquet", "") for word in ("okvist", "secret"))


def test_an_edited_certificate_does_not_verify_and_another_document_is_none(release: Path) -> None:
    path = release.with_name("out.parquet.certificate.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"threshold": 2', '"threshold": 3'), encoding="utf-8")
    with pytest.raises(NotVerified, match="was edited"):
        verify(release)
    path.write_text('{"format": "other"}', encoding="utf-8")
    with pytest.raises(DataError, match="no certificate of a log"):
        verify(release)
    path.unlink()
    with pytest.raises(DataError, match="no certificate"):
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


def test_a_private_release_with_a_count_below_its_threshold_does_not_verify(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched(f"u{user}", "tax", user) for user in range(200)])
    release = publish(log, tmp_path / "out.parquet", private="5,1e-4", per_person=1).file
    rewritten(release, replaced("People", [3]), whole=True)
    with pytest.raises(NotVerified, match="a count is 3, and none below"):
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
    write_certificate(tmp_path / "log.parquet.certificate.json", certified("thresholds", log, "log", _PROMISE, {}, {}))
    with pytest.raises(DataError, match="has other columns than Id") as caught:
        verify(log)
    assert not any(word in str(caught.value) for word in WORDS[:3])
    (tmp_path / "broken.csv").write_text("Id,Period,Query,Time,Rank,URL\nokvist,1,tax,now,,\n", encoding="utf-8")
    certificate = tmp_path / "broken.csv.certificate.json"
    write_certificate(certificate, certified("thresholds", tmp_path / "broken.csv", "broken.csv", _PROMISE, {}, {}))
    with pytest.raises(DataError, match="cannot be read") as caught:
        verify(tmp_path / "broken.csv")
    assert not any(word in str(caught.value) for word in ("okvist", "tax", "now"))


_PROMISE = {"threshold": 2, "per_person": None, "bundle": None, "times": "hour", "urls": "drop"}
