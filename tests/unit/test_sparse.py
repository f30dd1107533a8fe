"""Columns from the cells of classes that have few of very many values are those of the dense blocks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.sparse import SPARSE
from sfumato.statistics import COLUMNS, ClassStatistics
from tests.unit.losses.classes import classes, counts_of, places, statistics, trees

WHOLE = ("mass", "distinct", "top")
PARAMETERS = {"capped_gain": (0.7,)}


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every class counts as one of few values."""
    monkeypatch.setattr("sfumato.statistics._WIDE", 1)
    monkeypatch.setattr("sfumato.statistics._FEW", 1)


def assert_same(known: ClassStatistics, close: float = 1e-13) -> None:
    for name in SPARSE:
        found, right = known.column(name, *PARAMETERS.get(name, ())), known._dense(name, PARAMETERS.get(name, ()))
        assert found.dtype == right.dtype, name
        if name in WHOLE:
            assert found.tolist() == right.tolist()
        assert not np.isnan(found).any()
        assert np.array_equal(np.isinf(found), np.isinf(right)), name
        finite = np.isfinite(right)
        assert (np.abs(found[finite] - right[finite]) <= close * np.maximum(1, np.abs(right[finite]))).all(), (name, found, right)


@settings(max_examples=150)
@given(st.data())
def test_sparse_columns_are_the_dense_ones(data: st.DataObject) -> None:
    """Whatever the prior lacks, in any tree, wherever the values are among the declared ones."""
    drawn = data.draw(classes())
    size = len(drawn[0])
    assert_same(statistics(drawn, data.draw(counts_of(size)), tree=data.draw(trees(size)), places=data.draw(places(size))))


@settings(max_examples=50)
@given(classes())
def test_a_class_with_the_distribution_of_the_prior_differs_by_nothing(drawn: list[list[int]]) -> None:
    known = statistics(drawn[:1], [7 * count for count in drawn[0]])
    for name in ("distribution", "l1", "kl", "js", "hellinger", "chi2", "emd_equal", "emd_hierarchical"):
        assert known.column(name).tolist() == [0.0]
    assert known.column("emd_ordered")[0] == pytest.approx(0, abs=1e-15)


def spread(size: int, rows: int, skew: float, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Counts of sixty classes over many values, some of them far more frequent than others."""
    weights = (1 + np.arange(size)) ** -skew
    counts = np.zeros((60, size), np.int64)
    np.add.at(counts, (rng.integers(0, 60, rows), rng.choice(size, rows, p=weights / weights.sum())), 1)
    counts[np.arange(60), rng.integers(0, size, 60)] += 1
    return counts


@pytest.mark.parametrize("skew", [0.0, 1.0, 3.0])
def test_nothing_is_lost_over_thousands_of_values(skew: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that nearly everybody has leaves little to the values that a class lacks: that little is right, too."""
    rng = np.random.default_rng(int(skew))
    counts = spread(3000, 900, skew, rng)
    tree = [(np.arange(3000) // 10).tolist(), (np.arange(3000) // 500).tolist(), [0] * 3000]
    known = statistics(counts.tolist(), tree=tree)
    assert_same(known)
    monkeypatch.setattr("sfumato.statistics._FEW", 400)  # classes of more than seven values are made dense
    mixed = statistics(counts.tolist(), tree=tree)
    split = mixed._split()
    assert split is not None
    assert split.thin.any()
    assert_same(mixed)


def test_many_values_are_not_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    known = statistics(spread(3000, 900, 0.0, np.random.default_rng(1)).tolist())

    def dense(*given: object) -> None:
        raise AssertionError

    monkeypatch.setattr(ClassStatistics, "_blocks", dense)
    monkeypatch.setattr("sfumato.statistics.COLUMNS", {})
    for name in SPARSE:
        assert len(known.column(name, *PARAMETERS.get(name, ()))) == 60
    assert set(SPARSE) <= set(COLUMNS)


@pytest.mark.parametrize("name", ["distribution", "emd_ordered", "kl"])
def test_the_largest_value_of_a_column_is_that_of_a_class_of_one_value(name: str) -> None:
    prior = [5, 1, 3, 0, 2]
    known = statistics([[1, 1, 1, 1, 1]], prior)
    pure = statistics(np.eye(5, dtype=int).tolist(), prior)
    assert known.most(name) == pure._dense(name, ()).max()
