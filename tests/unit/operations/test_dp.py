"""The private histogram: its noise, its thresholds, its keys, and the budget of a table."""

from __future__ import annotations

from collections import Counter
from math import exp
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SchemaError, UsageError
from sfumato.operations import operation_of
from sfumato.operations.dp import bounded
from sfumato.operations.laplace import at_least, delta_of, noisy, threshold_for, threshold_of_delta
from sfumato.release.budget import added_up

SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [25, 50] }
[attributes.sex]
role = "quasi"
values = ["f", "m"]
[attributes.ill]
role = "sensitive"
values = ["flu", "hiv", "none"]
[attributes.note]
role = "plain"
"""


def people(rows: int) -> pd.DataFrame:
    draws = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "age": draws.integers(0, 100, rows),
            "sex": draws.choice(["f", "m"], rows),
            "ill": draws.choice(["flu", "none"], rows, p=[0.3, 0.7]),
            "note": ["x"] * rows,
        }
    )


def probability(scale: float, value: int) -> float:
    """P(Z = value), word for word."""
    p = exp(-1 / scale)
    return (1 - p) / (1 + p) * p ** abs(value)


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.7])
@pytest.mark.parametrize("least", [-4, 0, 1, 3, 12])
def test_tails_are_sums_of_probabilities(scale: float, least: int) -> None:
    assert at_least(scale, least) == pytest.approx(sum(probability(scale, value) for value in range(least, 400)))


def test_noise_has_the_stated_scale() -> None:
    # The variance of discrete Laplace noise is 2p / (1 - p)^2; of 20,000 draws it is off by more than a tenth once in 10^9.
    scale, epsilon = 2.0, 0.5
    drawn = noisy(np.full(20_000, 100), scale, 1, epsilon) - 100
    p = exp(-1 / scale)
    assert drawn.var() == pytest.approx(2 * p / (1 - p) ** 2, rel=0.15)
    assert abs(drawn.mean()) < 6 * drawn.std() / np.sqrt(20_000)
    assert (drawn >= 3).mean() == pytest.approx(at_least(scale, 3), abs=0.02)


def test_delta_is_what_the_noise_says_and_not_opendps() -> None:
    # Scale 1, threshold 3: a count of 1 shows in about one of ten trials.
    assert delta_of(1.0, 3) == pytest.approx(0.099, abs=0.001)
    shown = (noisy(np.ones(20_000, np.int64), 1.0, 1, 1.0) >= 3).mean()
    assert shown == pytest.approx(delta_of(1.0, 3), abs=0.015)


@given(st.floats(0.1, 20), st.floats(1e-12, 0.5), st.integers(1, 10))
def test_a_threshold_keeps_its_delta_and_none_below_does(scale: float, delta: float, rows: int) -> None:
    threshold = threshold_of_delta(scale, delta, rows)
    assert delta_of(scale, threshold, rows) <= delta
    assert threshold <= rows + 1 or delta_of(scale, threshold - 1, rows) > delta * (1 - 1e-9)


@given(st.floats(0.1, 20), st.integers(1, 10**6))
def test_of_empty_cells_at_most_one_is_expected_to_show(scale: float, keys: int) -> None:
    assert keys * at_least(scale, threshold_for(scale, keys)) <= 1 + 1e-9 or threshold_for(scale, keys) == 1


def test_rows_are_near_the_table_and_only_of_declared_keys(tmp_path: Path) -> None:
    table = people(3000)
    made = sf.sanitize(table, sf.Schema.parse(SCHEMA), method="dp:2,age=1", output=tmp_path / "o.csv", ledger=tmp_path / "l")
    published = made.release.to_pandas()
    assert list(published) == ["age", "sex", "ill"]
    before = Counter(zip(table["age"] // 25, table["sex"], table["ill"], strict=True))
    bands = {"[0, 25)": 0, "[25, 50)": 1, "[50, 75)": 2, "[75, 100]": 3}
    after = Counter(zip(published["age"].map(bands), published["sex"], published["ill"], strict=True))
    # Noise of scale 1/2: a count that is off by 15 has a probability of about e^-30.
    assert all(abs(before[key] - after[key]) < 15 for key in before | after)
    method = made.release.certificate.as_dict()["method"]
    assert (method["epsilon"], method["keys"], method["node"]) == (2, 5 * 3 * 4, {"age": 1, "sex": 0})
    assert made.spent is not None
    assert (made.spent.epsilon, made.spent.releases) == (2, 1)


def test_keys_do_not_depend_on_the_data() -> None:
    one, other = (
        sf.sanitize(table, sf.Schema.parse(SCHEMA), method="dp:3,age=1").release.certificate.as_dict()["method"]
        for table in (people(500), people(500)[lambda frame: frame["sex"] == "f"])
    )
    assert one == other


@pytest.mark.parametrize(
    ("schema", "method", "error", "message"),
    [
        (SCHEMA.replace('values = ["f", "m"]', ""), "dp:1,age=1", SchemaError, "needs them"),
        (SCHEMA.replace('values = ["flu", "hiv", "none"]', ""), "dp:1,age=1", SchemaError, "attribute 'ill'"),
        (SCHEMA.replace("lower = 0, upper = 100, ", ""), "dp:1,age=1", SchemaError, "attribute 'age'"),
        (SCHEMA, "dp:-1", UsageError, "epsilon must be"),
        (SCHEMA.replace("upper = 100", "upper = 99000"), "dp:1", UsageError, "combinations of declared values"),
    ],
)
def test_what_is_not_declared_is_refused(schema: str, method: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sf.sanitize(people(100), sf.Schema.parse(schema), method=method)


def test_a_seed_is_refused() -> None:
    with pytest.raises(UsageError, match="draws its noise from the system"):
        sf.sanitize(people(100), sf.Schema.parse(SCHEMA), method="dp:1,age=2", seed=1)


def test_with_delta_keys_may_come_from_the_data_and_rare_ones_do_not_show() -> None:
    schema = sf.Schema.parse(SCHEMA.replace('values = ["f", "m"]', ""))
    table = people(2000)
    table.loc[0, "sex"] = "x"  # one person only
    made = sf.sanitize(table, schema, method="dp:1,delta=1e-9,age=1")
    assert set(made.release.to_pandas()["sex"]) == {"f", "m"}
    assert made.release.certificate.as_dict()["method"]["delta"] == 1e-9


def test_people_with_several_rows_need_a_bound_and_count_no_more() -> None:
    table = people(3000).assign(who=[row // 10 for row in range(3000)])
    schema = sf.Schema.parse(SCHEMA + '[attributes.who]\nrole = "owner"\n')
    with pytest.raises(UsageError, match="declare how many count"):
        sf.sanitize(table, schema, method="dp:1,age=2")
    made = sf.sanitize(table, schema, method="dp:20,rows=2,age=3")
    assert made.release.certificate.rows == pytest.approx(600, abs=20)  # 300 people, two rows each
    assert made.release.certificate.basis == "row"


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=40),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_a_person_changes_counts_by_no_more_than_the_declared_rows(
    pairs: list[tuple[int, int]], rows: int, mixed: Random
) -> None:
    def counts(some: list[tuple[int, int]]) -> Counter[int]:
        mixed.shuffle(some)  # the order of rows may be any
        owners, cells = (np.array(column, np.int64) for column in zip(*some, strict=True)) if some else (np.zeros(0, int),) * 2
        return Counter(cells[bounded(owners, cells, rows)].tolist())

    everybody = counts(list(pairs))
    for person in {owner for owner, _ in pairs}:
        others = counts([pair for pair in pairs if pair[0] != person])
        assert sum(abs(everybody[cell] - others[cell]) for cell in everybody | others) <= rows
        assert not others - everybody  # nobody else's rows come or go


@given(st.lists(st.tuples(st.floats(0.001, 10), st.one_of(st.none(), st.floats(1e-12, 0.1))), max_size=30))
def test_budgets_add_up_whatever_their_order(spent: list[tuple[float, float | None]]) -> None:
    entries = [{"certificate": {"method": {"epsilon": e} | ({} if d is None else {"delta": d})}} for e, d in spent]
    entries += [{"certificate": {}}, {"certificate": {"method": {"name": "noise"}}}]
    forward, backward = added_up(entries), added_up(entries[::-1])
    assert forward == backward
    assert forward.releases == len(spent)
    assert forward.epsilon == pytest.approx(sum(e for e, _ in spent))
    assert forward.delta == pytest.approx(sum(d or 0 for _, d in spent))


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(st.lists(st.sampled_from([0.5, 1.0, 2.5]), min_size=1, max_size=3))
def test_the_ledger_adds_up_the_releases_of_one_table(tmp_path_factory: pytest.TempPathFactory, spent: list[float]) -> None:
    folder = tmp_path_factory.mktemp("budget")
    people(400).to_csv(folder / "one.csv", index=False)
    people(300).to_csv(folder / "other.csv", index=False)
    schema = sf.Schema.parse(SCHEMA)
    sf.sanitize(folder / "other.csv", schema, method="dp:4,age=2", output=folder / "x.csv", ledger=folder / "l")
    for number, epsilon in enumerate(spent):
        made = sf.sanitize(
            folder / "one.csv", schema, method=f"dp:{epsilon},age=2", output=folder / f"{number}.csv", ledger=folder / "l"
        )
    assert made.spent is not None
    assert (made.spent.epsilon, made.spent.releases) == (sum(spent), len(spent))


@pytest.mark.parametrize("parameters", ["1e-300,delta=0.1", "1e-7", "1,rows=10000000", "5e-324"])
def test_more_noise_than_can_be_computed_with_is_refused(parameters: str) -> None:
    with pytest.raises(UsageError, match="epsilon must be at least"):
        operation_of(f"dp:{parameters}")
