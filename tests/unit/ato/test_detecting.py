"""Detection: every login is scored, alerts keep to their budget, and addresses that act together are one campaign."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.detecting import campaigns, detect
from sfumato.applications.ato.detecting.budget import Logins, alerts_of, by_campaign, by_day, by_login
from sfumato.applications.ato.detecting.campaigns import Tries, campaigns_of
from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.forest import Model
from sfumato.applications.ato.forest.file import write_model
from sfumato.applications.ato.reputation import reputation
from sfumato.applications.ato.tables import read_all_features, read_features
from sfumato.applications.ato.training import trained
from sfumato.applications.ato.training.drawing import drawn, fraudulent_addresses
from sfumato.errors import BadInput, DataError, UsageError
from tests.conftest import Ended
from tests.unit.ato.making import some_events

BAD = ["203.0.113.1", "203.0.113.2", "203.3.3.3"]
GOOD = [f"240.0.{place}.{place % 3}" for place in range(40)]


@pytest.fixture(scope="module")
def log() -> tuple[pa.Table, pa.Table]:
    return some_events()


@pytest.fixture(scope="module")
def known(log: tuple[pa.Table, pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("features")
    features(log[0], folder)
    return folder


@pytest.fixture(scope="module")
def models(log: tuple[pa.Table, pa.Table], known: Path) -> dict[str, Model]:
    found = reputation(read_features(known, "ip"), BAD, GOOD)
    reputed = pa.table({"Key": found.keys, "Reputation": np.where(found.bad, "Bad", "Good")})
    logins = drawn(log[0], reputed, read_all_features(known), (2000, 500), 1)
    return {level: variant.model for level, variant in trained(logins, grid="none").variants.items()}


def scores_of(folder: Path) -> dict[str, float]:
    table = pq.read_table(folder / "scores.parquet")
    return dict(zip(table.column("Id").to_pylist(), table.column("Score").to_pylist(), strict=True))


def test_drawn_logins_have_the_features_of_their_keys_and_their_own_flag(log: tuple[pa.Table, pa.Table], known: Path) -> None:
    tables = read_all_features(known)
    reputed = pa.table({"Key": tables["ip"].column("Key"), "Reputation": _first_bad(tables["ip"])})
    logins = drawn(log[0], reputed, tables, (300, 100), 7, truth=log[1])
    assert (len(logins.fraudulent), int(logins.fraudulent.sum())) == (400, 100)
    assert logins.truth is not None
    assert np.array_equal(logins.truth, logins.fraudulent), "in this log the reputation is the truth"
    for level, table in tables.items():
        keys = np.array(table.column("Key").to_pylist())[logins.keys[level]]
        assert len(set(keys)) > 1
        expected = np.column_stack([table.column(name).to_numpy()[logins.keys[level]] for name in table.column_names[1:7]])
        assert np.array_equal(logins.rows[level][:, :6], expected)
    assert 0 < logins.rows["ip"][logins.fraudulent, 6].mean() < 1, "the flag of a login, not of its address"
    assert np.array_equal(logins.rows["ip"][:, 6], logins.rows["country"][:, 6])


def _first_bad(table: pa.Table) -> list[str]:
    return ["Bad" if key.startswith("203") else "Good" for key in table.column("Key").to_pylist()]


def test_the_order_of_the_rows_does_not_change_what_is_drawn(log: tuple[pa.Table, pa.Table], known: Path) -> None:
    tables = read_all_features(known)
    reputed = pa.table({"Key": tables["ip"].column("Key"), "Reputation": _first_bad(tables["ip"])})
    turned = log[0].take(np.arange(len(log[0]))[::-1])
    first, second, other = (
        drawn(each, reputed, tables, (300, 100), seed) for each, seed in ((log[0], 7), (turned, 7), (log[0], 8))
    )
    assert np.array_equal(first.rows["ip"], second.rows["ip"])
    assert not np.array_equal(first.rows["ip"], other.rows["ip"])


def test_features_of_other_logs_are_refused(log: tuple[pa.Table, pa.Table], known: Path) -> None:
    tables = read_all_features(known)
    reputed = pa.table({"Key": tables["ip"].column("Key"), "Reputation": _first_bad(tables["ip"])})
    with pytest.raises(DataError, match="know nothing of 300 logins"):
        drawn(log[0], reputed, tables | {"country": tables["country"].filter(pa.array([False, True]))}, (300, 100), 7)


def test_the_addresses_of_fraudulent_logins_are_found_for_scores(log: tuple[pa.Table, pa.Table]) -> None:
    assert sorted(fraudulent_addresses(*log)) == sorted(
        ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.1.1.1", "203.2.2.2", "203.3.3.3", "203.4.4.4"]
    )


@pytest.mark.parametrize("level", LEVELS)
def test_every_login_has_the_score_of_its_features(
    level: str, log: tuple[pa.Table, pa.Table], known: Path, models: dict[str, Model], tmp_path: Path
) -> None:
    """Scored one by one, without the short cut for logins that have the same features."""
    found = detect(log[0], models[level], tmp_path / "out")
    given = detect(log[0], models[level], tmp_path / "given", features=read_features(known, level))
    table, keyed = read_features(known, level).to_pandas().set_index("Key"), log[0].to_pandas()
    key = {"ip": "ClientIP", "country": "Country"}.get(level)
    keys = keyed[key] if key else keyed["ClientIP"].str.rpartition(".")[0] + ".0/24"
    rows = table.loc[keys].to_numpy(float)
    rows[:, 6] = keyed["UserAgent"] == "CBAInPROD"
    expected = dict(zip(keyed["Id"], models[level].forest.scores(rows), strict=True))
    assert scores_of(tmp_path / "out") == expected
    assert scores_of(tmp_path / "given") == expected
    assert found.as_dict() == given.as_dict()
    assert (found.logins, found.days, found.unseen) == (len(log[0]), 6, 0)


def test_two_campaigns_are_found_apart_and_scored_by_the_truth(
    log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path
) -> None:
    found = detect(log[0], models["ip"], tmp_path / "out", truth=log[1], budget=10)
    alerts = pq.read_table(tmp_path / "out" / "alerts.parquet").to_pylist()
    groups = {campaign: {row["Key"] for row in alerts if row["Campaign"] == campaign} for campaign in (1, 2)}
    assert groups[1] == {"203.0.113.1", "203.0.113.2", "203.0.113.3", "203.1.1.1", "203.2.2.2"}
    assert groups[2] == {"203.3.3.3", "203.4.4.4"}
    assert (found.campaigns, found.keys) == (2, 7)
    by_unit = {each.unit: each for each in found.alerts}
    assert by_unit["a campaign"].alerts == 2
    assert (by_unit["a campaign"].precision, by_unit["a campaign"].recall, by_unit["a campaign"].campaigns) == (1, 1, 1)
    assert by_unit["a day of one address"].recall == 1
    assert sum(row["RightPasswords"] for row in alerts) == sum(log[1].column("Takeover").to_pylist())
    blind = detect(log[0], models["ip"], tmp_path / "blind", budget=10)
    assert (tmp_path / "blind" / "scores.parquet").read_bytes() == (tmp_path / "out" / "scores.parquet").read_bytes()
    assert all(each.precision is None for each in blind.alerts)


def test_a_detector_that_takes_ordinary_logins_for_attacks_is_doubted_in_one_line(
    log: tuple[pa.Table, pa.Table], known: Path, models: dict[str, Model], tmp_path: Path, sfumato: Callable[..., Ended]
) -> None:
    """Trained on a reputation in which the homes are bad."""
    tables = read_all_features(known)
    turned = ["Good" if each == "Bad" else "Bad" for each in _first_bad(tables["ip"])]
    logins = drawn(log[0], pa.table({"Key": tables["ip"].column("Key"), "Reputation": turned}), tables, (200, 2000), 1)
    write_model(trained(logins, grid="none").variants["ip"].model, tmp_path / "wrong.parquet")
    write_model(models["ip"], tmp_path / "right.parquet")
    pq.write_table(log[0], tmp_path / "log.parquet")
    ended = {
        name: sfumato("ato", "detect", tmp_path / "log.parquet", "--model", tmp_path / f"{name}.parquet", "-o", tmp_path / name)
        for name in ("right", "wrong")
    }
    words = "of all logins are suspicious, and"
    assert [words in each.out + each.err for each in ended.values()] == [False, True]
    found = detect(log[0], tmp_path / "wrong.parquet", tmp_path / "again")
    honest = len(log[0]) - len(log[1])
    assert (found.suspicious, found.right) == (honest, _right(log) - sum(log[1].column("Takeover").to_pylist()))
    assert found.doubt is not None
    assert found.doubt.startswith("92 % of all logins are suspicious, and 94 % of these had the right password")


def _right(log: tuple[pa.Table, pa.Table]) -> int:
    return log[0].column("Operation").to_pylist().count("UserLoggedIn")


def test_reasons_speak_of_counts_and_name_nobody(
    log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path
) -> None:
    found = detect(log[0], models["ip"], tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / "scores.parquet").to_pylist()
    suspicious = [row for row in table if row["Score"] > 0.5]
    assert suspicious
    assert all("from the address" in row["Reason"] or "agent" in row["Reason"] for row in suspicious)
    assert all(row["Reason"] is None for row in table if row["Score"] <= 0.5)
    texts = str(found.as_dict()) + str(found)
    assert not any(name in texts for name in ("203.", "240.", "u7", "CBAInPROD"))


def test_a_model_is_also_read_from_its_file(log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path) -> None:
    write_model(models["ip"], tmp_path / "model.parquet")
    detect(log[0], models["ip"], tmp_path / "one")
    detect(log[0], tmp_path / "model.parquet", tmp_path / "two")
    assert scores_of(tmp_path / "one") == scores_of(tmp_path / "two")


@pytest.mark.parametrize(("model", "message"), [("nowhere.parquet", "no such file"), (5, "the file of one; not of type int")])
def test_what_is_no_model_is_refused_in_one_line(model: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        detect(tmp_path / "logs", model, tmp_path / "out")
    assert "\n" not in str(refused.value)


def test_a_reason_says_whether_a_count_is_small_and_an_alert_has_the_reason_of_its_score(
    log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path
) -> None:
    detect(log[0], models["ip"], tmp_path / "out")
    keys = dict(zip(log[0].column("Id").to_pylist(), log[0].column("ClientIP").to_pylist(), strict=True))
    scores = pq.read_table(tmp_path / "out" / "scores.parquet").to_pylist()
    for alert in pq.read_table(tmp_path / "out" / "alerts.parquet").to_pylist():
        own = [row for row in scores if keys[row["Id"]] == alert["Key"] and row["Score"] > 0.5]
        assert alert["Score"] == max(row["Score"] for row in own)
        assert alert["Reason"] in {row["Reason"] for row in own if row["Score"] == alert["Score"]}
        assert not alert["Reason"].startswith(("0 ", "1 users"))


def test_drawn_logins_know_only_what_was_before_them_when_online(
    log: tuple[pa.Table, pa.Table], known: Path, tmp_path: Path
) -> None:
    """The same rows as `features` with `online`, and none of the last day's logins changes those of the days before."""
    tables = read_all_features(known)
    reputed = pa.table({"Key": tables["ip"].column("Key"), "Reputation": _first_bad(tables["ip"])})
    logins = drawn(log[0], reputed, tables, (2000, 500), 1, online=True)
    assert logins.online
    made = features(log[0], tmp_path / "online", online=True)
    for level, path in made.files.items():
        before = {tuple(row.values())[2:] for row in pq.read_table(path).to_pylist()}
        assert {tuple(row) for row in logins.rows[level]} <= before
        assert not (logins.rows[level] == drawn(log[0], reputed, tables, (2000, 500), 1).rows[level]).all()


