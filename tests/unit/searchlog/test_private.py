"""The private release: delta against the closed form and against all outputs, the noise against its distribution, and who is counted."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime
from itertools import product
from math import exp, isclose, log1p, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataSayNo, PrivacyWarning
from sfumato.searchlog import publish, verify
from sfumato.searchlog.publishing.noising import noisy_counts
from sfumato.searchlog.publishing.private import Privacy, delta_of
from sfumato.searchlog.publishing.reading import COUNTS
from tests.unit.searchlog.logs import Row, searched, write

NOW = datetime(2026, 3, 1, tzinfo=UTC)

ABSENT = None
FAR = 80  # beyond it, noise of scale 2 has a probability below 1e-17


def noise(scale: float, z: int) -> float:
    """P(Z = z), from the definition."""
    p = exp(-1 / scale)
    return (1 - p) / (1 + p) * p ** abs(z)


def outputs(count: int, privacy: Privacy) -> dict[int | None, float]:
    """What is published of a query that so many people have, with its probability."""
    if count < privacy.threshold:
        return {ABSENT: 1.0}
    shown = {value: noise(privacy.scale, value - count) for value in range(privacy.least, privacy.least + FAR)}
    return {ABSENT: 1 - sum(shown.values()), **shown}


def beyond(one: dict[int | None, float], other: dict[int | None, float], epsilon: float) -> float:
    """The largest P(S) - e^epsilon Q(S) over all sets S of outputs."""
    return sum(max(p - exp(epsilon) * other.get(output, 0.0), 0.0) for output, p in one.items())


def of_both(first: dict[int | None, float], second: dict[int | None, float]) -> dict[object, float]:
    return {(one, other): p * q for (one, p), (other, q) in product(first.items(), second.items())}


@pytest.mark.parametrize("threshold", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_delta_is_exactly_what_a_query_of_one_person_gives_away(threshold: int, epsilon: float) -> None:
    privacy = Privacy(epsilon, 1e-3, 1, 1, threshold)
    there, not_there = outputs(threshold, privacy), outputs(threshold - 1, privacy)
    assert isclose(beyond(there, not_there, epsilon), privacy.delta_spent, rel_tol=1e-6)
    assert beyond(not_there, there, epsilon) <= privacy.delta_spent
    for count in range(threshold, privacy.least + 10):
        one, other = outputs(count, privacy), outputs(count + 1, privacy)
        assert max(beyond(one, other, epsilon), beyond(other, one, epsilon)) <= 1e-12


@pytest.mark.parametrize("counts", [(2, 2), (2, 5), (2, 9), (6, 7)])
def test_two_queries_of_one_person_together_cost_what_is_promised(counts: tuple[int, int]) -> None:
    privacy = Privacy(1.0, 0.02, 2, 1, 2)
    assert privacy.scale == 2
    there = of_both(*(outputs(count, privacy) for count in counts))
    without = of_both(*(outputs(count - 1, privacy) for count in counts))
    spent = privacy.delta_spent
    assert beyond(there, without, 1.0) <= spent * (1 + 1e-9)  # type: ignore[arg-type]
    assert beyond(without, there, 1.0) <= spent * (1 + 1e-9)  # type: ignore[arg-type]
    if counts == (2, 2):
        assert isclose(beyond(there, without, 1.0), spent, rel_tol=1e-6)  # type: ignore[arg-type]


def test_delta_follows_the_closed_form_worked_by_hand() -> None:
    # Scale 1: p = 1/e, P(Z >= 2) = p^2 / (1 + p); three changes: 1 - (1 - q)^3.
    q = exp(-2) / (1 + exp(-1))
    assert delta_of(1.0, 2, 1) == pytest.approx(q, rel=1e-12)
    assert delta_of(1.0, 2, 3) == pytest.approx(1 - (1 - q) ** 3, rel=1e-12)
    assert delta_of(1.0, 60, 4) == pytest.approx(4 * exp(-60) / (1 + exp(-1)), rel=1e-9)  # no digits are lost
    # The case of opendp's issue 2922: scale 1, threshold 3, a count of 1 shows in 9.9 % of trials, and not in 3.6 %.
    assert delta_of(1.0, 2, 1) == pytest.approx(0.0989, abs=5e-5)


@settings(max_examples=60)
@given(
    epsilon=st.floats(0.01, 8),
    delta=st.floats(1e-12, 0.4),
    per_person=st.integers(1, 40),
    periods=st.integers(1, 30),
    threshold=st.integers(1, 20),
)
def test_the_threshold_is_the_least_that_keeps_delta(
    epsilon: float, delta: float, per_person: int, periods: int, threshold: int
) -> None:
    privacy = Privacy(epsilon, delta, per_person, periods, threshold)
    assert privacy.scale * epsilon == pytest.approx(per_person * periods)
    assert privacy.delta_spent <= delta
    assert privacy.least >= threshold
    lift = privacy.least - threshold
    assert lift == 0 or delta_of(privacy.scale, lift - 1, privacy.changes) > delta


def counts_of(people: int, queries: int) -> pa.Table:
    columns = [pa.array([1] * queries, pa.int32()), pa.array([f"q{n:06d}" for n in range(queries)]), pa.array([people] * queries)]
    return pa.table(columns, schema=COUNTS)


def test_the_noise_has_the_scale_that_is_promised() -> None:
    """4,000 draws at scale 3: the variance of the noise is 2 p / (1 - p)^2. An error comes about once in 10^6 runs (five deviations)."""
    privacy = Privacy(1.0, 1e-9, 3, 1, 1)
    table = noisy_counts(counts_of(100_000, 4_000), privacy)
    drawn = np.asarray(table.column("People")) - 100_000
    p = exp(-1 / 3)
    variance = 2 * p / (1 - p) ** 2
    assert abs(drawn.mean()) < 5 * sqrt(variance / 4_000)
    # The fourth moment of a Laplace distribution is 6 times the square of the variance: so wide is the variance of a sample.
    assert abs(drawn.var() - variance) < 5 * variance * sqrt(5.2 / 4_000)


def test_a_query_of_one_person_shows_as_often_as_delta_says() -> None:
    """20,000 queries that one person more than allowed lifts to the threshold, each with delta 0.05: five deviations, once in 10^6 runs."""
    privacy = Privacy(1.0, 0.05, 1, 1, 5)
    shown = noisy_counts(counts_of(5, 20_000), privacy).num_rows / 20_000
    expected = privacy.delta_spent
    assert abs(shown - expected) < 5 * sqrt(expected * (1 - expected) / 20_000)


def crowd(people: int, queries: int) -> list[Row]:
    return [searched(f"u{user:03d}", f"q{number}", user + number) for user in range(people) for number in range(queries)]


def test_every_person_counts_once_for_a_query_and_for_so_many_queries_as_declared(tmp_path: Path) -> None:
    rows = crowd(300, 1) * 3 + [searched("bot", f"spam{number}", number) for number in range(50) for _ in range(20)]
    log = write(tmp_path / "log.parquet", rows)
    made = publish(log, tmp_path / "out.parquet", private="5,1e-6", per_person=1, threshold=5)
    table = pq.read_table(made.file).to_pylist()
    assert [row["Query"] for row in table] == ["q0"]
    assert abs(table[0]["People"] - 300) < 20  # scale 0.2
    # Each of 200 people has four queries and counts for one: about 50 people per query, and 200 in all.
    log = write(tmp_path / "log.parquet", crowd(200, 4))
    made = publish(log, tmp_path / "out.parquet", private="5,1e-6", per_person=1, threshold=5, force=True)
    counts = [row["People"] for row in pq.read_table(made.file).to_pylist()]
    assert len(counts) == 4
    assert abs(sum(counts) - 200) < 20


def test_periods_are_released_together_and_what_is_outside_is_not_counted(tmp_path: Path) -> None:
    rows = [searched(f"u{user:03d}", "tax", day * 1_440 + user) for user in range(150) for day in range(4)]
    declared = {"begin": "2026-03-02", "period": "1d", "periods": 2}
    made = publish(write(tmp_path / "log.parquet", rows), tmp_path / "out.csv", private="4,1e-6", per_person=1, **declared)  # type: ignore[arg-type]
    assert made.privacy is not None
    assert (made.privacy.changes, made.privacy.scale) == (2, 0.5)
    found = verify(made.file)
    assert (found.counted["rows"], found.counted["last_period"]) == (2, 2)


def test_the_certificate_of_a_private_release_has_nothing_that_was_read_off_the_log(tmp_path: Path) -> None:
    certificates = []
    for people in (300, 301):
        log = write(tmp_path / "log.parquet", crowd(people, 1))
        made = publish(
            log, tmp_path / "out.parquet", private="1,1e-6", per_person=1, force=True, now=NOW, ledger=tmp_path / f"{people}"
        )
        of_the_file = ("sha256", "bytes", "counted", "digest")
        certificate = {name: each for name, each in made.certificate.as_dict().items() if name not in of_the_file}
        certificates.append(certificate)
        assert "dropped" not in certificate
        assert str(people) not in str(certificate)
    assert certificates[0] == certificates[1]


def test_whether_there_is_a_private_release_does_not_depend_on_how_many_people_there_are(tmp_path: Path) -> None:
    """One person more, and delta would no longer be below one in the people: a refusal would tell that this person is there."""
    for people in (199, 201):
        log, place = write(tmp_path / "log.parquet", crowd(people, 1)), tmp_path / f"{people}.parquet"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            publish(log, place, private="5,0.005", per_person=1)
        assert place.exists()
        warned = [str(each.message) for each in caught if each.category is PrivacyWarning]
        assert [text.partition(":")[0] for text in warned] == (
            [] if people == 199 else ["delta is not below one in the 201 people of the log"]
        )


def test_if_nothing_is_beyond_the_noise_the_answer_is_no(tmp_path: Path) -> None:
    with pytest.raises(DataSayNo, match="no query is beyond the noise"):
        publish(write(tmp_path / "log.parquet", crowd(12, 1)), tmp_path / "out.parquet", private="0.1,1e-6", per_person=1)
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


def test_delta_is_precise_where_it_is_tiny() -> None:
    assert delta_of(1.0, 700, 1) > 0
    assert log1p(-delta_of(1.0, 40, 1)) < 0
