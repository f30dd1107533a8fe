"""Attackers of releases whose values were changed: one who knows the method, one who takes the nearest rows, and one who is blind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import NormalDist, pstdev
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.attacks.base import NOT_SHOWN, STOPPED, THROUGH
from sfumato.attacks.fitting import knowing
from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.mechanism import mechanism_of
from sfumato.attacks.fitting.weighing import MOST, Score, plainly, weigh
from tests.unit.attacks.cases import schema, tried

SCHEMA = schema({"height": "decimal", "town": "text"}, {"ill": "text"})
PLAIN = schema({"height": "decimal"}, {"ill": "text"})
WHOLE = schema({"age": "integer"}, {"ill": "text"})
ILLS = ("flu", "gout", "cold", "ague")
Person = tuple[float, str, str]
tables = st.lists(
    st.tuples(st.integers(0, 40).map(lambda n: n / 4), st.sampled_from(["Oslo", "Rome"]), st.sampled_from(ILLS)),
    min_size=6,
    max_size=24,
)


def as_table(rows: Sequence[Person]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("height", "town", "ill"))})


def records(release: sf.Release) -> list[Person]:
    """The published rows."""
    found = release.to_arrow()
    return list(zip(*(found[name].to_pylist() for name in ("height", "town", "ill")), strict=True))


def people(count: int, seed: int = 0) -> pa.Table:
    """People with heights that nobody shares, and a number of their own that the attacks are not told of."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "height": rng.normal(170, 10, count).round(3),
            "weight": rng.normal(70, 12, count).round(3),
            "town": rng.choice(["Oslo", "Rome", "Turku"], count),
            "ill": rng.choice(ILLS, count),
            "number": [f"p{place}" for place in range(count)],
        }
    )


EVERYBODY = schema({"height": "decimal", "weight": "decimal", "town": "text"}, {"ill": "text", "number": "text"})


def first_of(weights: Counter[str]) -> str:
    """The most probable value, the first of equals in the order of values."""
    return min(weights, key=lambda value: (-round(weights[value], 9), value))


@pytest.mark.slow
@given(tables)
@settings(max_examples=25, deadline=None)
def test_the_nearest_record_is_what_a_plain_attacker_finds_among_all(rows: list[Person]) -> None:
    made = sf.sanitize(as_table(rows), SCHEMA, method="microaggregate:2")
    deviation = pstdev([row[0] for row in rows]) or 1.0
    hits = 0
    for height, town, ill in rows:
        far = [round(((height - each[0]) / deviation) ** 2 + (town != each[1]), 9) for each in records(made.release)]
        near = Counter(each[2] for each, away in zip(records(made.release), far, strict=True) if away == min(far))
        hits += first_of(near) == ill
    found = tried(made.release, None, as_table(rows), "probabilistic")
    assert found.hits == hits


@pytest.mark.slow
@given(tables, st.sampled_from([0.1, 0.5]))
@settings(max_examples=20, deadline=None)
def test_noise_weighs_records_as_a_plain_attacker_would(rows: list[Person], share: float) -> None:
    ages = pa.table({"age": [int(row[0] * 4) for row in rows], "ill": [row[2] for row in rows]})
    made = sf.sanitize(ages, WHOLE, method=f"noise:gaussian,{share}", seed=3)
    deviation = share * pstdev(ages["age"].to_pylist())
    published = made.release.to_arrow()
    hits, near_ties = 0, False
    for age, ill in zip(ages["age"].to_pylist(), ages["ill"].to_pylist(), strict=True):
        weights: Counter[str] = Counter()
        for other, value in zip(published["age"].to_pylist(), published["ill"].to_pylist(), strict=True):
            weights[value] += _rounded_to(other - age, deviation)
        ordered = sorted(weights.values(), reverse=True)
        near_ties |= (
            len(ordered) > 1 and ordered[0] - ordered[1] < 1e-3 * ordered[0]
        )  # classes below 1e-4 of the best are left out
        hits += first_of(weights) == ill
    found = tried(made.release, None, ages, "probabilistic")
    assert near_ties or found.hits == hits


def _rounded_to(away: int, deviation: float) -> float:
    """How probable it is that noise is rounded to this."""
    if not deviation:
        return float(away == 0)
    noise = NormalDist(0, deviation)
    return noise.cdf(away + 0.5) - noise.cdf(away - 0.5)


