"""Attacks: who fits best against a plain search of everybody, a log worked by hand, and what sessions and thresholds stop."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError, UsageError
from sfumato.searchlog import attack, generate, publish
from sfumato.searchlog.attacking.candidates import candidates, known
from tests.unit.searchlog.logs import searched, write

PEOPLE = 12


@settings(max_examples=200)
@given(
    things=st.lists(st.sets(st.integers(0, PEOPLE - 1)), min_size=1, max_size=5),
    without=st.sampled_from([None, 0, 3]),
)
def test_those_who_fit_best_are_those_of_a_search_of_everybody(things: list[set[int]], without: int | None) -> None:
    weights = [log(PEOPLE / len(each)) if each else 0.0 for each in things]
    scores = {
        one: sum(weight for each, weight in zip(things, weights, strict=True) if one in each)
        for one in range(PEOPLE)
        if one != without and any(one in each for each in things)
    }
    best = sorted(one for one, score in scores.items() if score >= max(scores.values()) - 1e-9)
    found = [each for ids in things if (each := known(np.array(sorted(ids), np.int64), PEOPLE)) is not None]
    assert candidates(found, without).tolist() == best


def test_a_log_worked_by_hand(tmp_path: Path) -> None:
    """Ann and Bob can be told apart by one of three queries, Cid and Dan cannot; Ann alone has an illness."""
    rows = [searched("ann", query, place) for place, query in enumerate(("mail", "news", "golf", "asthma diet"))]
    rows += [searched("bob", query, place) for place, query in enumerate(("mail", "news", "chess"))]
    rows += [searched(user, query, place) for user in ("cid", "dan") for place, query in enumerate(("mail", "news", "tax"))]
    found = attack(write(tmp_path / "log.parquet", rows), knows=3, common=2)
    every, common = found.attempts
    assert (every.targets, every.hits, every.baseline, every.alone, sorted(every.sizes)) == (4, 3.0, 0.25, 2, [1, 1, 2, 2])
    # Only Cid and Dan have three common queries.
    assert (common.targets, common.hits, common.alone) == (2, 1.0, 0)
    leak = every.leak
    assert leak is not None
    # Prior: 3/4 none, 1/4 asthma. Ann is known: distance sqrt(2) * 3/4; for the others, who are known to have none, sqrt(2) / 4.
    far, near = 2**0.5 * 3 / 4, 2**0.5 / 4
    assert leak.distribution == pytest.approx(((far + 3 * near) / 4, far))
    prior = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25))
    assert leak.entropy == pytest.approx((prior, prior))
    assert (leak.tries, leak.hits, leak.baseline) == (1, 1, 0.0)


@pytest.fixture(scope="module")
def searches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attack") / "log"
    generate(folder, rows=20_000, seed=2)
    return folder


def rates(log: Path, folder: Path, **ways: object) -> dict[tuple[str, str], float]:
    publish(log, folder / "out.parquet", owners=folder / "owners.parquet", force=True, seed=1, **ways)  # type: ignore[arg-type]
    found = attack(log, folder / "out.parquet", owners=folder / "owners.parquet", people=log / "truth", targets=150)
    return {(each.attacker, each.side): each.rate for each in found.attempts}


def test_a_threshold_alone_does_not_stop_combinations_of_common_queries_and_small_bundles_do_better(
    searches: Path, tmp_path: Path
) -> None:
    whole = rates(searches, tmp_path, sessions="off")
    split = rates(searches, tmp_path, sessions="30m", bundle=3)
    common, every, attributes = "knows 3 common queries", "knows 3 queries", "knows LastName, Town, Age"
    assert whole[common, "after"] == pytest.approx(whole[common, "before"])
    assert split[common, "after"] < whole[common, "after"] - 0.05
    assert whole[every, "after"] < whole[every, "before"] / 2
    # Name, town and age are rare words: the threshold stops them.
    assert whole[attributes, "before"] > 0.05
    assert whole[attributes, "after"] < 0.02


def test_attacks_are_the_same_again_for_the_same_seed_and_name_no_query(searches: Path) -> None:
    one, other = (attack(searches, targets=40, seed=3) for _ in range(2))
    assert one.as_dict() == other.as_dict()
    assert one.as_dict() != attack(searches, targets=40, seed=4).as_dict()
    assert "asthma" not in str(one.as_dict())


def test_where_nobody_can_be_attacked_there_is_no_rate_of_nothing(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched(f"u{person}", "the same", person) for person in range(12)])
    found = attack(log)
    assert [each.reason for each in found.attempts] == ["nobody in the log of whom so much could be known"] * 2
    assert all(set(row[2:]) == {None} for row in found.table().rows)
    assert found.leaks().rows == ()


def test_topics_are_those_of_a_file(tmp_path: Path) -> None:
    rows = [searched(user, query, 1) for user in "ab" for query in ("x", "y")] + [searched("a", "strike fund", 2)]
    (tmp_path / "topics.csv").write_text("Strike,union\nlockout,union\n", encoding="utf-8")
    (leak,) = [
        each.leak for each in attack(write(tmp_path / "log.parquet", rows), knows=2, topics=tmp_path / "topics.csv").attempts[:1]
    ]
    assert leak is not None
    assert (leak.topics, leak.tries) == (1, 1)
    (tmp_path / "topics.csv").write_text("one\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        attack(tmp_path / "log.parquet", topics=tmp_path / "topics.csv")


def test_a_topic_that_no_query_could_have_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched("a", "heart attack", 1)])
    (tmp_path / "topics.csv").write_text("insulin,diabetes\nheart attack,heart\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2: has several words"):
        attack(log, topics=tmp_path / "topics.csv")


def test_a_private_release_has_nobody_to_choose_among(tmp_path: Path) -> None:
    rows = [searched(f"u{user}", query, user) for user in range(200) for query in ("mail", "news", "tax")]
    log = write(tmp_path / "log.parquet", rows)
    publish(log, tmp_path / "out.csv", private="5,1e-4", per_person=3)
    found = attack(log, tmp_path / "out.csv", targets=20)
    assert [each.reason is None for each in found.attempts] == [True, True, False, False]


@pytest.mark.parametrize(
    ("ways", "message"),
    [({"knows": 0}, "1 to 8"), ({"knows": 9}, "1 to 8"), ({"targets": 0}, "1 or more"), ({"common": 0}, "1 or more")],
)
def test_what_cannot_be_attacked_is_refused(ways: dict[str, int], message: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched("a", "tax", 1), searched("b", "tax", 1)])
    with pytest.raises(UsageError, match=message):
        attack(log, **ways)  # type: ignore[arg-type]


def test_owners_who_do_not_belong_to_the_release_are_refused(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [searched(user, "tax", 1) for user in "ab"])
    publish(log, tmp_path / "out.parquet", threshold=2)
    with pytest.raises(UsageError, match="nobody can say who is right"):
        attack(log, tmp_path / "out.parquet")
    for users, ids, message in ((["a", "x"], [1, 2], "not in the log"), (["a", "b"], [3, 9], "numbered from 1")):
        pq.write_table(pa.table({"Id": ids, "UserId": users}), tmp_path / "owners.parquet")
        with pytest.raises(DataError, match=message):
            attack(log, tmp_path / "out.parquet", owners=tmp_path / "owners.parquet")


def test_owners_of_another_release_of_the_same_log_are_refused(searches: Path, tmp_path: Path) -> None:
    for name in "ab":
        publish(searches, tmp_path / f"{name}.parquet", owners=tmp_path / f"{name}.owners.parquet", bundle=3)
    assert attack(searches, tmp_path / "a.parquet", owners=tmp_path / "a.owners.parquet", targets=5).ids
    with pytest.raises(DataError, match="who have not searched what their ids did"):
        attack(searches, tmp_path / "a.parquet", owners=tmp_path / "b.owners.parquet", targets=5)


def test_an_id_without_a_topic_says_nothing_and_ids_are_linked_by_what_they_share(tmp_path: Path) -> None:
    """Everybody has two sessions with the same two queries; Ann alone has searched an illness, which is not published."""
    rows = [searched(user, query, day * 1_440) for user in "abcd" for day in (1, 2) for query in ("mail", "news")]
    rows += [searched("a", "asthma diet", 5)]
    log = write(tmp_path / "log.parquet", rows)
    publish(log, tmp_path / "out.parquet", threshold=2, owners=tmp_path / "owners.parquet")
    found = attack(log, tmp_path / "out.parquet", owners=tmp_path / "owners.parquet", knows=2, common=2)
    after = [each for each in found.attempts if each.side == "after"]
    for each in after[:2]:
        # All eight ids fit equally well, two of them right; what is believed of anybody is the share of all.
        assert (each.targets, each.hits, each.middle) == (4, 1.0, 8)
        assert each.leak is not None
        assert each.leak.distribution == pytest.approx((0, 0), abs=1e-12)
        assert each.leak.entropy == pytest.approx((0, 0), abs=1e-12)
    linked = after[-1]
    # Of the seven other ids, which all fit, one is right; so it is by chance.
    assert (linked.targets, linked.hits, linked.baseline) == (8, pytest.approx(8 / 7), pytest.approx(1 / 7))
