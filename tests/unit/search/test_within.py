"""Bounds over the nodes of a space: who keeps them, and the least feasible ones against a search through all values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.search.evaluation import Evaluations, Measure
from sfumato.search.space.within import LOSS_OF, Bounds

NAMES = tuple(LOSS_OF)
FEW = st.integers(0, 4).map(float)


def nodes(rows: list[tuple[float, ...]]) -> Evaluations:
    values = np.array(rows, np.float64).reshape(-1, 4)
    columns = {Measure(LOSS_OF[name], worst=True): values[:, place] for place, name in enumerate(NAMES)}
    return Evaluations(np.arange(len(rows), dtype=np.int16)[:, None], columns)


@given(
    st.lists(st.tuples(FEW, FEW, FEW, FEW), min_size=1, max_size=12),
    st.tuples(*[st.none() | FEW] * 4),
    st.data(),
)
def test_the_least_feasible_bound_is_the_smallest_that_works(
    rows: list[tuple[float, ...]], limits: tuple[float | None, ...], data: st.DataObject
) -> None:
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    given_ = dict(zip(NAMES, limits, strict=True))
    bounds, space = Bounds(**given_), nodes(rows)
    for each in bounds.least(space, allowed):
        works = [
            value
            for value in np.unique(rows)
            if (Bounds(**(given_ | {each.parameter: float(value)})).kept(space) & allowed).any()
        ]
        assert each.least == (min(works) if works else None)
        if each.place is not None:
            assert allowed[each.place]
            assert space[Measure.parse(each.column)][each.place] == each.least
            assert Bounds(**(given_ | {each.parameter: each.least})).kept(space)[each.place]


def test_a_bound_is_kept_within_the_tolerance() -> None:
    space = nodes([(0.3 + 5e-10, 0, 0, 0), (0.3 + 5e-9, 0, 0, 0)])
    assert Bounds(epsilon=0.3).kept(space).tolist() == [True, False]
    assert Bounds(epsilon=0.3).kept(space, without="epsilon").all()


def test_the_scope_says_which_column_is_bounded() -> None:
    assert Bounds(gamma=1).column("gamma") == "utility-entropy.max"
    assert Bounds(gamma=1, scope="total").column("gamma") == "utility-entropy"
    bounds = Bounds(epsilon=1, gamma=2)
    assert (bounds.privacy, bounds.utility) == ({"epsilon": 1}, {"gamma": 2})


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf")])
def test_a_bound_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="at least 0") as refused:
        Bounds(alpha=value)
    assert refused.value.where == "alpha"


def test_an_unknown_scope_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'total'"):
        Bounds(scope="totals")
