"""The generator: the same log whatever pieces it is made in, and statistics as its parameters say."""

from __future__ import annotations

import json
from dataclasses import replace
from ipaddress import ip_address, ip_network
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.events import EVENTS, TRUTH
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.generating.chance import Chance
from sfumato.applications.ato.generating.making import Generated, generate
from sfumato.applications.ato.generating.parameters import COUNTRIES, DEFAULT
from sfumato.errors import DataError, UsageError

ROWS = 60_000
FILES = [
    "events.parquet",
    "known-bad.txt",
    "known-good.txt",
    "truth/campaigns.parquet",
    "truth/truth.parquet",
    "truth/parameters.json",
]
NOBODY = [ip_network("240.0.0.0/4"), ip_network("2001:db8::/32")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return generate(tmp_path_factory.mktemp("log"), rows=ROWS, seed=7)


@pytest.fixture(scope="module")
def log(made: Generated) -> dict[str, np.ndarray]:
    """The columns of the log, and whether an event is fraudulent."""
    table = pq.read_table(made.folder / "events.parquet")
    columns = {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
    frauds = pq.read_table(made.folder / "truth" / "truth.parquet")["Id"].to_pylist()
    return {**columns, "Fraud": np.isin(columns["Id"].astype(str), frauds)}


def near(share: float, expected: float, count: int) -> bool:
    """Within five standard deviations of a share of so many."""
    return bool(abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / count))


@pytest.mark.parametrize("chunk", [777, 5000, 1 << 30])
def test_the_files_do_not_depend_on_the_pieces_they_are_made_in(chunk: int, tmp_path: Path) -> None:
    generate(tmp_path / "one", rows=12_000, seed=3)
    generate(tmp_path / "other", rows=12_000, seed=3, chunk=chunk)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


@pytest.mark.parametrize("days", [2, 3, 5, 366])
def test_a_log_of_any_length_has_all_its_events_within_its_days(days: int, tmp_path: Path) -> None:
    for seed in range(3):
        made = generate(tmp_path / "log", rows=2000, seed=seed, days=days, force=True)
        times = pq.read_table(tmp_path / "log" / "events.parquet")["CreationTime"].to_numpy()
        assert (made.events, made.fraudulent) == (2000, 60)
        assert (
            np.datetime64(DEFAULT.begin) <= times.min() <= times.max() < np.datetime64(DEFAULT.begin) + np.timedelta64(days, "D")
        )


def test_another_seed_gives_another_log(tmp_path: Path) -> None:
    for seed in (1, 2):
        generate(tmp_path / str(seed), rows=2000, seed=seed)
    one, other = (pq.read_table(tmp_path / seed / "events.parquet") for seed in ("1", "2"))
    assert not set(one["Id"].to_pylist()) & set(other["Id"].to_pylist())


def test_the_log_is_a_table_of_events_in_the_order_of_time(made: Generated, log: dict[str, np.ndarray]) -> None:
    table = pq.read_table(made.folder / "events.parquet")
    assert table.schema.equals(EVENTS)
    assert made.events == table.num_rows == ROWS
    assert len(set(log["Id"])) == ROWS
    assert (np.diff(log["CreationTime"]) >= np.timedelta64(0)).all()
    begin = np.datetime64(DEFAULT.begin)
    assert begin <= log["CreationTime"][0]
    assert log["CreationTime"][-1] < begin + np.timedelta64(DEFAULT.days, "D")
    assert set(log["Operation"]) == {"UserLoggedIn", "UserLoginFailed"}
    assert ((log["Operation"] == "UserLoginFailed") == [error is not None for error in log["LogonError"]]).all()


def test_addresses_are_in_canonical_text_and_nobody_has_them(log: dict[str, np.ndarray]) -> None:
    for text in set(log["ClientIP"]):
        address = ip_address(text)
        assert str(address) == text
        assert any(address.version == net.version and address in net for net in NOBODY)
    new = np.mean([":" in text for text in log["ClientIP"]])
    assert 0.05 < new < 0.2


def test_the_truth_is_in_a_file_of_its_own_that_features_refuse(made: Generated, tmp_path: Path) -> None:
    assert pq.read_schema(made.folder / "truth" / "truth.parquet").equals(TRUTH)
    with pytest.raises(DataError, match="holds the truth"):
        features(made.folder / "truth" / "truth.parquet", tmp_path / "out")
    assert set(features(made.folder, tmp_path / "out").rows) == {"ip", "subnet", "country"}


def test_the_truth_names_fraudulent_events_of_the_log_and_their_campaigns(made: Generated, log: dict[str, np.ndarray]) -> None:
    truth = pq.read_table(made.folder / "truth" / "truth.parquet")
    campaigns = pq.read_table(made.folder / "truth" / "campaigns.parquet")
    assert truth.num_rows == made.fraudulent == log["Fraud"].sum() == round(ROWS * DEFAULT.fraud)
    assert set(truth["Campaign"].to_pylist()) == {None, *campaigns["Campaign"].to_pylist()}
    attempts = {number: truth["Campaign"].to_pylist().count(number) for number in campaigns["Campaign"].to_pylist()}
    assert attempts == dict(zip(campaigns["Campaign"].to_pylist(), campaigns["Attempts"].to_pylist(), strict=True))
    succeeded = set(log["Id"][log["Fraud"] & (log["Operation"] == "UserLoggedIn")])
    taken = {row["Id"] for row in truth.to_pylist() if row["Takeover"]}
    assert taken == succeeded
    assert len(taken) == made.takeovers > 0


def test_every_kind_of_campaign_occurs_and_is_as_it_is_called(made: Generated) -> None:
    campaigns = pq.read_table(made.folder / "truth" / "campaigns.parquet").to_pylist()
    assert len(campaigns) == DEFAULT.least_campaigns
    assert {each["Kind"] for each in campaigns} == {kind for kind, _ in DEFAULT.kinds}
    for each in campaigns:
        days = (each["End"] - each["Begin"]).total_seconds() / 86_400
        tries = each["Attempts"] / each["Addresses"]
        assert each["Passwords"] <= 10
        if each["Kind"] == "slow":
            assert days >= DEFAULT.days / 3 - 0.01
            assert tries <= 20
        if each["Kind"] == "loud":
            assert days <= 2
            assert tries >= 20


def test_mistakes_of_people_are_as_often_as_stated(tmp_path: Path) -> None:
    calm = replace(DEFAULT, reset_day=0.0, stale=0.0, service_logins=0.0, mistyped=0.03, fraud=0.01)
    generate(tmp_path / "log", rows=ROWS, seed=1, parameters=calm)
    table = pq.read_table(tmp_path / "log" / "events.parquet")
    frauds = pq.read_table(tmp_path / "log" / "truth" / "truth.parquet")["Id"].to_pylist()
    errors = table["LogonError"].to_numpy(zero_copy_only=False)[
        ~np.isin(table["Id"].to_numpy(zero_copy_only=False).astype(str), frauds)
    ]
    for error, expected in (
        ("IdsLocked", calm.locked),
        ("UserAccountNotFound", calm.no_such_user),
        ("InvalidPasswordExpiredPassword", calm.expired),
        ("KmsiInterrupt", calm.interrupted / 2),
    ):
        assert near(float(np.mean(errors == error)), expected, len(errors)), error
    wrong = float(np.mean(errors == "InvalidUserNameOrPassword"))
    assert 0.8 * calm.mistyped < wrong < 1.2 * calm.mistyped  # people differ, and some sign in far more often


def test_services_and_user_agents_are_as_often_as_stated(log: dict[str, np.ndarray]) -> None:
    users, calm = log["UserId"][~log["Fraud"]], int((~log["Fraud"]).sum())
    assert near(float(np.mean([user.startswith("service") for user in users])), DEFAULT.service_logins, calm)
    assert near(float(np.mean([agent is None for agent in log["UserAgent"]])), DEFAULT.no_agent, ROWS)


def test_people_work_where_and_when_their_country_does(log: dict[str, np.ndarray]) -> None:
    people = ~log["Fraud"] & np.array([user.startswith("u") for user in log["UserId"]])
    german = people & (log["Country"] == "DE")
    hours = (log["CreationTime"][german].astype("datetime64[h]").astype(int) + COUNTRIES["DE"][1]) % 24
    assert german.sum() > 500
    assert np.mean((hours >= 7) & (hours < 19)) > 0.75


def test_some_addresses_are_shared_by_many_and_have_many_mistakes(
    made: Generated, log: dict[str, np.ndarray], tmp_path: Path
) -> None:
    """A detector that took every address with many failing people for bad would be wrong."""
    table = pq.read_table(features(made.folder, tmp_path, levels=["ip"]).files["ip"]).to_pylist()
    bad = set(log["ClientIP"][log["Fraud"]])
    good = [row for row in table if row["Key"] not in bad]
    assert max(row["IPBadUsers"] for row in good) >= 8
    assert max(row["IPGoodOrgs"] for row in good) >= 5
    assert [row for row in good if row["IPBadLogins"] >= 20 and row["IPBadUsers"] == 1], "a service with an expired password"
    assert [row for row in good if row["UserAgentFlag"]], "a mail program of the past"
    shared = [row for row in table if row["Key"] in bad and row["IPGoodLogins"] > row["IPBadLogins"]]
    assert shared, "homes and carriers that attackers use"
    assert [row for row in table if row["Key"] in bad and row["IPBadLogins"] <= 3], "low and slow"


def test_what_the_incident_team_knows_occurs_and_is_right(made: Generated, log: dict[str, np.ndarray]) -> None:
    known = {name: (made.folder / f"known-{name}.txt").read_text(encoding="utf-8").split() for name in ("bad", "good")}
    fraud = set(log["ClientIP"][log["Fraud"]])
    assert set(known["bad"]) <= fraud
    assert 3 <= len(known["bad"]) < len(fraud) / 3
    assert set(known["good"]) <= set(log["ClientIP"])
    assert not set(known["good"]) & set(known["bad"])


def test_the_parameters_are_told(made: Generated) -> None:
    record = json.loads((made.folder / "truth" / "parameters.json").read_text(encoding="utf-8"))
    assert (record["rows"], record["seed"], record["fraud"]) == (ROWS, 7, DEFAULT.fraud)


def test_random_numbers_by_place_are_even_and_differ_by_purpose() -> None:
    counts = np.arange(100_000)
    shares = Chance(1, "a").share("x", counts)
    assert abs(shares.mean() - 0.5) < 0.005
    assert abs(np.corrcoef(shares[:-1], shares[1:])[0, 1]) < 0.02
    assert abs(np.corrcoef(shares, Chance(1, "a").share("y", counts))[0, 1]) < 0.02
    assert len(np.unique(Chance(1, "a").bits("x", counts))) == len(counts)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"rows": 10}, "at least 1,000"), ({"rows": 2000, "days": 1}, "2 to 366"), ({"rows": 2000, "seed": -1}, "0 or more")],
)
def test_a_log_that_makes_no_sense_is_refused(given: dict[str, int], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        generate(tmp_path / "log", **given)
    assert not (tmp_path / "log").exists()