@st.composite
def searches(draw: Any) -> tuple[Links, np.ndarray, list[Score], float]:
    """Classes that agree with each combination, the combination of each cell, and two columns of scores, many of them alike."""
    classes, combinations, cells = draw(st.integers(1, 30)), draw(st.integers(1, 3)), draw(st.integers(1, 8))
    sets = [sorted(draw(st.sets(st.integers(0, classes - 1)))) for _ in range(combinations)]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    base = Links(offsets, np.array([c for each in sets for c in each], np.int64), classes)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    scores = [_score(rng, cells, classes) for _ in range(2)]
    return base, rng.integers(0, combinations, cells), scores, draw(st.sampled_from([0.0, 1.0, 50.0]))


def _score(rng: np.random.Generator, cells: int, classes: int) -> Score:
    table = rng.choice([0.0, -1.0, -1.5, -7.0, -np.inf], (4, 5))
    true, published = [(str(row),) for row in range(4)], [(str(column),) for column in range(5)]
    compare = lambda own, their: table[np.ix_([int(a) for (a,) in own], [int(b) for (b,) in their])]  # noqa: E731
    return Score(true, published, rng.integers(0, 4, cells), rng.integers(0, 5, classes), compare)


@given(searches())
def test_the_compiled_scan_keeps_what_the_plain_one_does(given_: tuple[Links, np.ndarray, list[Score], float]) -> None:
    base, of_cell, scores, margin = given_
    assert all(score.small for score in scores)  # so that the compiled one is taken
    found = weigh(base, of_cell, scores, margin)
    parts = list(plainly(base, of_cell, scores, margin))
    assert found.cells().tolist() == [cell for part in parts for cell in part[0]]
    assert found.classes.tolist() == [each for part in parts for each in part[1]]
    assert found.scores is not None
    assert found.scores.tolist() == [score for part in parts for score in part[2]]


def test_of_very_many_likely_classes_the_first_are_kept() -> None:
    count = MOST + 50
    base = Links(np.array([0, count]), np.arange(count), count)
    flat = Score(
        [("x",)], [("y",), ("z",)], np.zeros(1, np.int64), np.arange(count) % 2, lambda own, their: np.array([[0.0, -1.0]])
    )
    for links in (weigh(base, np.zeros(1, np.int64), [flat]).classes, *_kept_plainly(base, flat)):
        likely = np.arange(0, count, 2)
        assert set(likely) <= set(links)
        assert len(links) == MOST
        assert sorted(set(links) - set(likely)) == list(range(1, 2 * (MOST - len(likely)), 2))


def _kept_plainly(base: Links, score: Score) -> Iterator[Any]:
    for _, classes, _ in plainly(base, np.zeros(1, np.int64), [score], 50.0):
        yield classes


# What each method can be broken by, and a strength at which it says nothing.
WEAK = [
    ("noise:gaussian,0.001", None),
    ("noise:laplace,0.001", None),
    ("noise:correlated,0.001", None),
    ("microaggregate:2", None),
    ("microaggregate:3", ["height", "weight"]),
    ("rank-swap:0.5%", ["height"]),
    ("record-swap:10%", ["height"]),
    ("pram:0.9", ["height"]),
    ("top-code:height=175", None),
    ("bottom-code:height=165", None),
]


@pytest.mark.parametrize(("method", "columns"), WEAK)
def test_whoever_knows_the_method_gets_through_a_weak_one(method: str, columns: list[str] | None) -> None:
    table = people(400)
    made = sf.sanitize(table, EVERYBODY, method=method, columns=columns, sensitive=["ill"], **_seeded(method))
    for attack in ("record-linkage:marketer", "probabilistic"):
        found = tried(made.release, None, table, attack, sensitive=["ill"])
        assert found.outcome == THROUGH
        assert found.rate > 5 * found.baseline or found.rate > 0.4


def _seeded(method: str) -> dict[str, int]:
    return {} if method.partition(":")[0] in ("microaggregate", "top-code", "bottom-code") else {"seed": 1}


@pytest.mark.parametrize(
    ("method", "declared"),
    [
        ("microaggregate:40", PLAIN),  # one class
        ("top-code:height=0", PLAIN),
        ("bottom-code:height=1000", PLAIN),
        ("pram:invariant,0", PLAIN),  # every value is drawn anew
        ("record-swap:99%", PLAIN),
        ("noise:gaussian,100000", PLAIN),
    ],
)
def test_whoever_knows_the_method_equals_the_baseline_where_it_leaves_nothing(method: str, declared: Any) -> None:
    table = people(40).select(["height", "ill"])
    made = sf.sanitize(
        table,
        declared,
        method=method,
        **_seeded(method),
        **({"columns": ["height"]} if "swap" in method or "pram" in method else {}),
    )
    for attack in ("probabilistic", "homogeneity"):
        found = tried(made.release, None, table, attack)
        assert found.interval[0] <= found.baseline <= found.interval[1]
        assert found.outcome == STOPPED
    linked = tried(made.release, None, table, "record-linkage:marketer")
    assert linked.interval[0] <= linked.baseline + 1e-9


