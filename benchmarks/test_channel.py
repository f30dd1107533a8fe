"""The bars of channels: the MAP error of ten million entries, and the capacity of a thousand inputs by a thousand outputs."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse

from sfumato.channel import ChannelMatrix, blahut_arimoto, capacity, map_error

INPUTS, OUTPUTS, EACH = 1_000_000, 100_000, 10
TOLERANCE = 1e-9


@pytest.fixture(scope="module")
def sparse() -> ChannelMatrix:
    rng = np.random.default_rng(1)
    entries = rng.random((INPUTS, EACH))
    places = rng.integers(0, OUTPUTS, INPUTS * EACH).astype(np.int32)
    ends = np.arange(0, INPUTS * EACH + 1, EACH)
    return ChannelMatrix.of(
        scipy.sparse.csr_array(((entries / entries.sum(axis=1, keepdims=True)).ravel(), places, ends), (INPUTS, OUTPUTS))
    )


def test_the_map_error_of_ten_million_entries_takes_under_two_seconds(sparse: ChannelMatrix) -> None:
    prior = np.random.default_rng(2).dirichlet(np.ones(INPUTS))
    for name, given in (("uniform", None), ("drawn", prior)):
        start = time.perf_counter()
        error = map_error(sparse, given)
        took = time.perf_counter() - start
        print(f"\nMAP error of {sparse.entries:,} entries, {name} prior: {error:.6f} in {took:.2f} s (bar 2 s)")
        assert took < 2


def _channels() -> dict[str, np.typing.NDArray[np.float64]]:
    rng = np.random.default_rng(1)
    apart = np.abs(np.subtract.outer(np.arange(1000), np.arange(1000)))
    return {
        "dense": rng.dirichlet(np.ones(1000), 1000),
        "peaked": rng.dirichlet(np.full(1000, 0.05), 1000),
        "geometric": 0.9**apart,
        "band": rng.random((1000, 1000)) * (apart < 5),
        "of rank three": rng.dirichlet(np.ones(3), 1000) @ rng.dirichlet(np.ones(1000), 3),
    }


@pytest.mark.parametrize("name", _channels())
def test_the_capacity_of_a_thousand_by_a_thousand_takes_under_five_seconds(name: str) -> None:
    rows = _channels()[name]
    rows = np.where(rows < 1e-12, 0, rows)
    channel = ChannelMatrix.of(rows / rows.sum(axis=1, keepdims=True))
    start = time.perf_counter()
    found = capacity(channel, TOLERANCE)
    took = time.perf_counter() - start
    plain = blahut_arimoto(channel, TOLERANCE, 300)
    print(
        f"\ncapacity, {name}: {found.value:.9f} bits, residual {found.residual:.1e}, {found.steps} steps, {took:.2f} s (bar 5 s); ",
        end="",
    )
    print(f"300 steps of Blahut and Arimoto leave {plain.residual:.1e}")
    assert found.residual <= TOLERANCE
    assert took < 5
