"""What a place in a graph gives away about an attribute: by hand, against counting people one by one, and against the losses of a table."""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.graph import Attribute, Graph, attack, changed, profile
from sfumato.graph.leak import leak
from tests.unit.graph.small import PATH

PARTY = Attribute.of("party", ["red", "red", "blue", "blue", "red"])


def test_a_path_of_five_by_hand() -> None:
    # By degree: ends {red, red}, middle {red, blue, blue}; prior (2/5, 3/5) for blue and red.
    (found,) = profile(PATH, knows=["degree"], attribute=PARTY).alike
    assert found.leak is not None
    ends, middle = sqrt(2) * 0.4, sqrt(2) * (2 / 3 - 2 / 5)
    assert found.leak.distribution.max == pytest.approx(ends)
    assert found.leak.distribution.people_mean == pytest.approx((2 * ends + 3 * middle) / 5)
    prior = -0.4 * log2(0.4) - 0.6 * log2(0.6)
    thirds = -(1 / 3) * log2(1 / 3) - (2 / 3) * log2(2 / 3)
    assert found.leak.entropy.max == pytest.approx(prior)
    assert found.leak.entropy.min == pytest.approx(abs(prior - thirds))
    # Guesses: red for everybody is right for 3 of 5; red for the ends and blue for the middle for 4 of 5.
    assert (found.leak.before, found.leak.after) == (pytest.approx(0.6), pytest.approx(0.8))


def test_models_judge_people_who_look_alike() -> None:
    (found,) = profile(PATH, knows=["degree"], attribute=PARTY, models=["k-anonymity:2", "distinct-diversity:2"]).alike
    assert [(each.value, each.satisfied) for each in found.verdicts] == [(2, True), (1, False)]
    with pytest.raises(UsageError, match="name the table of people"):
        profile(PATH, models="distinct-diversity:2")
    with pytest.raises(UsageError, match="is not for graphs"):
        profile(PATH, models="k-map:2")
    with pytest.raises(UsageError, match="3 values for 5 nodes"):
        profile(PATH, attribute=Attribute.of("x", [1, 2, 3]))


CLASSES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=12)


@given(CLASSES)
def test_the_leak_of_a_changed_graph_is_that_of_people_one_by_one(people: list[tuple[int, int, int]]) -> None:
    known, candidates, values = (np.array(column) for column in zip(*people, strict=True))
    attribute = Attribute.of("value", values.tolist())
    found = leak(known, candidates, attribute, attribute)
    prior = np.bincount(attribute.codes) / len(people)
    distances, right = [], []
    for person in range(len(people)):
        fitting = attribute.codes[candidates == known[person]]
        if not len(fitting):
            distances.append(0.0)
            counts = np.bincount(attribute.codes, minlength=len(prior))
        else:
            counts = np.bincount(fitting, minlength=len(prior))
            distances.append(float(np.sqrt(((counts / len(fitting) - prior) ** 2).sum())))
        top = counts == counts.max()
        right.append(top[attribute.codes[person]] / top.sum())
    assert found.distribution.people_mean == pytest.approx(np.mean(distances))
    assert found.distribution.max == pytest.approx(max(distances))
    assert found.after == pytest.approx(np.mean(right))


def test_a_release_without_changes_leaks_what_the_original_does() -> None:
    for name in ("degree", "neighbors", "hubs"):
        (original,) = profile(PATH, knows=[name], attribute=PARTY).alike
        (attempt,) = attack(PATH, [changed(PATH, "deidentify", seed=4)], knows=[name], attribute=PARTY).attempts
        assert original.leak is not None
        assert attempt.leak is not None
        for one, other in zip(
            (original.leak.distribution, original.leak.entropy), (attempt.leak.distribution, attempt.leak.entropy), strict=True
        ):
            assert (one.max, one.people_mean) == pytest.approx((other.max, other.people_mean))
        assert original.leak.after == attempt.leak.after


def test_nobody_learns_anything_where_everybody_looks_alike() -> None:
    ring = Graph.of(6, [(node, (node + 1) % 6) for node in range(6)])
    (found,) = profile(ring, knows=["second-round"], attribute=Attribute.of("x", list("aaabbb"))).alike
    assert found.leak is not None
    assert (found.leak.distribution.max, found.leak.entropy.max, found.leak.after) == (0, 0, 0.5)
