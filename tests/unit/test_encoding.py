"""Columns of numbers are encoded without writing and reading each value; what comes out is the same."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.encoding import canonical_texts
from sfumato.errors import DataError
from sfumato.vocabulary.kinds import Kind, Role, canonical
from sfumato.vocabulary.schema import Attribute

decimals = st.one_of(st.none(), st.floats(allow_infinity=False), st.sampled_from([0.0, -0.0, 1e22, 1e-7, float("nan")]))
integers = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))


def plainly(kind: Kind, value: Any) -> str | None:
    return None if value is None or math.isnan(value) else canonical(kind, repr(value))


@given(st.lists(decimals))
def test_typed_fractions_are_spelled_like_written_ones(values: list[float | None]) -> None:
    column = pa.array(values, pa.float64(), from_pandas=False)
    attribute = Attribute("x", Role.QUASI, Kind.DECIMAL)
    assert canonical_texts(attribute, column, ()) == [plainly(Kind.DECIMAL, value) for value in values]


@given(st.lists(integers))
def test_typed_whole_numbers_are_spelled_like_written_ones(values: list[int | None]) -> None:
    attribute = Attribute("x", Role.QUASI, Kind.INTEGER)
    texts = canonical_texts(attribute, pa.array(values, pa.int64()), ("",))
    assert texts == [None if value is None else canonical(Kind.INTEGER, str(value)) for value in values]


def test_infinite_fractions_do_not_fit() -> None:
    attribute = Attribute("x", Role.QUASI, Kind.DECIMAL)
    with pytest.raises(DataError, match="2 distinct values do not fit type 'decimal'"):
        canonical_texts(attribute, pa.array([1.5, float("inf"), float("-inf")]), ())
