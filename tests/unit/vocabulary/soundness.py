"""What every hierarchy keeps, whatever builder made it."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.vocabulary.builders import Builder
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind


def assert_sound(builder: Builder, kind: Kind, values: Sequence[str]) -> Hierarchy:
    """Build over values and check: covered, as high as declared, one root, labels distinct, each level a function of the one below."""
    hierarchy = builder.build("column", kind, values)
    assert set(values) <= set(hierarchy.at(0))
    assert hierarchy.height == builder.height(kind)
    assert builder.build("column", kind, []).height == builder.height(kind), "the height depends on the data"
    assert len(hierarchy.labels) == hierarchy.height + 1
    assert len(hierarchy.labels[-1]) == 1
    assert hierarchy.codes(hierarchy.height) == 1
    for level in range(hierarchy.height):
        _assert_level(hierarchy, level)
    return hierarchy


def _assert_level(hierarchy: Hierarchy, level: int) -> None:
    labels, above = hierarchy.at(level), hierarchy.at(level + 1)
    assert len(set(labels)) == len(labels), f"a label of level {level} occurs twice"
    assert "*" not in labels, f"the root's label stands on level {level}"
    *parents, missing = hierarchy.parents[level].tolist()
    assert len(parents) == len(labels)
    assert set(parents) <= set(range(len(above)))
    if labels:
        assert set(parents) == set(range(len(above))), f"a label of level {level + 1} has no child"
    at_root = level + 1 == hierarchy.height
    assert missing == (0 if at_root else len(above)), "the missing value does not stay itself"
    assert hierarchy.label(level, len(labels)) is None
    assert hierarchy.codes(level) == len(labels) + 1


def path(hierarchy: Hierarchy, value: str) -> list[str | None]:
    """The labels of a value from the leaf to the root."""
    leaf = hierarchy.at(hierarchy.floor).index(value)
    return [
        hierarchy.label(level, int(hierarchy.ancestors(hierarchy.floor, level)[leaf]))
        for level in range(hierarchy.floor, hierarchy.height + 1)
    ]


def assert_in_order_of_leaves(hierarchy: Hierarchy) -> None:
    """On every level the codes are numbered by their first leaf."""
    for level in range(hierarchy.floor, hierarchy.height + 1):
        codes = hierarchy.ancestors(hierarchy.floor, level)[:-1].tolist()
        assert list(dict.fromkeys(codes)) == sorted(set(codes))
