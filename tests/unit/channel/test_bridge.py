"""The distribution loss, the entropy loss and the best guesser, side by side over a space."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.beliefs import Prior, statistics_of
from sfumato.channel.bridge import side_by_side
from sfumato.channel.records import class_channel, guessing
from sfumato.channel.vulnerability import map_error
from sfumato.errors import UsageError

SCHEMA = sf.Schema.parse(
    {
        "attributes": {
            "age": {"role": "quasi", "hierarchy": {"tree": {"young": ["20", "30"], "old": ["40", "50"]}}},
            "sex": {"role": "quasi", "values": ["m", "f"]},
            "ill": {"role": "sensitive", "values": ["flu", "cold", "gout"]},
        }
    }
)


def _table(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    age, sex = rng.choice(["20", "30", "40", "50"], 200), rng.choice(["m", "f"], 200)
    ill = np.where(rng.random(200) < 0.5 * (age == "20"), "gout", rng.choice(["flu", "cold", "gout"], 200, p=[0.6, 0.3, 0.1]))
    return pa.table({"age": age, "sex": sex, "ill": ill})


def test_every_node_has_the_error_of_its_channel() -> None:
    with sf.Source(_table(1), SCHEMA).open() as table:
        space, counts = sf.explore(table), table.count()
    for point in space:
        rolled = counts.roll_up(point.node)
        assert point["map-error"] == pytest.approx(map_error(*class_channel(rolled)), abs=1e-12)
        guesses = guessing(statistics_of(rolled, SCHEMA["ill"], Prior.of(counts)))
        assert point["map-error.max"] == pytest.approx(1 - guesses.after.min(), abs=1e-12)


def test_views_are_counted_and_disagreements_are_found() -> None:
    space = sf.explore(_table(2), SCHEMA)
    found = side_by_side(space, epsilon=0.2, alpha=0.1, error=0.45)
    for place, point in enumerate(space):
        safe = [point["distribution.max"] <= 0.2, point["entropy.max"] <= 0.1, point["map-error"] >= 0.45]
        assert found.safe[place].tolist() == safe
        assert found.disagree[place] == (any(safe) and not all(safe))
    assert sum(row[1] for row in found.table().rows) == len(space) == 6
    assert len(found.disagreements().rows) == int(found.disagree.sum())
    assert {row[0] for row in found.rows().rows} == {point.node.brief() for point in space}


def test_a_class_that_permutes_the_prior_is_safe_to_entropy_alone() -> None:
    """Of 10 men 6 have flu, of 10 women 6 have a cold: L_PE is nearly 0 where sexes are apart, L_PD is not."""
    rows = [("20", "m", "flu")] * 6 + [("20", "m", "cold")] * 4 + [("20", "f", "cold")] * 6 + [("20", "f", "flu")] * 4
    space = sf.explore(pa.table(dict(zip(("age", "sex", "ill"), zip(*rows, strict=True), strict=True))), SCHEMA)
    found = side_by_side(space, epsilon=0.1, alpha=0.1, error=0.45)
    apart = found.nodes.index("[2,0]")
    assert found.safe[apart].tolist() == [False, True, False]
    assert found.safe[found.nodes.index("[2,1]")].tolist() == [True, True, True]


def test_medians_are_the_thresholds_unless_stated() -> None:
    space = sf.explore(_table(3), SCHEMA)
    found = side_by_side(space)
    assert found.thresholds == (
        np.median(space["distribution.max"]),
        np.median(space["entropy.max"]),
        np.median(space["map-error"]),
    )
    assert found.correlation.shape == (3, 3)


def test_the_least_error_is_found_and_the_bound_is_kept() -> None:
    table = _table(4)
    space = sf.explore(table, SCHEMA, models=["k-anonymity:5", "map-error:0.4"])
    best = space.best("map-error")
    assert best is not None
    found = sf.anonymize(table, SCHEMA, models=["k-anonymity:5", "map-error:0.4"], minimize="map-error")
    assert found.release.certificate.node == best.node.as_dict()
    for point in space:
        assert point["feasible"] == (point["smallest"] >= 5 and _least(table, point) >= 0.4 - 1e-9)


def _least(data: pa.Table, point: object) -> float:
    with sf.Source(data, SCHEMA).open() as table:
        counts = table.count()
    rolled = counts.roll_up(point.node)  # type: ignore[attr-defined]
    return float(1 - guessing(statistics_of(rolled, SCHEMA["ill"], Prior.of(counts))).after.max())


def test_a_space_without_sensitive_values_is_refused() -> None:
    bare = sf.Schema.parse({"attributes": {"sex": {"role": "quasi", "values": ["m", "f"]}}})
    with pytest.raises(UsageError, match="no losses of a sensitive attribute"):
        side_by_side(sf.explore(pa.table({"sex": ["m", "f", "f"]}), bare))