def test_values_that_were_dealt_out_among_all_are_right_by_chance_only() -> None:
    table = people(400).select(["height", "ill"])
    made = sf.sanitize(table, PLAIN, method="permute:height=1", seed=1)
    for attack in ("homogeneity", "probabilistic"):
        found = tried(made.release, None, table, attack)
        assert found.rate > 0.1  # one in four
        assert found.interval[0] <= found.baseline
        assert found.outcome == STOPPED


@pytest.mark.parametrize("method", ["noise:gaussian,0.000000001", "pram:1"])
def test_a_method_that_changes_nothing_is_read_like_the_original(method: str) -> None:
    table = people(60).select(["height", "ill"])
    made = sf.sanitize(table, PLAIN, method=method, columns=["height"], seed=1)
    for attack in ("record-linkage", "record-linkage:marketer", "homogeneity", "background", "skewness", "probabilistic"):
        found, plain = (tried(each, PLAIN, table, attack) for each in (made.release, table))
        assert found.rate == pytest.approx(plain.rate)


def test_groups_of_three_do_not_stop_somebody_who_looks_for_the_nearest() -> None:
    """A blind attacker fails, and that showed nothing: means are nobody's height."""
    table = people(300)
    made = sf.sanitize(table, EVERYBODY, method="microaggregate:3", columns=["height", "weight"], sensitive=["ill"])
    options = {"original": table, "attacks": ["probabilistic", "homogeneity"], "sensitive": ["ill"]}
    naive, found = (sf.attack(made.release, naive=naive, **options) for naive in (True, False))
    assert [each.rate for each in naive.attempts] == [0.0, 0.0]
    assert [each.outcome for each in naive.attempts] == [NOT_SHOWN] * 2
    assert [each.stopped for each in naive.attempts] == [None] * 2
    assert [each.outcome for each in found.attempts] == [THROUGH] * 2
    assert found.attempts[0].rate > 0.5  # of three people with four illnesses, the most frequent
    assert "microaggregate:3 changed height, weight" in str(found.remark)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "columns", "below"),
    [
        ("noise:gaussian,0.02", None, 0.05),
        ("noise:laplace,0.2", ["height"], 0.05),
        ("pram:0.7", ["town"], 0.05),
        ("record-swap:40%", ["height"], 0.1),
        ("rank-swap:2%", ["height"], 0.1),
        ("microaggregate:3", ["height", "weight"], 0.1),
    ],
)
def test_rates_of_links_are_those_of_the_true_rows(method: str, columns: list[str] | None, below: float) -> None:
    """The release also has everybody's number, which the attack is not told of: so we can look up whose row a link leads to. What the
    owner believes about it may be a little less than the truth, and is not more by more than chance allows."""
    table = people(600)
    made = sf.sanitize(table, EVERYBODY, method=method, columns=columns, sensitive=["ill"], **_seeded(method))
    released = made.release.to_arrow()
    found = tried(made.release, None, table, "record-linkage:prosecutor,0.2", sensitive=["ill"])
    true = _true_rate(made.release, table, released, 0.2)
    assert true - max(below * true, 0.01) <= found.rate <= true + 0.02


def _true_rate(release: sf.Release, table: pa.Table, released: pa.Table, sure: float) -> float:
    """How often a prosecutor in plain Python finds a person's row, by likelihoods of the method and by the numbers of people."""
    with sf.Table.open(table, EVERYBODY) as opened:
        whole = opened.count(sensitive=["ill"])
        mechanism = mechanism_of(release.certificate.method, opened.schema, whole)
        assert mechanism is not None
        scores = mechanism.scores(whole, release.classes, whole.node.attributes)
    cell = _number(whole, table)
    class_ = _number(release.classes, released)
    row_of = {number: place for place, number in enumerate(released["number"].to_pylist())}
    firm = [name for name in whole.node.attributes if name not in mechanism.moved]
    right = 0.0
    for place, number in enumerate(table["number"].to_pylist()):
        agree = [row for row in range(len(class_)) if all(table[n][place] == released[n][row] for n in firm)]
        total = sum(each.of_pairs(np.full(len(agree), cell[place]), class_[agree]) for each in scores)
        weights = np.exp(total - total.max()) if mechanism.likely else (total >= total.max() - 1e-9) * 1.0
        best = np.flatnonzero(weights >= weights.max() - 1e-9)
        if weights.max() / weights.sum() >= sure - 1e-9:
            right += (row_of[number] in [agree[each] for each in best]) / len(best)
    return right / table.num_rows