def test_a_model_trained_for_online_scores_finds_more_of_a_campaign_that_goes_on(
    log: tuple[pa.Table, pa.Table], known: Path, models: dict[str, Model], tmp_path: Path
) -> None:
    found = reputation(read_features(known, "ip"), BAD, GOOD)
    reputed = pa.table({"Key": found.keys, "Reputation": np.where(found.bad, "Bad", "Good")})
    logins = drawn(log[0], reputed, read_all_features(known), (2000, 500), 1, online=True)
    model = trained(logins, grid="none").variants["ip"].model
    assert model.online
    assert not models["ip"].online
    fitting, other = (
        detect(log[0], each, tmp_path / str(each.online), online=True, truth=log[1]) for each in (model, models["ip"])
    )
    assert fitting.alerts[0].precision == other.alerts[0].precision == 1
    assert fitting.alerts[0].recall > other.alerts[0].recall


@pytest.mark.parametrize(
    ("budget", "days", "alerts"), [(0.29, 100, 29), (0.7, 10, 7), (0.1, 30, 3), (0.01, 30, 0), (1e300, 3, 500)]
)
def test_a_budget_that_is_no_whole_number_is_met_to_the_alert(budget: float, days: int, alerts: int) -> None:
    spread = np.arange(500) * days // 500
    logins = Logins(np.full(500, 0.9), np.arange(500), spread.astype(np.int32), np.zeros(500, bool))
    assert logins.day_count() == days
    assert alerts_of("a login", logins, by_login(logins), budget).alerts == alerts


