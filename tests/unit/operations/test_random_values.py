"""Noise and post-randomization: the stated scale, the stated matrix, and what is kept in expectation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import DataError, UsageError
from sfumato.operations.noise import NoiseChannel
from tests.unit.operations.copies import made, rows_of, schema_of

SCHEMA = schema_of(age="quasi integer", pay="quasi decimal", town="quasi text", ill="sensitive text")
ROWS = 40_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    draws = np.random.default_rng(5)
    age = draws.integers(18, 90, ROWS)
    pay = age * 10 + draws.normal(0, 100, ROWS)
    town = draws.choice(["a", "b", "c"], ROWS, p=[0.7, 0.2, 0.1])
    return pa.table({"age": age, "pay": pay, "town": town, "ill": draws.choice(["flu", "hiv"], ROWS)})


def column(table: pa.Table, name: str) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(table[name].to_pylist())


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
def test_noise_has_the_stated_share_of_the_deviation(table: pa.Table, tmp_path: Path, kind: str) -> None:
    noised = rows_of(made(tmp_path, f"noise:{kind},0.2", table, SCHEMA))
    added = column(noised, "pay") - column(table, "pay")
    wanted = 0.2 * column(table, "pay").std()
    # The standard error of a standard deviation of 40,000 draws is at most wanted * sqrt(5 / 4 / n): six of them, about 2e-9.
    assert abs(added.std() - wanted) < 6 * wanted * np.sqrt(5 / 4 / ROWS)
    assert abs(added.mean()) < 6 * wanted / np.sqrt(ROWS)
    assert noised["age"].type == pa.int64()


def test_correlated_noise_keeps_correlations(table: pa.Table, tmp_path: Path) -> None:
    before = np.corrcoef(column(table, "age"), column(table, "pay"))[0, 1]
    noised = rows_of(made(tmp_path, "noise:correlated,1", table, SCHEMA))
    apart = rows_of(made(tmp_path, "noise:gaussian,1", table, SCHEMA))
    assert abs(np.corrcoef(column(noised, "age"), column(noised, "pay"))[0, 1] - before) < 0.01
    assert abs(np.corrcoef(column(apart, "age"), column(apart, "pay"))[0, 1] - before / 2) < 0.02  # half of the variance is noise


def test_a_missing_number_stays_missing(tmp_path: Path) -> None:
    table = pa.table({"age": [None, 30, 40, 50], "pay": [1.0, 2.0, None, 4.0], "town": ["a"] * 4, "ill": ["flu"] * 4})
    for kind in ("gaussian", "laplace", "correlated"):
        noised = rows_of(made(tmp_path, f"noise:{kind},0.5", table, SCHEMA))
        assert [value is None for value in noised["age"].to_pylist()] == [True, False, False, False]
        assert [value is None for value in noised["pay"].to_pylist()] == [False, False, True, False]


@pytest.mark.parametrize("laplace", [False, True])
def test_probabilities_of_rounded_noise_add_up_to_one(laplace: bool) -> None:
    channel = NoiseChannel(("age",), 2.5, laplace, whole=True)
    found = channel.likelihood([("40",), (None,)], [*((str(age),) for age in range(-200, 300)), (None,)])
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found[1, -1] == 1


@pytest.mark.parametrize("method", ["pram:0.8", "pram:invariant,0.6"])
def test_values_change_as_the_matrix_says(table: pa.Table, tmp_path: Path, method: str) -> None:
    done = made(tmp_path, method, table, SCHEMA, columns=["town"])
    before, after = column(table, "town"), column(rows_of(done), "town")
    labels = [("a",), ("b",), ("c",)]
    matrix = done.channels[0].likelihood(labels, labels)
    assert matrix.sum(axis=1) == pytest.approx(np.ones(3))
    for row, one in enumerate("abc"):
        for place, other in enumerate("abc"):
            rows, share = (before == one).sum(), matrix[row, place]
            # Six standard errors: a false alarm of one in 5e8 for each of nine entries.
            assert abs((after[before == one] == other).mean() - share) < 6 * np.sqrt(share * (1 - share) / rows)


def test_invariant_randomization_keeps_shares_in_expectation(table: pa.Table, tmp_path: Path) -> None:
    done = made(tmp_path, "pram:invariant,0.5", table, SCHEMA, columns=["town"])
    before = column(table, "town")
    shares = np.array([(before == town).mean() for town in "abc"])
    matrix = done.channels[0].likelihood([(town,) for town in "abc"], [(town,) for town in "abc"])
    assert shares @ matrix == pytest.approx(shares)
    after = column(rows_of(done), "town")
    # The number of each value varies by at most sqrt(n / 4): six of these, about 2e-9.
    assert all(abs((after == town).mean() - share) < 6 * 0.5 / np.sqrt(ROWS) for town, share in zip("abc", shares, strict=True))
    uniform = rows_of(made(tmp_path, "pram:0.5", table, SCHEMA, columns=["town"]))
    assert abs((column(uniform, "town") == "a").mean() - shares[0]) > 0.1  # the other kind does not


def test_the_missing_value_is_a_value_of_its_own(tmp_path: Path) -> None:
    table = pa.table({"age": [1] * 300, "pay": [1.0] * 300, "town": [None, "a", "b"] * 100, "ill": ["flu"] * 300})
    after = rows_of(made(tmp_path, "pram:0", table, SCHEMA, columns=["town"]))["town"].to_pylist()
    assert all(one != other for one, other in zip(table["town"].to_pylist(), after, strict=True))
    assert set(after) == {None, "a", "b"}


@pytest.mark.parametrize(
    ("method", "columns", "message"),
    [
        ("noise:gaussian,0", None, "share must be more than 0"),
        ("noise:pink,0.1", None, "choose among gaussian, laplace, correlated"),
        ("noise:gaussian", None, "noise is written noise:gaussian,0.1"),
        ("noise:gaussian,0.1", ["town"], "noise changes numbers; 'town' holds text"),
        ("pram:1.5", None, "stay must be a number between 0 and 1"),
        ("pram:0.8", ["twon"], "did you mean 'town'"),
        ("rank-swap:150%", None, "share must be"),
        ("rank-swap:5%", ["town"], "needs an order"),
        ("record-swap:0", None, "more than 0 and less than 1"),
        ("record-swap:5%", ["town", "ill"], "not both at once"),
        ("top-code:age=old", None, "one number per column"),
        ("top-code:town=3", None, "holds text"),
        ("top-code:age=3.5", None, "whole numbers"),
        ("swirl:3", None, "no method 'swirl'"),
        ("microaggregate:1", None, "k must be a whole number of at least 2"),
        ("cell-suppression:5", ["age"], "looks at all QIDs"),
        ("anatomy:3", ["ill"], "leave it out"),
        ("permute:age=9", None, "no level for 'pay'|does not exist"),
        ("dp:0", None, "epsilon must be more than 0"),
        ("dp:1,rows=2", None, "every row is a person"),
        ("dp:1,delta=2", None, "delta must be more than 0"),
        ("dp:1,age", None, "by name"),
        ("dp:1,shoe=1", None, "none of the published QIDs"),
    ],
)
def test_bad_parameters_are_refused_in_one_line(
    table: pa.Table, tmp_path: Path, method: str, columns: list[str], message: str
) -> None:
    with pytest.raises(Exception, match=message) as raised:
        made(tmp_path, method, table, SCHEMA, columns=columns)
    assert isinstance(raised.value, UsageError) or type(raised.value).__name__ == "NodeError"
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "method", ["noise:gaussian,0.1", "noise:correlated,0.1", "top-code:id=5", "bottom-code:id=5", "microaggregate:2"]
)
def test_whole_numbers_that_would_be_rounded_are_refused_without_showing_one(tmp_path: Path, method: str) -> None:
    table = pa.table({"id": [2**62 + 1, 2**62 + 3, 7], "ill": ["flu", "hiv", "flu"]})
    with pytest.raises(DataError) as caught:
        rows_of(made(tmp_path, method, table, schema_of(id="quasi integer", ill="sensitive text")))
    assert "column 'id'" in str(caught.value)
    assert str(2**62)[:6] not in f"{caught.value}{caught.value.__context__}"


@pytest.mark.parametrize("method", ["noise:gaussian,1e300", "bottom-code:id=1e30"])
def test_whole_numbers_that_no_column_holds_do_not_come_out(tmp_path: Path, method: str) -> None:
    table = pa.table({"id": [1, 2, 7], "ill": ["flu", "hiv", "flu"]})
    with pytest.raises(UsageError, match="would come out"):
        rows_of(made(tmp_path, method, table, schema_of(id="quasi integer", ill="sensitive text")))
