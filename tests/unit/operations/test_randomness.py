"""What is random depends on the seed, the column and the place of a row, and on nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.operations.randomness import Draws


@given(st.integers(0, 2**128 - 1), st.integers(0, 50), st.integers(1, 50))
def test_numbers_do_not_depend_on_how_rows_are_divided(seed: int, cut: int, more: int) -> None:
    draws = Draws(seed, "age")
    whole = draws.raw(0, cut + more)
    assert np.array_equal(whole, np.concatenate([draws.raw(0, cut), draws.raw(cut, more)]))


def test_columns_and_seeds_have_numbers_of_their_own() -> None:
    numbers = [Draws(seed, name).raw(0, 4).tolist() for seed in (1, 2) for name in ("age", "zip")]
    assert len({str(each) for each in numbers}) == 4


def test_the_numbers_have_the_stated_distributions() -> None:
    # 200,000 draws: a mean beyond 6 standard errors has a probability of about 2e-9.
    count, draws = 200_000, Draws(3, "x")
    normal, laplace, uniform = draws.normal(0, count), draws.laplace(0, count), draws.uniform(0, count)
    for numbers, variance, fourth in ((normal, 1, 3), (laplace, 2, 24), (uniform[:, 0] - 0.5, 1 / 12, 1 / 80)):
        assert abs(numbers.mean()) < 6 * np.sqrt(variance / count)
        assert abs((numbers**2).mean() - variance) < 6 * np.sqrt((fourth - variance**2) / count)
    assert uniform.min() >= 0
    assert uniform.max() < 1