def test_a_clock_that_is_decades_off_buys_no_alerts() -> None:
    days = np.repeat(np.arange(20_000, 20_005), 100).astype(np.int32)
    logins = Logins(np.full(500, 0.9), np.arange(500), days, np.zeros(500, bool))
    days[[0, -1]] = -25_000, 90_000
    found = alerts_of("a login", logins, by_login(logins), 10)
    assert (logins.day_count(), found.alerts, found.per_day) == (7, 70, 10)
    assert alerts_of("a day", logins, by_day(logins), 1000).alerts == 500


def test_online_scores_do_not_know_the_future(log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path) -> None:
    """What happens from the fourth day on changes no score before it, and without `online` it does."""
    events = log[0]
    early = events.filter(pa.compute.less(events.column("CreationTime"), pa.scalar(_day(3), pa.timestamp("us"))))
    for online in (True, False):
        detect(events, models["ip"], tmp_path / f"all{online}", online=online)
        detect(early, models["ip"], tmp_path / f"early{online}", online=online)
        whole, part = scores_of(tmp_path / f"all{online}"), scores_of(tmp_path / f"early{online}")
        assert (all(whole[name] == score for name, score in part.items())) is online


def _day(number: int) -> Any:
    from datetime import datetime, timedelta

    return datetime(2026, 3, 2) + timedelta(days=number)


