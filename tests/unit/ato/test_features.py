"""Features of addresses, subnets and countries, and of logins from what was before them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.events import EVENTS, FEATURES, LEVELS
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.files import ROWS, regrouped
from sfumato.applications.ato.generating.making import generate
from sfumato.errors import DataError, OutputError, UsageError
from tests.unit.ato.logs import AGENTS, plain_features, plain_logins, random_log, table_of

SEEDS = range(3)


@pytest.mark.parametrize(
    "address", ["192.0.2.1:80", "1.2.3.4.5", "2001:DB8::1", "fe80::1%eth0", "::ffff:192.0.2.1", "[::1]", "host"]
)
def test_an_address_that_is_not_in_canonical_text_is_refused_without_it(address: str, tmp_path: Path) -> None:
    log = random_log(1, 10)
    with pytest.raises(DataError, match="column 'ClientIP': 1 row with a value that is not as") as refused:
        features(table_of([*log, {**log[0], "Id": "other", "ClientIP": address}]), tmp_path / "out")
    assert address not in str(refused.value)


@pytest.mark.parametrize("seed", SEEDS)
def test_features_are_those_of_a_plain_reading(seed: int, tmp_path: Path) -> None:
    log = random_log(seed, 80)
    made = features(table_of(log), tmp_path / "out")
    assert set(made.files) == set(LEVELS)
    for level, path in made.files.items():
        table = pq.read_table(path)
        assert table.schema.equals(FEATURES)
        assert table.to_pylist() == plain_features(log, level)
        assert made.rows[level] == table.num_rows


def test_features_are_those_of_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame(random_log(9, 300))
    right = frame["LogonError"].isin(["InvalidPasswordExpiredPassword", "KmsiInterrupt"])
    frame["Bad"] = (frame["Operation"] == "UserLoginFailed") & ~right
    by_address = frame.groupby("ClientIP")
    made = pq.read_table(features(table_of(random_log(9, 300)), tmp_path, levels=["ip"]).files["ip"]).to_pandas().set_index("Key")
    assert made["IPBadLogins"].to_dict() == by_address["Bad"].sum().to_dict()
    assert made["IPGoodLogins"].to_dict() == (by_address.size() - by_address["Bad"].sum()).to_dict()
    users = frame[frame["Bad"]].groupby("ClientIP")["UserId"].nunique()
    assert made["IPBadUsers"].to_dict() == users.reindex(made.index, fill_value=0).to_dict()


@pytest.mark.parametrize("seed", SEEDS)
def test_online_features_of_a_login_count_what_was_before_it(seed: int, tmp_path: Path) -> None:
    log = random_log(seed, 60)
    made = features(table_of(log), tmp_path, online=True)
    for level, path in made.files.items():
        assert path.name == f"logins-{level}.parquet"
        assert pq.read_table(path).to_pylist() == plain_logins(log, level)


def test_changing_the_future_changes_no_online_feature_of_the_past(tmp_path: Path) -> None:
    log = random_log(5, 60)
    now = sorted(each["CreationTime"] for each in log)[30]
    future = [
        {**each, "Operation": "UserLoginFailed", "LogonError": None, "UserId": "other", "UserAgent": AGENTS[1]}
        if each["CreationTime"] >= now
        else each
        for each in log
    ]
    past = {each["Id"] for each in log if each["CreationTime"] <= now}
    assert len(past) > 20
    for level in LEVELS:
        made = [
            features(table_of(each), tmp_path / f"{level}{place}", levels=[level], online=True)
            for place, each in enumerate((log, future))
        ]
        before, after = (
            [{**row, "UserAgentFlag": None} for row in pq.read_table(each.files[level]).to_pylist() if row["Id"] in past]
            for each in made
        )
        assert before == after
        assert pq.read_table(made[0].files[level]) != pq.read_table(made[1].files[level])


def test_the_features_of_keys_do_look_ahead_so_the_test_above_can_fail(tmp_path: Path) -> None:
    log = random_log(5, 60)
    changed = [*log[:-1], {**log[-1], "UserId": "other", "OrganizationId": "other"}]
    one, other = (features(table_of(each), tmp_path / str(place), levels=["ip"]) for place, each in enumerate((log, changed)))
    assert pq.read_table(one.files["ip"]) != pq.read_table(other.files["ip"])


def test_rows_are_grouped_alike_whatever_pieces_they_come_in() -> None:
    schema = pa.schema([("a", pa.int32())])
    whole = pa.table({"a": pa.array(range(2 * ROWS + 5), pa.int64())})
    for size in (1000, ROWS, 3 * ROWS):
        groups = list(regrouped(schema, whole.to_batches(size)))
        assert [group.num_rows for group in groups] == [ROWS, ROWS, 5]
        assert pa.concat_tables(groups)["a"].to_pylist() == list(range(2 * ROWS + 5))
        assert all(group.schema == schema for group in groups)


def test_a_table_without_the_columns_of_events_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no column 'ClientIP', 'Country'"):
        features(table_of(random_log(1, 5)).drop(["ClientIP", "Country"]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_times_as_text_are_refused(tmp_path: Path) -> None:
    table = table_of(random_log(1, 5))
    texts = table.set_column(1, "CreationTime", table["CreationTime"].cast(pa.string()))
    with pytest.raises(DataError, match=r"column 'CreationTime': is of type text, not timestamp"):
        features(texts, tmp_path / "out")


def test_an_empty_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no event in it"):
        features(EVENTS.empty_table(), tmp_path / "out")


def test_the_truth_is_refused(tmp_path: Path) -> None:
    table = table_of(random_log(1, 5))
    with pytest.raises(DataError, match="holds the truth"):
        features(table.append_column("Takeover", pa.array([False] * 5)), tmp_path / "out")


def test_the_truth_is_refused_whatever_leads_to_it(tmp_path: Path) -> None:
    generate(tmp_path / "logs", rows=2000, seed=1)
    truth = tmp_path / "logs" / "truth"
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "events.parquet").symlink_to(truth / "truth.parquet")
    (tmp_path / "link.parquet").symlink_to(truth / "campaigns.parquet")
    (tmp_path / "hard.parquet").hardlink_to(truth / "truth.parquet")
    ways = ["folder", "link.parquet", "hard.parquet", "logs/truth", "logs/truth/../truth/truth.parquet", "logs/**/*.parquet"]
    for way in ways:
        with pytest.raises(DataError, match=r"holds the truth|do not have the same columns"):
            features(str(tmp_path / way), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("online", [False, True])
def test_the_truth_under_other_names_changes_no_byte(online: bool, tmp_path: Path) -> None:
    log = random_log(3, 40)
    table = table_of([*log, *log[:5]])  # doubled ones are looked for, too
    known = pa.array([number % 2 for number in range(45)])
    features(table, tmp_path / "plain", online=online)
    expected = [path.read_bytes() for path in sorted((tmp_path / "plain").iterdir())]
    for name in ("Fraud", "campaign", "TAKEOVER", "Bad", "Good", "Outcome", "Subnet", "UserAgentFlag", "Turn", "Key"):
        features(table.append_column(name, known), tmp_path / name, online=online)
        assert [path.read_bytes() for path in sorted((tmp_path / name).iterdir())] == expected, name


def test_a_doubled_event_that_comes_later_changes_no_online_feature_of_the_past(tmp_path: Path) -> None:
    log = random_log(6, 40)
    last = max(each["CreationTime"] for each in log)
    late = [{**each, "CreationTime": last + timedelta(days=1), "UserId": "other", "LogonError": None} for each in log[:20]]
    one, other = (features(table_of(each), tmp_path / str(place), online=True) for place, each in enumerate((log, [*log, *late])))
    assert other.doubled == 20
    for level in LEVELS:
        assert one.files[level].read_bytes() == other.files[level].read_bytes()


@pytest.mark.parametrize(
    ("column", "value"),
    [("ClientIP", "[2001:db8::1]:443"), ("ClientIP", "nowhere"), ("Operation", "FileAccessed"), ("UserId", None)],
)
def test_a_row_that_is_not_as_events_are_is_refused_without_telling_its_value(
    column: str, value: str | None, tmp_path: Path
) -> None:
    log = random_log(1, 5)
    wrong = pa.Table.from_pylist(
        [*log[:-1], {**log[-1], column: value}], schema=pa.schema([f.with_nullable(True) for f in EVENTS])
    )
    with pytest.raises(DataError, match=f"column '{column}': 1 row with a") as refused:
        features(wrong, tmp_path / "out")
    assert str(value) not in str(refused.value)


def test_an_unknown_level_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no level 'city'.*have: ip, subnet, country"):
        features(table_of(random_log(1, 5)), tmp_path, levels=["city"])


def test_what_exists_is_replaced_only_if_asked_for(tmp_path: Path) -> None:
    log = table_of(random_log(1, 5))
    features(log, tmp_path, levels=["ip"])
    with pytest.raises(OutputError, match="exists already"):
        features(log, tmp_path, levels=["ip"])
    features(log, tmp_path, levels=["ip"], force=True)


@pytest.mark.parametrize("online", [False, True])
def test_doubled_events_count_once(online: bool, tmp_path: Path) -> None:
    log = random_log(4, 40)
    one, other = (
        features(table_of(each), tmp_path / str(place), online=online)
        for place, each in enumerate((log, [*log, *log[:7], log[3]]))
    )
    assert (one.doubled, other.doubled) == (0, 8)
    for level in LEVELS:
        assert one.files[level].read_bytes() == other.files[level].read_bytes()
