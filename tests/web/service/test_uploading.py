"""Tables that are sent: written as they come, no further than the limit; nothing stays of what was refused."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from sfumato.web.service.app import service_app
from sfumato.web.service.people import Account
from sfumato.web.service.service import Service
from sfumato.web.service.store import datasets
from tests.web.service.conftest import browser, program
from tests.web.service.offering import people

LIMIT = 50_000


@pytest.fixture
def small(service: Service) -> Service:
    return replace(service, upload=LIMIT)


@pytest.fixture
def sender(small: Service, owner: Account) -> TestClient:
    """A program of the owner; nothing is done with what it sends, since the service has not been started."""
    app = service_app(small)
    return program(app, browser(app, owner))


def kept(service: Service) -> list[Path]:
    return sorted(path for path in (service.folder / "tables").rglob("*") if path.is_file())


def test_a_table_is_kept_as_it_came(sender: TestClient, small: Service, owner: Account) -> None:
    content = people(100)
    made = sender.post("/api/v1/tables", params={"name": "Patienten 2031.csv"}, content=content)
    assert (made.status_code, made.json()["title"], made.json()["bytes"]) == (201, "Patienten 2031", len(content))
    assert [path.read_bytes() for path in kept(small)] == [content]
    assert sender.get("/api/v1/tables").json() == [made.json()]
    assert sender.get(f"/api/v1/tables/{made.json()['id']}/job").json()["task"] == "begin"


def test_a_form_is_written_as_it_comes(sender: TestClient, small: Service) -> None:
    content = people(100)
    made = sender.post(
        "/api/v1/tables", params={"name": ""}, files={"note": (None, "x"), "table": ('../../"evil\\.csv', content), "b": b"y"}
    )
    assert made.status_code == 201, made.text
    assert [path.read_bytes() for path in kept(small)] == [content]
    assert {path.name for path in kept(small)} == {"original.csv"}


@pytest.mark.parametrize(
    ("name", "content", "status"),
    [
        ("big.csv", b"a,b\n" + b"1,2\n" * LIMIT, 413),
        ("empty.csv", b"", 400),
        ("program.exe", b"MZ", 400),
        ("packed.csv.gz", b"\x1f\x8b", 400),
        ("", b"a,b\n1,2\n", 400),
        ("no-workbook.xlsx", b"a,b\n1,2\n", 400),
    ],
)
def test_what_is_refused_leaves_nothing(sender: TestClient, small: Service, name: str, content: bytes, status: int) -> None:
    for ways in ({"content": content}, {"content": (content[place : place + 999] for place in range(0, len(content), 999))}):
        answer = sender.post("/api/v1/tables", params={"name": name}, **ways)  # type: ignore[arg-type]
        assert answer.status_code == status, answer.text
        assert set(answer.json()) == {"error"}
    answer = sender.post("/api/v1/tables", params={"name": ""}, files={"table": (name, content)})
    assert answer.status_code == status
    assert kept(small) == []
    assert list((small.folder / "tables").glob("*")) == []
    with small.database.reading() as connection:
        assert datasets.everything(connection) == set()


def test_a_workbook_that_unpacks_to_more_than_the_limit_is_refused(sender: TestClient, small: Service) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 10_000_000)
    assert len(packed.getvalue()) < LIMIT
    answer = sender.post("/api/v1/tables", params={"name": "bomb.xlsx"}, content=packed.getvalue())
    assert (answer.status_code, "unpacked" in answer.text) == (413, True)
    assert kept(small) == []


def test_what_a_workbook_says_about_its_size_is_not_believed(sender: TestClient, small: Service) -> None:
    packed, size = io.BytesIO(), 10_000_000
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", b"0" * size)
    forged = packed.getvalue().replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert forged != packed.getvalue()
    answer = sender.post("/api/v1/tables", params={"name": "bomb.xlsx"}, content=forged)
    assert (answer.status_code, "unpacked" in answer.text) == (413, True)
    assert kept(small) == []


def test_a_workbook_with_a_password_or_another_packing_is_none(sender: TestClient, small: Service) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 100)
    plain = packed.getvalue()
    head, entry = plain.index(b"PK\x03\x04"), plain.index(b"PK\x01\x02")
    for offset, value in ((6, 1), (8, 99)):  # encrypted; a method that nobody knows
        bent = bytearray(plain)
        bent[head + offset], bent[entry + offset + 2] = value, value
        answer = sender.post("/api/v1/tables", params={"name": "a.xlsx"}, content=bytes(bent))
        assert (answer.status_code, "it is not a workbook" in answer.text) == (400, True)
    assert kept(small) == []


@pytest.mark.parametrize(
    ("name", "title"), [("a\x07b.csv", "ab"), ("\u202evsc.exe.csv", "vsc.exe"), ("\u200b.csv", "table"), ("..\\b c.csv", "b c")]
)
def test_a_title_has_no_signs_that_nobody_sees(sender: TestClient, name: str, title: str) -> None:
    assert sender.post("/api/v1/tables", params={"name": name}, content=b"a,b\n1,2\n").json()["title"] == title


@pytest.mark.parametrize(
    "body", [b"--x\r\nbroken", b"", b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nno file\r\n--x--\r\n"]
)
def test_a_broken_form_is_refused(sender: TestClient, small: Service, body: bytes) -> None:
    for kind in ("multipart/form-data; boundary=x", "multipart/form-data", "multipart/form-data; boundary=" + "x" * 500):
        answer = sender.post("/api/v1/tables", params={"name": ""}, content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400, answer.text
    assert kept(small) == []