def test_logins_from_unseen_keys_are_scored_as_new_and_counted(
    log: tuple[pa.Table, pa.Table], known: Path, models: dict[str, Model], tmp_path: Path
) -> None:
    table = read_features(known, "ip")
    kept = table.filter(pa.compute.invert(pa.compute.starts_with(table.column("Key"), "240.0.1.")))
    found = detect(log[0], models["ip"], tmp_path / "out", features=kept)
    assert found.unseen == 3 * 6 * 3
    assert found.logins == len(log[0])


def test_an_unseen_agent_and_an_unseen_country_are_no_error(
    log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path
) -> None:
    events = log[0].to_pylist()
    events[0] |= {"UserAgent": "Never seen/1.0", "Country": "AQ"}
    events[1] |= {"UserAgent": None, "Country": None}
    strange = pa.Table.from_pylist(events, schema=log[0].schema)
    assert detect(strange, models["country"], tmp_path / "out").logins == len(events)


def test_alerts_by_hand() -> None:
    """Six logins of three keys on two days; keys 0 and 1 act together, and key 2 is a mistake."""
    logins = Logins(
        scores=np.array([0.9, 0.9, 0.8, 0.8, 0.6, 0.1]),
        keys=np.array([0, 0, 1, 1, 2, 2]),
        days=np.array([5, 6, 5, 5, 5, 6], np.int32),
        good=np.zeros(6, bool),
        fraudulent=np.array([True, True, True, False, False, True]),
        takeover=np.array([False, True, False, False, False, True]),
        campaign=np.array([0, 0, 1, -1, -1, 2]),
    )
    single = alerts_of("login", logins, by_login(logins), 1)
    assert (single.threshold, single.alerts, single.per_day) == (0.9, 2, 1)
    assert (single.precision, single.recall, single.takeovers, single.campaigns) == (1, 0.5, 0.5, pytest.approx(1 / 3))
    daily = alerts_of("day", logins, by_day(logins), 1.5)
    assert (daily.threshold, daily.alerts, daily.left, daily.recall) == (0.8, 3, 1, 0.75)
    grouped = alerts_of("campaign", logins, by_campaign(logins, np.array([0, 0, 1])), 1)
    assert (grouped.threshold, grouped.alerts, grouped.precision, grouped.recall) == (0.6, 2, 0.5, 0.75)


def test_keys_that_try_the_same_organizations_in_the_same_weeks_are_one_campaign() -> None:
    """Two groups of four keys, each after three organizations of its own; one organization is tried by a key of both. Key 8 is alone."""
    keys = [key for key in range(8) for _ in range(3)] + [0, 8]
    tried = [3 * (key // 4) + each for key in range(8) for each in range(3)] + [5, 9]
    found = campaigns_of(Tries(9, np.array(keys), np.array(tried)))
    assert found.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_keys_without_any_link_are_each_alone() -> None:
    assert campaigns_of(Tries(3, np.array([0, 1, 2]), np.array([0, 1, 2]))).tolist() == [0, 1, 2]
    assert campaigns_of(Tries(2, np.array([], np.int64), np.array([], np.int64))).tolist() == [0, 1]


def test_the_compiled_moves_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    pairs = np.unique(np.stack([rng.integers(0, 60, 300), rng.integers(0, 25, 300)], axis=1), axis=0)
    tries = Tries(60, pairs[:, 0], pairs[:, 1])
    expected = campaigns_of(tries)
    compiled, campaigns._moved = campaigns._moved, campaigns._moved.py_func
    try:
        assert np.array_equal(campaigns_of(tries), expected)
    finally:
        campaigns._moved = compiled
    assert 1 < expected.max() < 59


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"budget": 0}, "alerts a day above 0"), ({"online": True, "features": pa.table({})}, "before each")],
)
def test_arguments_that_make_no_sense_are_refused(
    arguments: dict[str, Any], message: str, log: tuple[pa.Table, pa.Table], models: dict[str, Model], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        detect(log[0], models["ip"], tmp_path / "out", **arguments)
