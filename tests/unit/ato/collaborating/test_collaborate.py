"""Detection together: the case by hand, the counts against plain Python, what the others learn, expiry and the allow list."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.applications.ato.collaborating.allowing import allowed_in, read_allowed
from sfumato.applications.ato.collaborating.counting import FAILING, SUCCEEDING, Calendar, Logins, Owners, Visits
from sfumato.applications.ato.collaborating.learning import Setting, bad_keys, fewest, learned
from sfumato.applications.ato.collaborating.others import attacked
from sfumato.applications.ato.collaborating.reading import read_owners
from sfumato.applications.ato.collaborating.results import Collaborated
from sfumato.applications.ato.collaborating.scoring import Later, Score, proportion_by_key, tried_in
from sfumato.applications.ato.events import EVENTS, TRUTH
from sfumato.errors import BadInput
from tests.unit.ato.collaborating.spraying import BEGIN, OWNERS, SPRAYER, laid
from tests.unit.ato.logs import is_bad, key_of, random_log, table_of

Run = Callable[..., Collaborated]
NOTHING = pa.Table.from_pylist([], schema=TRUTH)


@pytest.fixture
def spray(tmp_path: Path) -> Run:
    """The case of one campaign, worked on by its four owners, with a window of one period."""
    log = laid(tmp_path / "log")

    def run(**settings: Any) -> Collaborated:
        given = {"owners": OWNERS, "days": 7} | settings
        return sf.ato.collaborate(log, tmp_path / "out", force=True, **given)

    return run


def test_a_campaign_below_everybodys_threshold_is_found_together_and_by_nobody_alone(spray: Run) -> None:
    """By hand. At the office 8 of 200 sign-ins fail, so at most (8 + 1) / (200 + 2) = 4.46 % of honest ones do. That two people come to
    an address and none gets in has the probability 0.0446² = 0.00199. An owner alone has 32 addresses, and bounds the least probable one by
    0.05 / 32 = 0.00156: nothing stands out. Together it is eight people, 0.0446⁸ = 1.6e-11, of 125 addresses: 0.05 / 125 = 0.0004."""
    rate = 9 / 202
    assert rate**2 > 0.05 / 32
    assert rate**8 < 0.05 / 125
    found = spray(threshold=1)
    alone, raw = found.together["alone"], found.together["raw"]
    assert (alone.alerts, alone.caught, alone.fraud) == (0, 0, 8)
    assert (raw.alerts, raw.right, raw.caught, raw.bothered) == (4, 4, 8, 0)
    assert [len(owner.scores["raw"].campaigns) for owner in found.owners] == [1] * 4
    assert found.fewest["alone"] == [(None, None, None)] * 4


@pytest.mark.parametrize(("threshold", "caught"), [(2, 8), (3, 0), (5, 0)])
def test_a_threshold_above_the_people_tried_at_each_owner_hides_the_campaign(spray: Run, threshold: int, caught: int) -> None:
    assert spray(threshold=threshold).together["protected"].caught == caught


def test_noise_hides_the_campaign_too(spray: Run) -> None:
    found = spray(private=1.0, seed=1)
    assert found.private is not None
    assert found.private["whole_epsilon"] == 2.0
    assert found.private["whole_delta"] <= 1e-5
    assert found.together["protected"].caught == 0


def test_owners_who_add_alike_are_paid_alike_and_nobody_is_paid_for_nothing(spray: Run) -> None:
    """Alone F1 is 0, all together find everything, and who adds what does not depend on who they are."""
    found = spray(threshold=1)
    assert found.shapley.total == pytest.approx(1.0)
    assert [owner.payment for owner in found.owners] == pytest.approx([25.0] * 4)
    assert [owner.value for owner in found.owners] == pytest.approx([0.25] * 4)
    assert spray(threshold=5).shapley.payments(100) == (0.0,) * 4


def test_a_forest_that_is_trained_on_the_labels_finds_what_the_test_finds(spray: Run) -> None:
    found = spray(threshold=1, detector="forest")
    assert found.fewest["alone"] == [(None, None, None)] * 4
    assert (found.together["raw"].alerts, found.together["raw"].right, found.together["raw"].caught) == (4, 4, 8)


def test_an_allowed_address_is_never_bad(spray: Run, tmp_path: Path) -> None:
    (tmp_path / "allow.txt").write_text("203.0.113.0/24  # a carrier\n", encoding="utf-8")
    found = spray(threshold=1, allow=tmp_path / "allow.txt")
    assert (found.allowed, found.together["raw"].alerts) == (1, 0)


def test_what_is_older_than_the_window_has_expired() -> None:
    view = np.zeros((4, 3, 2), np.int64)
    view[0, 0, FAILING] = view[2, 1, FAILING] = 9
    view[:, 2, SUCCEEDING] = 50
    setting = Setting(Calendar(BEGIN.date(), 7, 4), 2, np.array([False, False, True]), np.zeros(3, bool))
    mistakes = learned(view, 0.05, Setting(setting.calendar, 4, setting.good, setting.allowed))
    assert mistakes is not None
    bad = [bad_keys(view, mistakes, setting, period, np.arange(3)).tolist() for period in range(4)]
    assert bad == [[True, False, False], [True, False, False], [False, True, False], [False, True, False]]


def test_the_same_seed_gives_the_same_result(spray: Run, tmp_path: Path) -> None:
    first = spray(private=3.0, seed=4, threshold=2).as_dict()
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.parquet")}
    assert spray(private=3.0, seed=4, threshold=2).as_dict() == first
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.parquet")} == files


def test_the_most_failing_people_that_mistakes_explain_are_one_fewer_than_the_detector_says() -> None:
    view = np.zeros((1, 40, 2), np.int64)
    view[0, :39, SUCCEEDING], view[0, 39, FAILING] = 5, 9
    mistakes = learned(view, 0.05, Setting(Calendar(BEGIN.date(), 7, 1), 1, np.ones(40, bool), np.zeros(40, bool)))
    assert mistakes is not None
    for succeeding, failing in zip((0, 1, 10), fewest(mistakes), strict=True):
        assert failing is not None
        people = np.array([[failing - 1, succeeding], [failing, succeeding]])
        probe = np.stack([people])
        setting = Setting(Calendar(BEGIN.date(), 7, 1), 1, np.zeros(2, bool), np.zeros(2, bool))
        assert bad_keys(probe, mistakes, setting, 0, np.arange(2)).tolist() == [False, True]


# Counts against plain Python.


def spread_log(seed: int, rows: int, days: int) -> list[dict[str, Any]]:
    """Events over some days, the first and the last of which every organization has."""
    chance, log = random.Random(seed), random_log(seed, rows)
    for event in log:
        event["CreationTime"] += timedelta(days=chance.randrange(days))
    ends = [{**log[0], "Id": f"x{org}-{day}", "OrganizationId": f"o{org}", "CreationTime": BEGIN + timedelta(days=day)}
            for org in range(3) for day in (0, days - 1)]  # fmt: skip
    return log + ends


def read(log: list[dict[str, Any]], truth: pa.Table, **settings: Any) -> Owners:
    given: dict[str, Any] = {"level": "ip", "period": 3, "options": {}, "watch": lambda step, engine: None} | settings
    return read_owners([table_of(log)], [truth], 3, **given)


@pytest.mark.parametrize("level", ["ip", "subnet"])
@pytest.mark.parametrize("seed", [1, 2])
def test_people_are_counted_as_plain_python_counts_them(seed: int, level: str) -> None:
    log = spread_log(seed, 120, 8)
    found = read(log, NOTHING, level=level)
    people: dict[Any, bool] = defaultdict(bool)
    for event in log:
        period = (event["CreationTime"].date() - BEGIN.date()).days // 3
        people[event["OrganizationId"], period, key_of(event, level), event["UserId"]] |= not is_bad(event)
    expected: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for (org, period, key, _), inside in people.items():
        expected[org, period, key][SUCCEEDING if inside else FAILING] += 1
    raw, keys = found.raw(), found.keys.to_pylist()
    assert keys == sorted(keys)
    counted = [
        sorted(
            (period, keys[key], *raw[owner, period, key]) for period, key in zip(*np.nonzero(raw[owner].any(axis=2)), strict=True)
        )
        for owner in range(3)
    ]
    plain = [sorted((p, key, *counts) for (o, p, key), counts in expected.items() if o == org) for org in ("o0", "o1", "o2")]
    assert sorted(counted) == sorted(plain)


def test_sign_ins_are_counted_by_what_they_really_are() -> None:
    log = spread_log(3, 90, 8)
    truth = pa.Table.from_pylist(
        [{"Id": f"e{number}", "Campaign": 1 if number % 2 else None, "Takeover": False} for number in range(30)], schema=TRUTH
    )
    found = read(log, truth)
    counts: dict[int, int] = defaultdict(int)
    for logins in found.logins:
        for campaign, count in zip(logins.campaign.tolist(), logins.count.tolist(), strict=True):
            counts[campaign] += count
    assert counts == {1: 15, -1: 15, -2: len(log) - 30}
    right = sum(int(logins.right.sum()) for logins in found.logins)
    assert right == sum(not is_bad(event) for event in log)


# What an owner learns of others.


def counts(seed: int, owners: int) -> np.ndarray[Any, Any]:
    chance = np.random.default_rng(seed)
    return chance.poisson(0.6, (owners, 3, 20, 2)).astype(np.int64)


def test_of_two_owners_each_has_exactly_the_others_counts_unless_they_are_protected() -> None:
    raw = counts(1, 2)
    union = raw.sum(axis=0)
    assert (union - raw[0] == raw[1]).all()
    shared = np.where(raw.sum(axis=3, keepdims=True) >= 3, raw, 0)
    found = attacked(raw, shared)
    assert all(each.raw.rate == 1 for each in found.values())
    cells = raw.any(axis=3)
    kept = shared.any(axis=3)
    assert found["other-of-two"].protected.hits == kept.sum()
    assert found["other-of-two"].protected.tries == cells.sum()


def test_an_attack_by_hand() -> None:
    """Two owners, two periods, three addresses; in the first period they share the first, and one person of the second owner leaves it."""
    raw = np.zeros((2, 2, 3, 2), np.int64)
    raw[0, :, 0, SUCCEEDING] = 4
    raw[1, :, 0, SUCCEEDING] = [2, 1]
    raw[1, 1, 1, FAILING] = 1
    raw[0, 0, 2, SUCCEEDING] = 1
    found = attacked(raw, np.zeros_like(raw))
    customers = found["customers"]
    assert customers.raw.tries == 3 + 3, "(1, 1), (2, 1), (1, 3) of the first owner; (1, 1), (2, 1), (2, 2) of the second"
    assert customers.raw.hits == 6
    assert customers.protected.hits == 2, "who says no is right about what the other has not: (1, 3), (2, 2)"
    assert customers.raw.baseline == pytest.approx(4 / 6)
    newcomers = found["newcomers"]
    assert newcomers.raw.tries == 4, "addresses 1 and 2 for the first owner, 1 and 3 for the second"
    assert newcomers.protected.hits == 1, "the first owner's people at address 1 stay"


def test_scores_are_counted_by_hand() -> None:
    """Two owners, one later period, three addresses. Both are alerted about address 0 and 1; the second is attacked from 0 only, the first
    from 2 only, which nobody notices."""
    calendar = Calendar(BEGIN.date(), 7, 2)
    setting = Setting(calendar, 2, np.zeros(3, bool), np.zeros(3, bool))
    logs = []
    for rows in ([(0, -2, 5), (1, -2, 1), (2, 7, 4), (2, -2, 1)], [(0, 7, 3), (0, -2, 2), (1, -2, 6)]):
        key, campaign, count = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        logs.append(Logins(np.ones_like(key), key, campaign, count, np.zeros_like(key)))
    nobody = Visits(*(np.zeros(0, np.int64) for _ in range(3)), np.zeros(0, bool))
    owners = Owners("ip", pa.array(["a", "b", "c"]), calendar, (nobody, nobody), tuple(logs))
    later = [Later.of(owner, each, 1, tried_in(owners, setting)) for owner, each in enumerate(logs)]
    scores = [Score.of(each, each.key < 2) for each in later]
    both = Score.together(scores)
    assert [(each.alerts, each.right, each.elsewhere, each.fraud, each.caught, each.bothered) for each in (*scores, both)] == [
        (2, 0, 1, 4, 0, 6),
        (2, 1, 0, 3, 3, 8),
        (4, 1, 1, 7, 3, 14),
    ]
    assert (both.precision.value, both.recall.value) == (1 / 4, 3 / 7)
    assert both.f1 == pytest.approx(2 * (1 / 4) * (3 / 7) / (1 / 4 + 3 / 7))
    assert (scores[0].f1, both.campaigns, both.known) == (0.0, {(1, 7)}, {(0, 7), (1, 7)})


def test_who_knows_no_good_address_is_told(spray: Run, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("198.51.100.1\n198.51.100.2\n", encoding="utf-8")
    found = spray(threshold=1, good=tmp_path / "good.txt")
    assert any("by owner 3, 4, not even" in warning for warning in found.warnings())
    assert found.together["raw"].caught == 4


def test_shares_of_addresses_have_wider_intervals_than_shares_of_sign_ins() -> None:
    keys = np.repeat(np.arange(10), 100)
    alike = proportion_by_key(keys, np.repeat(np.arange(10) < 5, 100).astype(int), np.ones(1000, int))
    mixed = proportion_by_key(keys, np.tile(np.arange(100) < 50, 10).astype(int), np.ones(1000, int))
    assert alike.value == mixed.value == 0.5
    assert alike.high - alike.low > 0.4, "ten addresses, each all or nothing"
    assert proportion_by_key(keys, np.zeros(1000, int), np.zeros(1000, int)).value is None
    assert proportion_by_key(keys, np.ones(1000, int), np.ones(1000, int)).low < 0.75, "ten addresses are not a thousand"


# The allow list.


def test_an_allowed_subnet_has_its_addresses_and_an_allowed_address_its_subnet(tmp_path: Path) -> None:
    (tmp_path / "allow.txt").write_text("# carriers\n192.0.2.0/25\n2001:db8::7\n\n198.51.100.4 # a proxy\n", encoding="utf-8")
    allowed = read_allowed(tmp_path / "allow.txt")
    keys = ["192.0.2.1", "192.0.2.200", "198.51.100.4", "198.51.100.5", "2001:db8::7", "2001:db8::8"]
    assert allowed_in(pa.array(keys), allowed).tolist() == [True, False, True, False, True, False]
    subnets = ["192.0.2.0/24", "198.51.100.0/24", "198.51.101.0/24", "2001:db8::/64", "2001:db8:1::/64"]
    assert allowed_in(pa.array(subnets), allowed).tolist() == [True, True, False, True, False]


# Bad input.


def refused(*arguments: Any, **settings: Any) -> str:
    with pytest.raises(BadInput) as caught:
        sf.ato.collaborate(*arguments, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"owners": None}, "among how many owners"),
        ({"owners": 1}, "1 owner: 2 to 32 can work together"),
        ({"owners": 5}, "4 organizations, which cannot be divided among 5 owners"),
        ({"level": "country"}, "no level 'country' in what is shared"),
        ({"period": 14}, "the logs cover one period of 14 days, and two are needed"),
        ({"days": 3}, "at least the period of 7 days"),
        ({"private": 0.0}, "1 would work"),
        ({"detector": "luck"}, "no detector 'luck'"),
        ({"measure": "accuracy"}, "no measure 'accuracy'"),
        ({"pay": -1.0}, "at least 0"),
        ({"seed": -1}, "0 or more"),
        ({"threshold": 0}, "at least 1"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    log = laid(tmp_path / "log")
    assert said in refused(log, tmp_path / "out", **({"owners": 4, "days": 14} | settings))
    assert not (tmp_path / "out").exists(), "nothing is left"


def test_owners_of_other_days_or_without_a_truth_are_refused(tmp_path: Path) -> None:
    log = laid(tmp_path / "log")
    events = pq.read_table(log / "events.parquet")
    late = events.set_column(1, "CreationTime", pa.array([t + timedelta(days=30) for t in events["CreationTime"].to_pylist()]))
    late = late.cast(EVENTS)
    known = {"good": log / "known-good.txt", "truth": log / "truth"}
    assert "the log of owner 1 has no sign-in in the first or the last" in refused([events, late], tmp_path / "out", **known)
    assert "divides one log" in refused([events, events], tmp_path / "out", owners=2, **known)
    assert "name the file" in refused([events, events], tmp_path / "out")


def test_an_allow_list_with_garbage_is_refused_by_its_line(tmp_path: Path) -> None:
    log = laid(tmp_path / "log")
    (tmp_path / "allow.txt").write_text("192.0.2.1\nann.secret\n", encoding="utf-8")
    message = refused(log, tmp_path / "out", owners=4, allow=tmp_path / "allow.txt")
    assert "line 2 is no address and no subnet" in message
    assert "secret" not in message
    (tmp_path / "allow.txt").write_text("# nothing\n", encoding="utf-8")
    assert "no address in it" in refused(log, tmp_path / "out", owners=4, allow=tmp_path / "allow.txt")


def test_several_logs_are_one_owner_each(tmp_path: Path) -> None:
    log = laid(tmp_path / "log")
    events = pq.read_table(log / "events.parquet")
    orgs = np.array(events["OrganizationId"].to_pylist())
    own = [events.filter(pa.array(orgs == f"o{number}")) for number in range(OWNERS)]
    found = sf.ato.collaborate(own, tmp_path / "out", good=log / "known-good.txt", truth=log / "truth", days=7, threshold=1)
    assert found.together["raw"].caught == 8
    assert SPRAYER not in str(found.as_dict())
