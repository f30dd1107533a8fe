"""The trees of a random forest of two classes, as arrays of nodes; and the check that they are trees.

The nodes of tree t are offsets[t]:offsets[t + 1], its root is the first. A node with `feature` -1 is a leaf. At any other, a row
goes to `left` if its value is at most the threshold, else to `right`; both are counted from the first node of the tree and come after
their parent, so that every walk ends. `share` is the share of the second class, among what the node was trained on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.forest import loops
from sfumato.errors import DataError

Floats = npt.NDArray[np.float64]
LEAF = -1
MOST_FEATURES = 256
MOST_TREES = 10_000
MOST_NODES = 50_000_000
MOST_STEPS = 100_000  # that a row takes through all trees; the largest forest of the thesis has 20,000


@dataclass(frozen=True, eq=False)
class Forest:
    """Arrays of the nodes of all trees, and how many features a row has. Whatever was made by `checked` cannot leave its arrays."""

    features: int
    offsets: npt.NDArray[np.int64]
    feature: npt.NDArray[np.int16]
    threshold: Floats
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    share: Floats

    @classmethod
    def of(cls, classifier: Any) -> Forest:
        """The trees of a fitted `RandomForestClassifier` of scikit-learn with two classes."""
        trees = [estimator.tree_ for estimator in classifier.estimators_]
        splits = [tree.children_left >= 0 for tree in trees]
        return cls.checked(
            features=int(classifier.n_features_in_),
            offsets=np.cumsum([0, *(tree.node_count for tree in trees)]),
            feature=np.concatenate([np.where(split, tree.feature, LEAF) for tree, split in zip(trees, splits, strict=True)]),
            threshold=np.concatenate([np.where(split, tree.threshold, 0.0) for tree, split in zip(trees, splits, strict=True)]),
            left=np.concatenate([np.where(split, tree.children_left, 0) for tree, split in zip(trees, splits, strict=True)]),
            right=np.concatenate([np.where(split, tree.children_right, 0) for tree, split in zip(trees, splits, strict=True)]),
            share=np.concatenate([tree.value[:, 0, 1] for tree in trees]),
        )

    @classmethod
    def checked(cls, *, features: int, **arrays: npt.NDArray[Any]) -> Forest:
        """A forest whose every index leads to a node; refuses any other."""
        kinds = {
            "offsets": np.int64,
            "feature": np.int16,
            "threshold": float,
            "left": np.int32,
            "right": np.int32,
            "share": float,
        }
        made = cls(features, **{name: _frozen(arrays[name], kind) for name, kind in kinds.items()})
        _require_offsets(made.offsets, len(made.feature))
        _require_nodes(made)
        if int(made._walked[1].sum()) > MOST_STEPS:
            raise ValueError(f"trees of together more than {MOST_STEPS:,} levels")
        return made

    @property
    def trees(self) -> int:
        """How many there are."""
        return len(self.offsets) - 1

    @cached_property
    def base(self) -> float:
        """The score before anything is known of a row: the mean share at the roots."""
        return float(self.share[self.offsets[:-1]].sum() / self.trees)

    @property
    def depth(self) -> int:
        """How many splits lead to the deepest leaf."""
        return int(self._walked[1].max())

    def scores(self, rows: npt.NDArray[Any]) -> Floats:
        """The probability of the second class for each row, as scikit-learn gives it."""
        return np.asarray(loops.scores(self._fitting(rows), *self._walked) / self.trees, np.float64)

    def contributions(self, rows: npt.NDArray[Any]) -> Floats:
        """What each feature adds to the base of each row's score: the changes of the share along the paths, by the feature that split."""
        return np.asarray(self.contributions_by_side(rows).sum(axis=1), np.float64)

    def contributions_by_side(self, rows: npt.NDArray[Any]) -> Floats:
        """The contributions of each row in two parts: what a feature adds by being small (at most a threshold), and by being large."""
        return np.asarray(loops.contributions(self._fitting(rows), *self._walked) / self.trees, np.float64)

    @cached_property
    def _walked(self) -> tuple[npt.NDArray[Any], ...]:
        """The nodes as the loops walk over them. The values of rows have 32 bits: what is at most a threshold is at most the largest
        such number that is not above it. A leaf leads to itself, whatever the row has."""
        old, child, depth = loops.laid_out(self.offsets, self.feature, self.left, self.right)
        near = self.threshold.astype(np.float32)
        below = np.where(near > self.threshold, np.nextafter(near, np.float32(-np.inf)), near)
        threshold = np.where(self.feature == LEAF, np.float32(np.inf), below)
        feature = np.maximum(self.feature, 0).astype(np.uint8)
        return self.offsets, depth, feature[old], threshold[old], child, self.share[old]

    def _fitting(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Rows in the precision in which the trees were grown; scikit-learn rounds in the same way."""
        if rows.ndim != 2 or rows.shape[1] != self.features:
            raise DataError(f"the model has {self.features} features, and the rows have another number of columns", where="model")
        return np.ascontiguousarray(rows, np.float32)


def _frozen(array: npt.NDArray[Any], kind: Any) -> npt.NDArray[Any]:
    fresh = np.array(array, kind)
    fresh.flags.writeable = False
    return fresh


def _require_offsets(offsets: npt.NDArray[np.int64], nodes: int) -> None:
    if not 1 < len(offsets) <= MOST_TREES + 1 or nodes > MOST_NODES:
        raise ValueError(f"between 1 and {MOST_TREES:,} trees of together at most {MOST_NODES:,} nodes are possible")
    if offsets[0] != 0 or offsets[-1] != nodes or not (np.diff(offsets) > 0).all():
        raise ValueError("the trees do not divide the nodes among them")


def _require_nodes(forest: Forest) -> None:
    """Every split is by a feature that exists and leads on within its tree; every number is one."""
    sizes = np.diff(forest.offsets)
    place = np.arange(len(forest.feature)) - np.repeat(forest.offsets[:-1], sizes)
    split, size = forest.feature != LEAF, np.repeat(sizes, sizes)
    if not 0 < forest.features <= MOST_FEATURES:
        raise ValueError(f"between 1 and {MOST_FEATURES} features are possible")
    if not ((forest.feature >= LEAF) & (forest.feature < forest.features)).all():
        raise ValueError("a split by a feature that does not exist")
    for child in (forest.left, forest.right):
        if not (~split | ((child > place) & (child < size))).all():
            raise ValueError("a split that leads to no later node of its tree")
    first = np.repeat(forest.offsets[:-1], sizes)
    led_to = np.bincount(np.concatenate([(first + child)[split] for child in (forest.left, forest.right)]), minlength=len(first))
    if not (led_to == (place > 0)).all():
        raise ValueError("a node that not exactly one split leads to")
    if not np.isfinite(forest.threshold).all():
        raise ValueError("a threshold that is no number")
    if not ((forest.share >= 0) & (forest.share <= 1)).all():
        raise ValueError("a share that is not between 0 and 1")
