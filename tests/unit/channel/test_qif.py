"""Values of another implementation.

Computed with qif 1.6.0 (libqif, Chatzikokolakis et al.): `measure.bayes_vuln`, `measure.g_vuln`, `measure.shannon`, `measure.d_privacy`,
`refinement.refined_by` and `mechanism.bayes_vuln.min_loss_given_max_vuln`, with the channels, priors and gains below.
"""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.channel import (
    ChannelMatrix,
    Gain,
    capacity,
    conditional_entropy,
    g_leakage,
    g_vulnerability,
    judge,
    least_loss,
    min_capacity,
    min_entropy_leakage,
    mutual_information,
    posterior_vulnerability,
    prior_g_vulnerability,
    refinement,
)
from tests.unit.channel.channels import Floats, appendix, shares

OTHER = ChannelMatrix.of(
    [[0.5, 0.3, 0.1, 0.1, 0], [0.1, 0.1, 0.6, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2], [0, 0.05, 0.15, 0.35, 0.45]]
)
GAIN = Gain.of([[1, 0.5, 0, 0], [0, 1, 0.25, 0], [0.2, 0.2, 1, 0.6], [0, 0, 0.3, 1]])
SKEWED = [0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize(
    ("channel", "prior", "vulnerability", "leakage", "gain", "left", "learned"),
    [
        (appendix(), None, 0.45955882352941174, 0.8783214434117476, 0.5653361344537815, 1.6809049667515885, 0.3190950332484115),
        (appendix(), SKEWED, 0.4928571428571429, 0.301169534720565, 0.6012899159663865, 1.5774633233693685, 0.2689760213016472),
        (OTHER, None, 0.55, 1.1375035237499351, 0.6275000000000001, 1.5608349643880222, 0.43916503561197784),
        (OTHER, SKEWED, 0.5599999999999999, 0.48542682717024144, 0.647, 1.4775684813103238, 0.36887086336069186),
    ],
)
def test_measures(
    channel: ChannelMatrix,
    prior: list[float] | None,
    vulnerability: float,
    leakage: float,
    gain: float,
    left: float,
    learned: float,
) -> None:
    assert posterior_vulnerability(channel, prior) == pytest.approx(vulnerability, abs=1e-12)
    assert min_entropy_leakage(channel, prior) == pytest.approx(leakage, abs=1e-12)
    assert g_vulnerability(channel, GAIN, prior) == pytest.approx(gain, abs=1e-12)
    assert prior_g_vulnerability(channel, GAIN, prior) == pytest.approx(0.5 if prior is None else 0.6, abs=1e-12)
    assert conditional_entropy(channel, prior) == pytest.approx(left, abs=1e-12)
    assert mutual_information(channel, prior) == pytest.approx(learned, abs=1e-12)


@pytest.mark.parametrize(
    ("channel", "most", "least"),
    [(appendix(), 0.4079404447828023, 0.8783214434117476), (OTHER, 0.6208979707073756, 1.1375035237499351)],
)
def test_capacities(channel: ChannelMatrix, most: float, least: float) -> None:
    assert capacity(channel).value == pytest.approx(most, abs=1e-9)
    assert min_capacity(channel) == pytest.approx(least, abs=1e-12)


def made() -> tuple[ChannelMatrix, Floats, Floats]:
    """A channel by a formula, the prior 1/36, 2/36, …, and how far inputs are apart."""
    x, y = np.mgrid[:8, :6]
    return (
        ChannelMatrix.of(shares(1.0 + (7 * x * x + 5 * x * y + 3 * y**3) % 11)),
        np.arange(1, 9) / 36,
        abs(np.subtract.outer(np.arange(8), np.arange(8))),
    )


def test_a_larger_channel() -> None:
    channel, prior, apart = made()
    assert posterior_vulnerability(channel, prior) == pytest.approx(0.29320227282153377, abs=1e-12)
    assert mutual_information(channel, prior) == pytest.approx(0.13051975494607104, abs=1e-12)
    assert capacity(channel).value == pytest.approx(0.18275189141948095, abs=1e-9)
    assert g_vulnerability(channel, Gain.within(apart, 1), prior) == pytest.approx(0.6180947164081569, abs=1e-12)
    assert 2 ** g_leakage(channel, Gain.within(apart, 1), prior) == pytest.approx(1.0595909424139835, abs=1e-12)


def test_epsilon() -> None:
    channel, _, apart = made()
    assert judge(channel, "differential-privacy:2").value == pytest.approx(2.054123733695546)
    assert judge(channel, "differential-privacy:2", neighbors=apart == 1).value == pytest.approx(1.6607312068216507)


def test_refinement() -> None:
    first = appendix()
    merged = ChannelMatrix.of(first.dense() @ [[0.7, 0.3], [0.2, 0.8], [0.5, 0.5], [0.1, 0.9]])
    found = [refinement(*pair).holds for pair in ((first, merged), (merged, first), (first, OTHER), (OTHER, first))]
    assert found == [True, False, False, False]


@pytest.mark.parametrize(("most", "loss"), [(0.3, 0.8833333333333334), (0.4, 0.6166666666666667), (0.6, 0.4)])
def test_the_least_loss_within_a_bound(most: float, loss: float) -> None:
    _, prior, apart = made()
    assert least_loss(apart, most, prior=prior).value == pytest.approx(loss, abs=1e-9)
