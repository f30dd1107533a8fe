"""Logs that are odd in ways real ones are: letters, types, clocks and dates that differ from the documentation's."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.importing.making import import_logs
from sfumato.applications.ato.importing.times import reader_of_times
from sfumato.applications.ato.reputation import read_known, reputation
from sfumato.applications.ato.tables import read_features
from sfumato.errors import DataError, UsageError
from sfumato.vocabulary.dialect import Days
from tests.unit.ato.test_import import NOW, SECRETS, entra, imported, o365, okta

MAP = "time=When,user=Who,ip=From,outcome=Result"
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31))


@pytest.mark.parametrize(
    ("operation", "kept"),
    [("USERLOGINFAILED", "UserLoginFailed"), ("userloggedin", "UserLoggedIn"), (" UserLoggedIn", "UserLoggedIn")],
)
def test_operations_are_the_same_in_large_and_small_letters(operation: str, kept: str, tmp_path: Path) -> None:
    assert imported(tmp_path, [o365(Operation=operation)])[1][0]["Operation"] == kept


@pytest.mark.parametrize(
    ("record", "form", "ignored", "rejected"),
    [
        (okta(uuid="2", outcome={"result": ["SUCCESS"]}), "okta", 0, 1),
        (okta(uuid="2", eventType=["user.session.start"]), "okta", 1, 0),
        (okta(uuid="2", eventType={"a": 1}), "okta", 1, 0),
        (okta(uuid="2", client=None), "okta", 0, 1),
        (okta(uuid="2", actor=None), "okta", 0, 1),
        (okta(uuid="2", outcome=None), "okta", 0, 1),
        (entra(id="2", status=50126), "entra", 0, 1),
        (entra(id="2", status={"errorCode": [0]}), "entra", 0, 1),
        (entra(id="2", status={"errorCode": True}), "entra", 0, 1),
        (o365(Id="2", Operation=["UserLoggedIn"]), "o365", 1, 0),
        (o365(Id="2", Operation={"UserLoggedIn": 1}), "o365", 1, 0),
        (o365(Id=["2"]), "o365", 0, 1),
        (o365(Id="2", UserId={"name": "ann@a.example"}), "o365", 0, 1),
        (o365(Id="2", CreationTime=["2026-03-02T08:00:00"]), "o365", 0, 1),
        (o365(Id="2", CreationTime="2012010120000"), "o365", 0, 1),  # a count of milliseconds, not the year 2012
    ],
)
def test_a_value_of_another_type_is_no_event_and_no_crash(
    record: Any, form: str, ignored: int, rejected: int, tmp_path: Path
) -> None:
    good = {"okta": okta, "entra": entra, "o365": o365}[form]()
    made, events = imported(tmp_path, [good, record], form)
    assert (len(events), sum(made.ignored.values()), sum(made.rejected.values())) == (1, ignored, rejected)


def test_an_error_that_is_no_text_or_number_is_none(tmp_path: Path) -> None:
    _, events = imported(tmp_path, [o365(LogonError=["ann@a.example"]), o365(Id="2", LogonError={"a": 1}, ErrorNumber=50126)])
    assert [event["LogonError"] for event in events] == [None, None]
    _, (event,) = imported(tmp_path, [entra(status={"errorCode": 50126.0})], "entra")  # as tables with gaps write numbers
    assert event["LogonError"] == "InvalidUserNameOrPassword"


@given(MOMENTS, st.sampled_from([("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)]), st.booleans())
def test_a_count_since_1970_is_the_time_that_the_standard_library_gives(
    when: datetime, unit: tuple[str, int], as_text: bool
) -> None:
    name, per = unit
    micros = (when - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    count = micros * per // 10**6
    expected = pd.Timestamp(count, unit=name).floor("us").to_pydatetime()
    assert reader_of_times(None)(str(count) if as_text else count) == expected
    if name == "s":
        assert reader_of_times(None)(float(count)) == datetime.fromtimestamp(count, UTC).replace(tzinfo=None)


@given(
    MOMENTS,
    st.sampled_from(["dd.mm.yyyy", "mm/dd/yyyy", "yyyy/mm/dd", "dd-mmm-yyyy", "dd mmm yyyy", "dd.mm.yy..2099"]),
    st.booleans(),
)
def test_a_date_in_the_way_that_was_said_is_read_back(when: datetime, form: str, half: bool) -> None:
    days = Days.of(form)
    codes = {"d": "%d", "m": "%m", "b": "%b", "y": "%Y" if days.last is None else "%y"}
    written = when.strftime(days.sign.join(codes[part] for part in days.order) + (" %I:%M:%S.%f %p" if half else " %H:%M:%S.%f"))
    assert reader_of_times(days)(written) == when


@pytest.mark.parametrize(
    "text",
    [
        "3/2/2026",
        "13/2/2026 08:00",
        "3/2/2026 24:00",
        "3/2/2026 08:61",
        "3/2/2026 13:00 PM",
        "3/2/2026 0:10 AM",
        "3/2/2026 08:00 x",
        "12345",
        "17724384001772438400",
        "nan",
        "1e9",
        "",
        "3/2/2026 08:00:61",
        True,
        None,
        float("nan"),
        float("inf"),
        -5,
        10**30,
    ],
)
def test_what_is_no_time_is_none(text: Any) -> None:
    assert reader_of_times(Days.of("mm/dd/yyyy"))(text) is None


def test_months_and_days_are_told_apart_only_by_what_was_said(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("When,Who,From,Result\n3/2/2026 5:00:00 PM,ann,192.0.2.7,Success\n", encoding="utf-8")
    ways: dict[str, Any] = {"format": "columns", "columns": MAP, "now": NOW, "force": True}
    with pytest.raises(DataError, match="dates='mm/dd/yyyy'") as refused:
        import_logs(log, tmp_path / "events.parquet", **ways)
    assert not any(secret in str(refused.value) for secret in SECRETS)
    assert not list(tmp_path.glob("events*"))
    for form, month in (("mm/dd/yyyy", 3), ("When=dd/mm/yyyy", 2)):
        made = import_logs(log, tmp_path / "events.parquet", dates=form, **ways)
        assert pq.read_table(made.file)["CreationTime"].to_pylist()[0].month == month


def test_a_frame_with_categories_numbers_with_gaps_and_truth_values_is_a_log(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "Nr": [1.0, 2.0, float("nan")],
            "When": pd.to_datetime(["2026-03-02 09:00"] * 3).tz_localize("Europe/Berlin"),
            "Who": pd.Categorical(["ann", "bob", "cy"]),
            "From": ["192.0.2.7", "fe80::1%2", "192.0.2.9"],
            "Result": pd.array([True, False, True], "boolean"),
            "Why": pd.array([None, 50126, None], "Int64"),
        }
    )
    frame.to_parquet(tmp_path / "log.parquet")
    columns = f"{MAP},id=Nr,error=Why"
    made = import_logs(tmp_path / "log.parquet", tmp_path / "events.parquet", format="columns", columns=columns, now=NOW)
    events = pq.read_table(made.file).to_pylist()
    imported = [
        (each["Id"], each["CreationTime"].hour, each["Operation"], each["LogonError"], each["ClientIP"]) for each in events
    ]
    assert imported == [
        ("1", 8, "UserLoggedIn", None, "192.0.2.7"),
        ("2", 8, "UserLoginFailed", "InvalidUserNameOrPassword", "fe80::1"),
    ]
    assert made.rejected == {"no id": 1}


def test_options_of_tables_are_refused_for_json(tmp_path: Path) -> None:
    for name, value in (("dates", "dd.mm.yyyy"), ("encoding", "utf-16"), ("header", False)):
        with pytest.raises(UsageError, match="has this; leave it out"):
            imported(tmp_path, [o365()], **{name: value})


@pytest.mark.parametrize(
    ("success", "failure"), [("Erfolg", "Fehlgeschlagen"), ("RÉUSSI", "échec"), ("éxito", "Fallido"), ("Allowed", "Denied")]
)
def test_outcomes_come_in_the_language_of_the_portal(success: str, failure: str, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"2026-03-02T08:00:00Z,ann,192.0.2.7,{success}", f"2026-03-02T08:01:00Z,ann,192.0.2.7,{failure}"]
    log.write_text("\n".join(["When,Who,From,Result", *rows, ""]), encoding="utf-8")
    made = import_logs(log, tmp_path / "events.parquet", format="columns", columns=MAP, now=NOW)
    assert pq.read_table(made.file)["Operation"].to_pylist() == ["UserLoggedIn", "UserLoginFailed"]


def office_log() -> list[str]:
    """A week of one small company in a table that nobody prepared: 40 people at two addresses of an office, with ports, and at home; one
    in twenty logins fails. From six other addresses everybody is tried once."""
    chance = random.Random(11)
    people = ["Jürgen Müller", "zoë", *(f"mitarbeiter{number}" for number in range(38))]
    office = ("192.0.2.10:51234", "192.0.2.10", "[2001:DB8:5::1]:443", "2001:db8:5:0:0:0:0:1")
    rows = []
    for place, person in enumerate(people):
        for _ in range(20):
            address = (
                chance.choice(office) if chance.random() < 0.5 else f"198.51.100.{place + 1}:{chance.randrange(1024, 65536)}"
            )
            rows.append(
                (chance.randrange(7 * 24 * 60), person, address, "Erfolg" if chance.random() > 0.05 else "Fehlgeschlagen")
            )
        rows += [(chance.randrange(7 * 24 * 60), person, f"203.0.113.{each}", "Fehlgeschlagen") for each in range(1, 7)]
    chance.shuffle(rows)
    begin = datetime(2026, 2, 2)
    return [
        f"{begin + timedelta(minutes=minutes):%d.%m.%Y %H:%M:%S};{person};{address};{outcome}"
        for minutes, person, address, outcome in rows
    ]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("office")
    lines = ["Zeitpunkt;Benutzer;Quelladresse;Ergebnis", *office_log(), ""]
    (folder / "log.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    columns = "time=Zeitpunkt,user=Benutzer,ip=Quelladresse,outcome=Ergebnis"
    import_logs(folder / "log.csv", folder / "e.parquet", format="columns", columns=columns, dates="dd.mm.yyyy", now=NOW)
    features(folder / "e.parquet", folder / "features")
    (folder / "good.txt").write_text("192.0.2.10\n2001:db8:5::1\n198.51.100.4\n", encoding="utf-8")
    (folder / "bad.txt").write_text("203.0.113.1\n203.0.113.2\n203.0.113.3\n", encoding="utf-8")
    return folder


def test_a_table_in_the_code_of_windows_with_ports_and_one_company_is_read_whole(office: Path) -> None:
    events = pq.read_table(office / "e.parquet").to_pylist()
    assert len(events) == 40 * 26
    assert {"Jürgen Müller", "zoë"} < {each["UserId"] for each in events}
    assert len({each["ClientIP"] for each in events}) == 2 + 40 + 6
    assert {each["OrganizationId"] for each in events} == {"unknown"}


def test_one_company_and_three_known_addresses_are_enough(office: Path) -> None:
    known = read_known(office / "bad.txt"), read_known(office / "good.txt")
    found = reputation(read_features(office / "features", "ip"), *known)
    bad = {key for key, each in zip(found.keys.to_pylist(), found.bad, strict=True) if each}
    assert bad == {f"203.0.113.{number}" for number in range(1, 7)}


def test_fewer_known_addresses_are_refused_with_what_would_work(office: Path, tmp_path: Path) -> None:
    table, good = read_features(office / "features", "ip"), read_known(office / "good.txt")
    for bad, message in (
        (["203.0.113.1", "203.0.113.2"], "2 of the 2 .*; name more of them"),
        (["192.0.2.1"] * 4, "is it the list"),
    ):
        with pytest.raises(DataError, match=message):
            reputation(table, bad, good)


def test_a_run_on_such_a_log_ends_with_a_page_that_says_how_much_is_suspicious(office: Path, tmp_path: Path) -> None:
    """A fifth of the log is an attack, which nobody knows beforehand."""
    lists = {"bad": office / "bad.txt", "good": office / "good.txt"}
    done = sf.ato.run(tmp_path / "run", office / "e.parquet", **lists, grid="none")
    assert done.results["detect"]["suspicious"] == 240
    assert "23 % of all logins are suspicious" in done.results["detect"]["doubt"]
    assert "23 % of all logins are suspicious" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