def _number(counts: Any, table: pa.Table) -> np.ndarray:
    """The class of each row."""
    number = {counts.labels(place + 1): place for place in range(counts.classes)}
    columns = [[str(value) for value in table[name].to_pylist()] for name in counts.node.attributes]
    return np.array([number[each] for each in zip(*columns, strict=True)])


def test_without_a_certificate_the_nearest_rows_are_taken_if_labels_fit_almost_nobody() -> None:
    table = people(200).select(["height", "town", "ill"])
    noised = table.set_column(0, "height", pa.array(np.asarray(table["height"]) + 0.0005))
    found = sf.attack(noised, SCHEMA, original=table, attacks=["probabilistic", "record-linkage"])
    assert found.read.method is None
    assert found.unfit == 200
    assert "takes the nearest rows" in str(found.remark)
    assert [each.rate for each in found.attempts] == pytest.approx([1.0, 1.0], abs=0.05)
    blind = sf.attack(noised, SCHEMA, original=table, attacks=["probabilistic", "record-linkage"], naive=True)
    assert [each.outcome for each in blind.attempts] == [NOT_SHOWN] * 2


def test_labels_that_nobody_understands_show_nothing() -> None:
    table = people(20).select(["height", "town", "ill"])
    strange = table.set_column(1, "town", pa.array(["by the sea"] * 20))
    found = tried(strange, SCHEMA, table, "homogeneity")
    assert (found.visible, found.outcome == THROUGH or found.outcome == NOT_SHOWN) == (0.0, True)
    alike = pa.table({"height": ["tall"] * 20, "town": ["by the sea"] * 20, "ill": table["ill"]})
    assert tried(alike, SCHEMA, table, "homogeneity").outcome == NOT_SHOWN


def test_a_top_code_stands_for_itself_and_more() -> None:
    rows = pa.table({"age": [30, 60, 71, 85], "ill": ["flu", "gout", "gout", "gout"]})
    made = sf.sanitize(rows, WHOLE, method="top-code:age=60")
    found = sf.attack(made.release, original=rows, attacks="homogeneity")
    assert (found.attempts[0].hits, found.unfit, found.attempts[0].visible) == (4, 0, 1.0)
    naive = sf.attack(made.release, original=rows, attacks="homogeneity", naive=True)
    assert (naive.attempts[0].hits, naive.unfit, naive.attempts[0].visible) == (2, 2, 0.5)


def test_people_are_drawn_where_all_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    table = people(300)
    made = sf.sanitize(table, EVERYBODY, method="noise:gaussian,0.01", sensitive=["ill"], seed=1)
    options: dict[str, Any] = {"original": table, "sensitive": ["ill"]}
    whole = sf.attack(made.release, attacks="record-linkage", **options)
    monkeypatch.setattr(knowing, "MOST_COMPARED", 20_000)
    some, again, other = (sf.attack(made.release, attacks="record-linkage", seed=seed, **options) for seed in (1, 1, 2))
    assert some.people == 300
    assert 0 < some.read.drawn < 1
    assert some.attempts[0].tries == round(some.read.drawn * 300)
    assert some.attempts == again.attempts != other.attempts
    assert "were drawn at random" in str(some.remark)
    assert some.attempts[0].interval[0] <= whole.attempts[0].rate <= some.attempts[0].interval[1]
    with pytest.raises(sf.SfumatoError, match="the prosecutor draws some"):
        sf.attack(made.release, attacks="record-linkage:marketer", **options)


def test_an_external_table_with_strange_values_is_read_as_far_as_it_goes() -> None:
    table = people(50).select(["height", "town", "ill"])
    external = pa.table(
        {"height": [*map(str, table["height"].to_pylist()), "very tall"], "town": [*table["town"].to_pylist(), "Rome"]}
    )
    for method, columns in (
        ("noise:gaussian,0.001", None),
        ("pram:0.9", ["town"]),
        ("rank-swap:10%", ["height"]),
        ("microaggregate:2", None),
    ):
        made = sf.sanitize(table, SCHEMA, method=method, columns=columns, **_seeded(method))
        found = tried(made.release, None, table, "record-linkage:marketer", external=external)
        assert found.outcome == THROUGH


def test_a_claim_says_what_is_not_shown() -> None:
    table = people(60)
    made = sf.sanitize(table, EVERYBODY, method="microaggregate:3", sensitive=["ill"], models=["k-anonymity:3"])
    naive = sf.attack(made.release, original=table, sensitive=["ill"], naive=True)
    (claim,) = naive.claims
    observed = claim.observed["R"]
    assert observed.tried == 3
    assert observed.not_shown
    assert "not shown" in str(observed)
    assert naive.as_dict()["claims"][0]["observed"]["R"]["not_shown"] == observed.not_shown
