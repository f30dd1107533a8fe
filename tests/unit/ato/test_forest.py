"""Our arrays of the trees predict what scikit-learn predicts, say why, and refuse indices that lead nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sfumato.applications.ato.forest import Forest, loops
from sfumato.applications.ato.forest.model import FEATURES
from sfumato.errors import DataError
from tests.unit.ato.making import some_forest, some_model, some_rows


def changed(forest: Forest, **arrays: Any) -> Forest:
    own = {name: getattr(forest, name) for name in ("offsets", "feature", "threshold", "left", "right", "share")}
    return Forest.checked(features=forest.features, **(own | arrays))


def replaced(array: Any, place: int, value: Any) -> Any:
    fresh = array.copy()
    fresh[place] = value
    return fresh


@pytest.mark.parametrize(("trees", "depth", "leaf"), [(1, 1, 1), (7, 3, 5), (75, 15, 8), (20, None, 1)])
def test_scores_are_those_of_scikit_learn_to_the_last_bit(trees: int, depth: int, leaf: int) -> None:
    fitted = some_forest(trees, depth, leaf)
    rows, _ = some_rows(5000, 11)
    assert hasattr(loops.scores, "py_func"), "the compiled loop was not taken"
    assert np.array_equal(Forest.of(fitted).scores(rows), fitted.predict_proba(rows)[:, 1])


def test_values_at_and_beside_a_threshold_go_where_scikit_learn_sends_them() -> None:
    fitted = some_forest()
    forest = Forest.of(fitted)
    splits = np.flatnonzero(forest.feature >= 0)[:300]
    rows = np.repeat(some_rows(1, 5)[0], 3 * len(splits), axis=0)
    for place, node in enumerate(splits):
        for step, value in enumerate((forest.threshold[node], np.nextafter(forest.threshold[node], np.inf), 2.0**24 + 1)):
            rows[3 * place + step, forest.feature[node]] = value
    assert np.array_equal(forest.scores(rows), fitted.predict_proba(rows)[:, 1])


def test_the_compiled_walk_equals_a_plain_one() -> None:
    forest, (rows, _) = Forest.of(some_forest(5)), some_rows(50, 2)

    def walked(tree: int, row: Any) -> float:
        first = node = int(forest.offsets[tree])
        while forest.feature[node] >= 0:
            side = forest.left if np.float32(row[forest.feature[node]]) <= forest.threshold[node] else forest.right
            node = first + int(side[node])
        return float(forest.share[node])

    expected = [sum(walked(tree, row) for tree in range(forest.trees)) / forest.trees for row in rows]
    assert forest.scores(rows).tolist() == expected


def test_base_and_contributions_add_up_to_the_score() -> None:
    forest, (rows, _) = Forest.of(some_forest(75, 15, 8)), some_rows(3000, 12)
    assert np.allclose(forest.base + forest.contributions(rows).sum(axis=1), forest.scores(rows), rtol=0, atol=1e-12)


def test_the_reason_is_the_feature_that_decides() -> None:
    """Three splits by hand: agent first, then failing users; a row that the agent raises and the users lower, and the reverse."""
    forest = Forest.checked(
        features=7,
        offsets=np.array([0, 5]),
        feature=np.array([6, -1, 2, -1, -1]),
        threshold=np.array([0.5, 0, 9.5, 0, 0]),
        left=np.array([1, 0, 3, 0, 0]),
        right=np.array([2, 0, 4, 0, 0]),
        share=np.array([0.2, 0.1, 0.5, 0.4, 1.0]),
    )
    rows = np.zeros((3, 7))
    rows[1, 6] = rows[2, 6] = 1
    rows[2, 2] = 10
    assert forest.scores(rows).tolist() == [0.1, 0.4, 1.0]
    assert forest.contributions(rows)[:, [2, 6]] == pytest.approx(np.array([[0, -0.1], [-0.1, 0.3], [0.5, 0.3]]))
    sides = forest.contributions_by_side(rows)
    assert sides[1, :, 2] == pytest.approx([-0.1, 0]), "few users lower it"
    assert sides[2, :, 2] == pytest.approx([0, 0.5]), "many users raise it"
    model = some_model()
    object.__setattr__(model, "forest", forest)
    assert [(*FEATURES, None)[place] for place in model.reasons(rows)[0]] == [None, "UserAgentFlag", "IPBadUsers"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("feature", 7, "a feature that does not exist"),
        ("feature", -2, "a feature that does not exist"),
        ("left", 0, "no later node"),
        ("left", -1, "no later node"),
        ("right", 10**6, "no later node"),
        ("threshold", np.nan, "no number"),
        ("share", 1.5, "between 0 and 1"),
        ("share", np.nan, "between 0 and 1"),
        ("offsets", 1, "divide the nodes"),
    ],
)
def test_a_forest_with_a_wrong_index_or_number_is_refused(name: str, value: Any, message: str) -> None:
    forest = Forest.of(some_forest(3))
    with pytest.raises(ValueError, match=message):
        changed(forest, **{name: replaced(getattr(forest, name), 0, value)})


def test_a_node_with_two_parents_is_refused() -> None:
    """Walks through it would end; but it is no tree, and a few nodes could have as many paths as there are atoms."""
    forest = Forest.of(some_forest(3))
    with pytest.raises(ValueError, match="exactly one split"):
        changed(forest, left=replaced(forest.left, 0, forest.right[0]))


def test_rows_with_another_number_of_features_are_refused() -> None:
    with pytest.raises(DataError, match="7 features"):
        Forest.of(some_forest(2)).scores(np.zeros((3, 6)))
