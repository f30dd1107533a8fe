"""Real formats in: what becomes an event, what is set aside and why, and what the messages never tell."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.events import EVENTS
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.importing.making import Imported, import_logs
from sfumato.errors import DataError, OutputError, UsageError

NOW = datetime(2026, 6, 1)
SECRETS = ("ann@a.example", "192.0.2.7", "CBAInPROD", "203.0.113")


def o365(**changes: Any) -> dict[str, Any]:
    record = {
        "Id": "1",
        "CreationTime": "2026-03-02T08:00:00",
        "Operation": "UserLoginFailed",
        "ResultStatus": "Success",  # as real records have it
        "LogonError": "InvalidUserNameOrPassword",
        "UserId": "ann@a.example",
        "OrganizationId": "org-a",
        "ClientIP": "192.0.2.7:49153",
        "ExtendedProperties": [{"Name": "UserAgent", "Value": "CBAInPROD"}, {"Name": "RequestType", "Value": "OAuth2"}],
    }
    return {name: value for name, value in {**record, **changes}.items() if value is not ...}


def entra(**changes: Any) -> dict[str, Any]:
    record = {
        "id": "1",
        "createdDateTime": "2026-03-02T08:00:00.1234567Z",
        "userPrincipalName": "ann@a.example",
        "ipAddress": "2001:DB8::0001",
        "location": {"city": "X", "countryOrRegion": "DE"},
        "status": {"errorCode": 50126},
        "homeTenantId": "tenant",
        "userAgent": "Mozilla/5.0",
    }
    return {**record, **changes}


def okta(**changes: Any) -> dict[str, Any]:
    record = {
        "uuid": "1",
        "published": "2026-03-02T09:00:00.000+01:00",
        "eventType": "user.session.start",
        "outcome": {"result": "FAILURE", "reason": "INVALID_CREDENTIALS"},
        "actor": {"alternateId": "ann@a.example"},
        "client": {
            "ipAddress": "192.0.2.7",
            "geographicalContext": {"country": "United States"},
            "userAgent": {"rawUserAgent": "Mozilla/5.0"},
        },
    }
    return {**record, **changes}


def imported(folder: Path, records: list[Any], format_: str = "o365", **given: Any) -> tuple[Imported, list[dict[str, Any]]]:
    """The result of importing records, and the events."""
    lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
    (folder / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    made = import_logs(folder / "log.jsonl", folder / "events.parquet", format=format_, now=NOW, force=True, **given)
    table = pq.read_table(made.file)
    assert table.schema.equals(EVENTS)
    return made, table.to_pylist()


def aside(made: Imported) -> list[dict[str, Any]]:
    return [json.loads(line) for line in made.aside.read_text(encoding="utf-8").splitlines()]


def test_an_audit_record_becomes_an_event_whatever_its_status_says(tmp_path: Path) -> None:
    made, events = imported(tmp_path, [o365(), o365(Id="2", Operation="UserLoggedIn", LogonError=...)])
    first = {
        "Id": "1",
        "CreationTime": datetime(2026, 3, 2, 8),
        "Operation": "UserLoginFailed",
        "LogonError": "InvalidUserNameOrPassword",
        "UserId": "ann@a.example",
        "OrganizationId": "org-a",
        "ClientIP": "192.0.2.7",
        "Country": None,
        "UserAgent": "CBAInPROD",
    }
    assert events == [first, {**first, "Id": "2", "Operation": "UserLoggedIn", "LogonError": None}]
    assert (made.records, made.events, made.no_country, made.no_agent) == (2, 2, 2, 0)
    assert aside(made) == []


def test_an_exported_record_in_audit_data_is_the_same_event(tmp_path: Path) -> None:
    _, plain = imported(tmp_path, [o365()])
    _, wrapped = imported(tmp_path, [{"RecordType": 15, "AuditData": json.dumps(o365())}])
    assert plain == wrapped


@pytest.mark.parametrize(
    ("said", "canonical"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:1", "192.0.2.7"),
        ("[192.0.2.7]:443", "192.0.2.7"),
        ("[2001:db8:0:0::7]:443", "2001:db8::7"),
        ("[2001:DB8::7]", "2001:db8::7"),
        ("2001:db8:0:0:0:0:0:7", "2001:db8::7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("[::ffff:192.0.2.7]:80", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::1"),
        (" 192.0.2.7 ", "192.0.2.7"),
    ],
)
def test_addresses_come_in_one_spelling(said: str, canonical: str, tmp_path: Path) -> None:
    assert imported(tmp_path, [o365(ClientIP=said)])[1][0]["ClientIP"] == canonical


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (o365(ClientIP="203.0.113.999"), "no address, or a malformed one"),
        (o365(ClientIP="203.0.113.1:99999"), "no address, or a malformed one"),
        (o365(ClientIP="203.0.113.1:abc"), "no address, or a malformed one"),
        (o365(ClientIP="[203.0.113.1]x"), "no address, or a malformed one"),
        (o365(ClientIP=""), "no address, or a malformed one"),
        (o365(ClientIP=...), "no address, or a malformed one"),
        (o365(CreationTime="yesterday"), "no time, or a malformed one"),
        (o365(CreationTime="2026-03-02"), "no time, or a malformed one"),
        (o365(CreationTime=1772438400), "no time, or a malformed one"),
        (o365(CreationTime="2026-06-03T00:00:00"), "a time in the future"),
        (o365(CreationTime="1970-01-01T00:00:00"), "a time before the year 2000"),
        (o365(UserId=""), "no user"),
        (o365(Id=...), "no id"),
        ('{"Id": "1", "Opera', "not a JSON object"),
        ("[1, 2]x", "not a JSON object"),
        ({"AuditData": "{"}, "not a JSON object"),
    ],
)
def test_what_cannot_be_read_is_counted_by_reason_and_set_aside(record: Any, reason: str, tmp_path: Path) -> None:
    made, events = imported(tmp_path, [o365(Id="0"), record])
    assert [event["Id"] for event in events] == ["0"]
    assert made.rejected == {reason: 1}
    (kept,) = aside(made)
    assert (kept["file"], kept["line"], kept["reason"]) == ("log.jsonl", 2, reason)
    assert kept["record"] == (record if isinstance(record, str) else json.dumps(record))


def test_every_record_is_accounted_for(tmp_path: Path) -> None:
    records = [o365(), o365(), o365(Id="2"), o365(Id="3", ClientIP="x"), {"Operation": "FileAccessed"}, "nonsense"]
    made, _ = imported(tmp_path, records)
    assert made.records == len(records) == made.events + made.doubled + sum(made.ignored.values()) + sum(made.rejected.values())
    assert (made.events, made.doubled, made.ignored) == (2, 1, {"not a sign-in": 1})


def test_a_clock_that_is_a_little_ahead_is_believed(tmp_path: Path) -> None:
    assert imported(tmp_path, [o365(CreationTime="2026-06-01T12:00:00Z")])[0].events == 1


def test_late_events_are_put_in_their_place_and_doubled_ones_removed_across_files(tmp_path: Path) -> None:
    logs = {"a.jsonl": [o365(Id="2", CreationTime="2026-03-03T00:00:00"), o365(Id="3", CreationTime="2026-03-04T00:00:00")]}
    logs["b.jsonl.gz"] = [o365(Id="1", CreationTime="2026-03-01T00:00:00"), o365(Id="2", CreationTime="2026-03-03T00:00:00")]
    (tmp_path / "logs").mkdir()
    for name, records in logs.items():
        text = "".join(json.dumps(each) + "\n" for each in records).encode()
        (tmp_path / "logs" / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    made = import_logs(tmp_path / "logs", tmp_path / "events.parquet", format="o365", now=NOW)
    assert pq.read_table(made.file)["Id"].to_pylist() == ["1", "2", "3"]
    assert (made.records, made.doubled) == (4, 1)


@pytest.mark.parametrize(
    ("code", "operation", "error"),
    [
        (0, "UserLoggedIn", None),
        (50126, "UserLoginFailed", "InvalidUserNameOrPassword"),
        (50074, "UserLoginFailed", "UserStrongAuthClientAuthNRequiredInterrupt"),
        ("50055", "UserLoginFailed", "InvalidPasswordExpiredPassword"),
        (77777, "UserLoginFailed", "AADSTS77777"),
    ],
)
def test_entra_tells_the_outcome_by_its_code(code: Any, operation: str, error: str | None, tmp_path: Path) -> None:
    _, (event,) = imported(tmp_path, [entra(status={"errorCode": code})], "entra")
    assert (event["Operation"], event["LogonError"], event["Country"]) == (operation, error, "DE")
    assert event["CreationTime"] == datetime(2026, 3, 2, 8, 0, 0, 123456)
    assert (event["ClientIP"], event["OrganizationId"]) == ("2001:db8::1", "tenant")


def test_entra_comes_as_lines_as_a_list_as_pages_and_as_a_diagnostic_setting_sends_it(tmp_path: Path) -> None:
    _, expected = imported(tmp_path, [entra()], "entra")
    assert imported(tmp_path, [json.dumps([entra()], indent=1)], "entra")[1] == expected
    assert imported(tmp_path, [{"value": [entra()]}], "entra")[1] == expected
    sent = {"time": "x", "tenantId": "tenant", "properties": {k: v for k, v in entra().items() if k != "homeTenantId"}}
    assert imported(tmp_path, [sent], "entra")[1] == expected
    made, _ = imported(tmp_path, [entra(), entra(id="2", status={})], "entra")
    assert made.rejected == {"no outcome, or an unknown one": 1}


def test_okta_tells_the_outcome_by_result_and_reason(tmp_path: Path) -> None:
    records = [
        okta(),
        okta(uuid="2", outcome={"result": "SUCCESS"}),
        okta(
            uuid="3", eventType="user.authentication.auth_via_mfa", outcome={"result": "FAILURE", "reason": "INVALID_CREDENTIALS"}
        ),
        okta(uuid="4", eventType="user.authentication.auth_via_mfa", outcome={"result": "SUCCESS"}),
        okta(uuid="5", outcome={"result": "CHALLENGE"}),
        okta(uuid="6", eventType="app.user_management"),
        okta(uuid="7", outcome={"result": "FAILURE", "reason": "ann@a.example typed something"}),
    ]
    made, events = imported(tmp_path, records, "okta")
    assert [(event["Id"], event["LogonError"]) for event in events] == [
        ("1", "InvalidUserNameOrPassword"),
        ("2", None),
        ("3", "AuthenticationFailedDuringStrongAuthentication"),
        ("7", None),
    ]
    assert events[0]["CreationTime"] == datetime(2026, 3, 2, 8)
    assert (events[0]["Country"], events[0]["OrganizationId"]) == ("US", "a.example")
    assert made.ignored == {"not a sign-in": 2, "a sign-in that has not ended": 1}


MAP = "id=Nr,time=When,user=Who,ip=From,outcome=Result,error=Why,organization=Org,country=Land,agent=Client"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_any_table_comes_by_a_map_of_its_columns(ending: str, tmp_path: Path) -> None:
    table = pa.table(
        {
            "Nr": ["1", "2", "3"],
            "When": ["2026-03-02T08:00:00Z", "2026-03-02 10:00:00+02:00", "never"],
            "Who": ["ann", "bob", "cy"],
            "From": ["192.0.2.7:1", "2001:db8::1", "192.0.2.9"],
            "Result": ["Failed", "success", "failed"],
            "Why": ["50126", "", ""],
            "Org": ["x", "x", "x"],
            "Land": ["Germany", "Atlantis", "US"],
            "Client": ["CBAInPROD", "", ""],
        }
    )
    if ending == "csv":
        import pyarrow.csv as csv

        csv.write_csv(table, tmp_path / "log.csv")
    else:
        pq.write_table(table, tmp_path / "log.parquet")
    made = import_logs(tmp_path / f"log.{ending}", tmp_path / "events.parquet", format="columns", columns=MAP, now=NOW)
    events = pq.read_table(made.file).to_pylist()
    assert [(each["Id"], each["CreationTime"].hour, each["Operation"], each["LogonError"]) for each in events] == [
        ("1", 8, "UserLoginFailed", "InvalidUserNameOrPassword"),
        ("2", 8, "UserLoggedIn", None),
    ]
    assert [each["Country"] for each in events] == ["DE", None]
    assert made.rejected == {"no time, or a malformed one": 1}
    assert made.no_country == 1
    assert features(made.file, tmp_path / "features").rows["ip"] == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "say which column is what"),
        ("time=When", "says nothing of user, ip, outcome"),
        ("when=When", "no field 'when'"),
        ("time", "write what and which column"),
        ("time=Nope,user=Who,ip=From,outcome=Result", "no column 'Nope'"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(columns: str | None, message: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("When,Who,From,Result\n2026-03-02T08:00:00,a,192.0.2.1,ok\n", encoding="utf-8")
    with pytest.raises((UsageError, DataError), match=message):
        import_logs(tmp_path / "log.csv", tmp_path / "events.parquet", format="columns", columns=columns)
    assert not (tmp_path / "events.parquet").exists()


def test_a_log_without_a_sign_in_is_refused_with_the_reasons_and_without_a_value(tmp_path: Path) -> None:
    reasons = r"no sign-in: 2 records \(not a sign-in: 1, no address, or a malformed one: 1\)"
    with pytest.raises(DataError, match=reasons) as refused:
        imported(tmp_path, [o365(ClientIP="203.0.113.999"), {"Operation": "FileAccessed"}])
    assert not any(secret in str(refused.value) for secret in SECRETS)
    assert not list(tmp_path.glob("events*"))


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_log_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="no sign-in: nothing in it"):
        import_logs(tmp_path / "log.jsonl", tmp_path / "events.parquet", format="o365")


def test_other_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(json.dumps(o365()), encoding="utf-8")
    (tmp_path / "list.json").write_text("[{}, ", encoding="utf-8")
    given: list[tuple[str, str, dict[str, Any], str]] = [
        ("nowhere.jsonl", "events.parquet", {"format": "o365"}, "no such file"),
        ("log.jsonl", "events.parquet", {"format": "syslog"}, "no format 'syslog'"),
        ("log.jsonl", "events.csv", {"format": "o365"}, "ends in .parquet"),
        ("log.jsonl", "events.parquet", {"format": "o365", "columns": "a=b"}, "has this"),
        ("list.json", "events.parquet", {"format": "o365"}, "element 2 of its list cannot be read"),
    ]
    for source, output, more, message in given:
        with pytest.raises((UsageError, DataError), match=message):
            import_logs(tmp_path / source, tmp_path / output, **more)
    import_logs(tmp_path / "log.jsonl", tmp_path / "events.parquet", format="o365")
    with pytest.raises(OutputError, match="exists already"):
        import_logs(tmp_path / "log.jsonl", tmp_path / "events.parquet", format="o365")


def portal(folder: Path, name: str, header: list[str], rows: list[list[Any]], encoding: str = "utf-8-sig") -> Path:
    """An export as CSV."""
    with (folder / name).open("w", newline="", encoding=encoding) as file:
        csv.writer(file).writerows([header, *rows])
    return folder / name


def test_an_export_of_the_audit_portal_has_each_record_as_text_in_a_column(tmp_path: Path) -> None:
    _, plain = imported(tmp_path, [o365(), o365(Id="2", Note='a "quoted"\nline')])
    rows = [["1", json.dumps(o365())], ["2", json.dumps(o365(Id="2", Note='a "quoted"\nline'))], ["3", "{"]]
    path = portal(tmp_path, "portal.csv", ["RecordId", "AuditData"], rows)
    made = import_logs(path, tmp_path / "events.parquet", format="o365", now=NOW, force=True)
    assert pq.read_table(made.file).to_pylist() == plain
    assert (made.records, made.rejected) == (3, {"not a JSON object": 1})
    assert [(each["file"], each["row"]) for each in aside(made)] == [("portal.csv", 3)]
    typed = tmp_path / "typed.csv"
    typed.write_text("#TYPE Selected.Record\n" + path.read_text(encoding="utf-8-sig"), encoding="utf-16")
    assert import_logs(typed, tmp_path / "typed.parquet", format="o365", now=NOW).events == 2


def test_an_export_of_entra_has_a_column_for_each_property(tmp_path: Path) -> None:
    header = ["Date (UTC)", "Request ID", "Username", "IP address", "Location", "Status", "Sign-in error code", "Home tenant ID"]
    known = ["ann@a.example", "2001:DB8::0001"]
    rows = [
        ["2026-03-02T08:00:00Z", "1", *known, "Berlin, Berlin, DE", "Failure", "50126", "tenant"],
        ["2026-03-02T08:00:01Z", "2", *known, "", "Success", "None", "tenant"],
        ["2026-03-02T08:00:02Z", "3", *known, "", "Failure", "", "tenant"],
    ]
    path = portal(tmp_path, "entra.csv", header, rows)
    made = import_logs(path, tmp_path / "events.parquet", format="entra", now=NOW)
    first, second = pq.read_table(made.file).to_pylist()
    expected = {
        "Operation": "UserLoginFailed",
        "LogonError": "InvalidUserNameOrPassword",
        "Country": "DE",
        "ClientIP": "2001:db8::1",
    }
    assert {name: first[name] for name in expected} == expected
    assert (second["Operation"], second["LogonError"], second["Country"]) == ("UserLoggedIn", None, None)
    assert made.rejected == {"no outcome, or an unknown one": 1}


def test_reading_an_export_leaves_the_limit_of_other_readers_alone(tmp_path: Path) -> None:
    long = json.dumps(o365(Note="x" * 200_000))
    path = portal(tmp_path, "portal.csv", ["RecordId", "AuditData"], [["1", long], ["2", "{"]])
    before = csv.field_size_limit(1000)
    try:
        assert import_logs(path, tmp_path / "events.parquet", format="o365", now=NOW).events == 1
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)


def test_an_export_that_breaks_off_is_refused_by_its_row(tmp_path: Path) -> None:
    path = portal(tmp_path, "portal.csv", ["RecordId", "AuditData"], [["1", json.dumps(o365())]])
    path.write_text(path.read_text(encoding="utf-8-sig") + '2,"{""UserId"": ""ann@a.example', encoding="utf-8")
    with pytest.raises(DataError, match="row 2 cannot be read as CSV") as refused:
        import_logs(path, tmp_path / "events.parquet", format="o365", now=NOW)
    assert not any(secret in str(refused.value) for secret in SECRETS)


@pytest.mark.parametrize(
    "written", [lambda pairs: pairs, json.dumps, lambda pairs: {each["Name"]: each["Value"] for each in pairs}]
)
def test_properties_come_as_a_list_as_a_text_and_as_an_object(written: Any, tmp_path: Path) -> None:
    pairs = o365()["ExtendedProperties"]
    _, (event,) = imported(tmp_path, [o365(ExtendedProperties=written(pairs))])
    assert event["UserAgent"] == "CBAInPROD"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("shape", ["lines", "list", "page"])
def test_a_log_is_the_same_in_any_encoding_packing_and_shape(encoding: str, packed: bool, shape: str, tmp_path: Path) -> None:
    records = [o365(Id=str(number), UserId="änn@a.example") for number in range(3)]
    text = {
        "lines": "\r\n".join(json.dumps(each, ensure_ascii=False) for each in records),
        "list": json.dumps(records, indent=2, ensure_ascii=False),
        "page": json.dumps({"next": "?", "value": records}, indent=2, ensure_ascii=False),
    }[shape]
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    stored = (mark + text).encode(encoding)
    (tmp_path / "log").write_bytes(gzip.compress(stored) if packed else stored)
    made = import_logs(tmp_path / "log", tmp_path / "events.parquet", format="o365", now=NOW)
    assert pq.read_table(made.file)["UserId"].to_pylist() == ["änn@a.example"] * 3
    assert made.records == 3


def test_a_list_is_read_in_pieces_and_elements_may_cross_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.applications.ato.importing.records._BLOCK", 97)
    texts = [o365(Id=str(number), UserId=f"u{number}, ]}}[{{") for number in range(20)]
    (tmp_path / "log").write_text(json.dumps([*texts[:10], 12345, "[", *texts[10:]]), encoding="utf-8")
    made = import_logs(tmp_path / "log", tmp_path / "events.parquet", format="o365", now=NOW)
    assert (made.events, made.rejected) == (20, {"not a JSON object": 2})


def test_a_line_that_is_too_long_is_one_record_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.applications.ato.importing.records.LONGEST", 2000)
    made, events = imported(tmp_path, [o365(Id="1"), o365(Id="2", Note="x" * 9000), o365(Id="3")])
    assert [each["Id"] for each in events] == ["1", "3"]
    assert made.rejected == {"longer than 16 MB": 1}
    assert aside(made)[0]["line"] == 2


def test_damage_and_depth_within_a_log_are_one_line(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(("\n".join(json.dumps(o365(Id=str(n))) for n in range(500))).encode()))
    for name, stored in {"cut": packed[:-40], "changed": packed[:60] + bytes([packed[60] ^ 255]) + packed[61:]}.items():
        (tmp_path / name).write_bytes(bytes(stored))
        with pytest.raises(DataError, match="a damaged gzip file"):
            import_logs(tmp_path / name, tmp_path / "events.parquet", format="o365", now=NOW)
    deep = [{"AuditData": "[" * 100_000}, {"AuditData": json.dumps(o365(Id="2")).replace("CBAInPROD", "x\\ud800y")}]
    made, events = imported(tmp_path, [o365(), *deep])
    assert made.rejected == {"not a JSON object": 1}
    assert [each["UserAgent"] for each in events] == ["CBAInPROD", "x?y"]


def test_one_person_is_one_user_however_the_address_of_mail_is_written(tmp_path: Path) -> None:
    _, events = imported(
        tmp_path, [o365(UserId=user, Id=user) for user in ("Ann@A.example", "ann@a.example", "ANN@a.example", "Ann")]
    )
    assert sorted({each["UserId"] for each in events}) == ["Ann", "ann@a.example"]


def test_rows_without_ids_are_doubled_neither_in_one_table_nor_among_several(tmp_path: Path) -> None:
    given = {"format": "columns", "columns": "time=When,user=Who,ip=From,outcome=Result", "now": NOW}
    (tmp_path / "all").mkdir()
    for name, user in (("a", "ann"), ("b", "bob")):
        rows = f"2026-03-02T08:00:00,{user},192.0.2.1,ok\n" * 2
        (tmp_path / f"{name}.csv").write_text(f"When,Who,From,Result\n{rows}", encoding="utf-8")
        import_logs(tmp_path / f"{name}.csv", tmp_path / "all" / f"{name}.parquet", **given)
    made = features(str(tmp_path / "all" / "*.parquet"), tmp_path / "features", levels=["ip"])
    assert made.doubled == 0
    assert pq.read_table(made.files["ip"])["IPGoodLogins"].to_pylist() == [4]


def test_a_table_without_a_header_is_refused_without_a_word_of_its_first_row(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("2026-03-02T08:00:00,ann@a.example,192.0.2.7,ok\n" * 2, encoding="utf-8")
    with pytest.raises(DataError, match="no column 'When'") as refused:
        import_logs(
            tmp_path / "log.csv",
            tmp_path / "events.parquet",
            format="columns",
            columns="time=When,user=Who,ip=From,outcome=Result",
        )
    assert not any(secret in str(refused.value) for secret in SECRETS)
    with pytest.raises(UsageError, match="names a field twice"):
        import_logs(tmp_path / "log.csv", tmp_path / "events.parquet", format="columns", columns="time=A,time=B")
