"""The frequency set against a plain reading of the rows: dictionaries and sets of labels, no codes and no arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise
from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, NodeError
from sfumato.frequency import CellTable, FrequencySet, packed
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from tests.strategies import DISEASES, Drawn, Labels, Levels, Row, disease, drawn_tables, levels_of, tables_with_levels

# Three people, one of them twice in the same cell and once in another class: small enough to check by hand.
SMALL = Drawn(
    paths=((("17", "young", "*"), ("25", "young", "*"), ("60", "old", "*")), (("f", "*"), ("m", "*"))),
    rows=(
        Row((0, 0), 0, owner=7, times=2),
        Row((1, 0), 0, owner=7, times=1),
        Row((1, 0), 1, owner=8, times=1),
        Row((2, 1), None, owner=9, times=1),
        Row((None, 1), 2, owner=9, times=1),
    ),
    owned=True,
)


def classes(counts: FrequencySet) -> list[Labels]:
    return [counts.labels(number) for number in range(1, counts.classes + 1)]


def rows_of(counts: FrequencySet) -> Counter[Labels]:
    return Counter(dict(zip(classes(counts), counts.rows.tolist(), strict=True)))


def people_of(counts: FrequencySet) -> Counter[Labels]:
    return Counter(dict(zip(classes(counts), counts.people.tolist(), strict=True)))


def cells_of(counts: FrequencySet, what: str) -> Counter[tuple[Labels, str | None]]:
    """Rows or people per class and disease."""
    payload = counts.payloads["disease"]
    result: Counter[tuple[Labels, str | None]] = Counter()
    for number, labels in enumerate(classes(counts)):
        for cell in range(payload.offsets[number], payload.offsets[number + 1]):
            result[labels, payload.hierarchy.label(0, int(payload.values[cell]))] = int(getattr(payload, what)[cell])
    return result


@given(tables_with_levels(steps=2))
def test_rolling_up_in_two_steps_equals_rolling_up_in_one(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, (between, above) = drawn
    counts = table.count()
    in_two = counts.roll_up(table.node(between)).roll_up(table.node(above))
    assert in_two.same_as(counts.roll_up(table.node(above)))


@given(tables_with_levels())
def test_a_roll_up_holds_the_rows_of_a_plain_count(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    rolled = table.count().roll_up(table.node(levels))
    assert rows_of(rolled) == table.classes(levels)
    assert cells_of(rolled, "rows") == table.cells(levels)
    assert rolled.total_rows == sum(row.times for row in table.rows)


@given(tables_with_levels())
def test_people_of_a_rolled_up_class_are_its_distinct_owners(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    rolled = table.count().roll_up(table.node(levels))
    assert people_of(rolled) == table.people(levels)
    assert cells_of(rolled, "people") == table.cell_people(levels)


@given(tables_with_levels())
def test_the_people_of_the_whole_table_are_told_at_every_node(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    rolled = table.count().roll_up(table.node(levels))
    everybody = len({row.owner for row in table.rows}) if table.owned else sum(row.times for row in table.rows)
    assert rolled.total_people == everybody
    assert rolled.people.sum() >= everybody
    assert rolled.basis == ("owner" if table.owned else "row")


@pytest.mark.slow
@given(tables_with_levels())
def test_classes_are_distinct_and_in_lexicographic_order_of_the_leaves(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    rolled = table.count().roll_up(table.node(levels))
    assert classes(rolled) == sorted(table.classes(levels), key=lambda labels: table.rank(labels, levels))
    assert all(a < b for a, b in pairwise(rolled.codes.tolist()))


@given(drawn_tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_is_irrelevant(table: Drawn, random: Random) -> None:
    shuffled = random.sample(table.rows, len(table.rows))
    assert table.count(shuffled).same_as(table.count())


@given(tables_with_levels())
def test_the_order_of_the_attributes_is_irrelevant(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    rolled = table.count().roll_up(table.node(levels))
    reverse = rolled.project(table.names[::-1])
    assert reverse.node == Node(table.names[::-1], levels[::-1])
    for read in (rows_of, people_of):
        assert {labels[::-1]: number for labels, number in read(reverse).items()} == dict(read(rolled))
    for what in ("rows", "people"):
        turned = {(labels[::-1], value): number for (labels, value), number in cells_of(reverse, what).items()}
        assert turned == dict(cells_of(rolled, what))
    assert reverse.project(table.names).same_as(rolled)


@given(tables_with_levels(), st.data())
def test_projecting_equals_rolling_the_others_up_to_the_root(drawn: tuple[Drawn, list[Levels]], data: st.DataObject) -> None:
    table, [levels] = drawn
    kept = data.draw(st.sets(st.sampled_from(range(len(levels)))))
    counts = table.count().roll_up(table.node(levels))
    part = counts.project([table.names[place] for place in sorted(kept)])
    withheld = tuple(level if place in kept else table.heights[place] for place, level in enumerate(levels))
    whole = counts.roll_up(table.node(withheld))

    def visible(labels: Labels) -> Labels:
        return tuple(labels[place] for place in sorted(kept))

    assert [visible(labels) for labels in classes(whole)] == classes(part)
    assert part.rows.tolist() == whole.rows.tolist()
    assert part.people.tolist() == whole.people.tolist()
    assert cells_of(part, "people") == {(visible(labels), value): n for (labels, value), n in cells_of(whole, "people").items()}
    assert part.total_people == whole.total_people


@given(drawn_tables(), st.data())
def test_keeping_some_classes_equals_counting_their_rows_only(table: Drawn, data: st.DataObject) -> None:
    levels = data.draw(levels_of(table))
    rolled = table.count().roll_up(table.node(levels))
    marks = data.draw(st.lists(st.booleans(), min_size=rolled.classes, max_size=rolled.classes))
    kept = {labels for labels, mark in zip(classes(rolled), marks, strict=True) if mark}
    rows = [row for row in table.rows if table.labels(row, levels) in kept]
    some = rolled.keep(np.array(marks, bool))
    assert some.same_as(table.count(rows).roll_up(table.node(levels)))
    assert some.roll_up(table.node(table.heights)).same_as(table.count(rows).roll_up(table.node(table.heights)))


@given(tables_with_levels())
def test_the_distribution_of_a_payload_is_that_of_the_whole_table_at_every_node(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    if table.owned:
        plain = Counter(value for value, _ in {(disease(row), row.owner) for row in table.rows})
    else:
        plain = Counter(disease(row) for row in table.rows for _ in range(row.times))
    payload = table.count().roll_up(table.node(levels)).payloads["disease"]
    assert payload.distribution().tolist() == [plain[value] for value in (*DISEASES, None)]


@given(tables_with_levels())
def test_the_cells_of_a_class_hold_distinct_ascending_values(drawn: tuple[Drawn, list[Levels]]) -> None:
    table, [levels] = drawn
    payload = table.count().roll_up(table.node(levels)).payloads["disease"]
    assert payload.offsets[0] == 0
    assert payload.offsets[-1] == len(payload.values)
    for start, end in zip(payload.offsets[:-1], payload.offsets[1:], strict=True):
        values = payload.values[start:end].tolist()
        assert values == sorted(set(values))
        assert values


def test_an_owner_in_two_classes_is_one_person_when_they_merge() -> None:
    counts = SMALL.count()
    assert people_of(counts) == {("17", "f"): 1, ("25", "f"): 2, ("60", "m"): 1, (None, "m"): 1}
    rolled = counts.roll_up(SMALL.node((1, 1)))
    assert people_of(rolled) == {("young", "*"): 2, ("old", "*"): 1, (None, "*"): 1}
    assert people_of(rolled.roll_up(SMALL.node((2, 1)))) == {("*", "*"): 3}
    assert rows_of(rolled) == {("young", "*"): 4, ("old", "*"): 1, (None, "*"): 1}
    assert cells_of(rolled, "people")[("young", "*"), "flu"] == 1
    assert cells_of(rolled, "rows")[("young", "*"), "flu"] == 3


def test_classes_are_numbered_from_one_in_the_order_of_the_leaves_with_missing_last() -> None:
    assert classes(SMALL.count()) == [("17", "f"), ("25", "f"), ("60", "m"), (None, "m")]


def test_people_who_left_with_their_class_are_not_counted() -> None:
    kept = SMALL.count().keep(np.array([True, True, False, False]))
    assert (kept.total_people, kept.total_rows, kept.classes) == (2, 4, 2)


def test_knowing_nothing_is_one_class_of_everybody() -> None:
    nothing = SMALL.count().project([])
    assert (nothing.classes, nothing.people.tolist(), nothing.rows.tolist(), nothing.labels(1)) == (1, [3], [6], ())


def test_payloads_of_a_second_count_stand_beside_the_first() -> None:
    first = SMALL.count()
    wards = replace(first, payloads={"ward": first.payloads["disease"]})
    assert set(first.with_payloads(wards).payloads) == {"disease", "ward"}
    assert set(first.payloads) == {"disease"}


def test_the_hierarchy_of_an_attribute_is_found_by_its_name() -> None:
    assert SMALL.count().hierarchy("q1").labels == (("f", "m"), ("*",))


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (Node(("q0", "q1"), (0, 1)), "node: q0=0,q1=1 is not above q0=1,q1=0: a frequency set only rolls up"),
        (Node(("q1", "q0"), (1, 1)), "node: q1=1,q0=1 is not above q0=1,q1=0: a frequency set only rolls up"),
        (Node(("q0",), (1,)), "node: q0=1 is not above q0=1,q1=0: a frequency set only rolls up"),
        (Node(("q0", "q1"), (3, 0)), "node: level 3 of 'q0' does not exist; it has 0 to 2"),
    ],
)
def test_a_roll_up_that_does_not_go_up_is_refused(node: Node, message: str) -> None:
    with pytest.raises(NodeError) as caught:
        SMALL.count().roll_up(SMALL.node((1, 0))).roll_up(node)
    assert str(caught.value) == message


def test_projecting_on_an_unknown_attribute_names_the_nearest() -> None:
    with pytest.raises(NodeError, match=r"no QID 'q10' in the frequency set; did you mean 'q1'\? \(have: q0, q1\)"):
        SMALL.count().project(["q10"])


@pytest.mark.parametrize("owned", [True, False])
@pytest.mark.parametrize("how", ["count", "roll_up", "project", "keep"])
def test_every_array_is_read_only(owned: bool, how: str) -> None:
    counts = replace(SMALL, owned=owned).count()
    made = {
        "count": lambda: counts,
        "roll_up": lambda: counts.roll_up(SMALL.node((1, 0))),
        "project": lambda: counts.project(["q1"]),
        "keep": lambda: counts.keep(np.array([True, False, True, False])),
    }[how]()
    payload = made.payloads["disease"]
    arrays = [made.codes, made.rows, made.people, payload.offsets, payload.values, payload.rows, payload.people]
    for incidence in (made.incidence, payload.incidence):
        arrays += [incidence.offsets, incidence.owners] if incidence else []
    assert len(arrays) == (11 if owned else 7)
    assert not any(array.flags.writeable for array in arrays)


def test_a_frequency_set_cannot_be_changed() -> None:
    counts = SMALL.count()
    with pytest.raises(FrozenInstanceError):
        counts.total_people = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        counts.payloads["disease"] = None  # type: ignore[index]


def test_counting_does_not_freeze_or_change_what_it_was_given() -> None:
    times, codes = np.array([2, 1]), np.array([0, 0], np.int32)
    hierarchy = Listed((("a",), ("b",))).build("q", Kind.TEXT, ())
    FrequencySet.of_cells(Node.bottom(["q"]), [hierarchy], CellTable([codes], times, {}))
    times[0], codes[0] = 5, 1
    assert (times.tolist(), codes.tolist()) == ([5, 1], [1, 0])


def _renamed(hierarchy: Hierarchy) -> Hierarchy:
    return replace(hierarchy, labels=(tuple(label.upper() for label in hierarchy.labels[0]), *hierarchy.labels[1:]))


def _other_disease_labels(counts: FrequencySet) -> FrequencySet:
    payload = counts.payloads["disease"]
    return replace(counts, payloads={"disease": replace(payload, hierarchy=_renamed(payload.hierarchy))})


@pytest.mark.parametrize(
    "change",
    [
        lambda counts: counts.roll_up(SMALL.node((1, 0))),
        lambda counts: counts.project(["q1", "q0"]),
        lambda counts: counts.keep(np.array([True, True, True, False])),
        lambda counts: replace(counts, rows=counts.rows + 1),
        lambda counts: replace(counts, people=counts.people + 1),
        lambda counts: replace(counts, total_people=4),
        lambda counts: replace(counts, payloads={}),
        lambda counts: replace(counts, hierarchies=(counts.hierarchies[0], _renamed(counts.hierarchies[1]))),
        lambda counts: SMALL.count([row._replace(disease=0) for row in SMALL.rows]),
        _other_disease_labels,
    ],
)
def test_frequency_sets_that_differ_in_anything_are_not_the_same(change: Callable[[FrequencySet], FrequencySet]) -> None:
    assert SMALL.count().same_as(SMALL.count())
    assert not SMALL.count().same_as(change(SMALL.count()))


@pytest.fixture(scope="module")
def wide() -> tuple[list[Hierarchy], np.ndarray]:
    """Eight QIDs of 5,000 leaves in groups of 10 and 1,000: 8 × 12.3 bits of key. 600 rows over few of them, some with a gap."""
    columns = [[f"v{leaf}" for leaf in range(5000)], *([f"{size}:{leaf // size}" for leaf in range(5000)] for size in (10, 1000))]
    rng = np.random.default_rng(1)
    near = rng.integers(0, 5000, size=(40, 8))[rng.integers(0, 40, size=600)]
    leaves = np.minimum(near + (rng.random((600, 8)) < 0.05), 4999)
    leaves[::50, 3] = 5000
    return [Hierarchy.of_columns(f"q{place}", columns) for place in range(8)], leaves.astype(np.int32)


@pytest.mark.parametrize("levels", [(0,) * 8, (1,) * 8, (0, 1, 2, 3, 0, 1, 2, 3), (2,) * 8, (3,) * 7 + (0,)])
def test_more_than_64_bits_of_key_agree_with_a_plain_dictionary(
    wide: tuple[list[Hierarchy], np.ndarray], levels: tuple[int, ...]
) -> None:
    hierarchies, leaves = wide
    assert prod(hierarchy.codes(0) for hierarchy in hierarchies) > 2**64
    node = Node.bottom([f"q{place}" for place in range(8)])
    counts = FrequencySet.of_cells(node, hierarchies, CellTable(list(leaves.T), np.ones(600, np.int64), {}))
    rolled = counts.roll_up(replace(node, levels=levels))
    tops = {0: 1, 1: 10, 2: 1000, 3: 10**9}
    codes = [tuple(int(leaf) // tops[level] for leaf, level in zip(row, levels, strict=True)) for row in leaves]
    plain = sorted(Counter(codes).items())
    assert [(tuple(row), n) for row, n in zip(rolled.codes.tolist(), rolled.rows.tolist(), strict=True)] == plain


@given(st.lists(st.integers(1, 2**31 - 1), max_size=6), st.data())
def test_packed_keys_compare_like_the_columns_from_left_to_right(radices: list[int], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(*(st.integers(0, radix - 1) for radix in radices)), min_size=1, max_size=8))
    columns = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    keys = packed(columns, radices, len(rows)).tolist()
    for a, key in zip(rows, keys, strict=True):
        assert [key < other for other in keys] == [a < b for b in rows]
        assert [key == other for other in keys] == [a == b for b in rows]


def test_keys_within_64_bits_are_packed_without_ranking() -> None:
    columns = [np.array([3, 0, 3], np.int32), np.array([0, 9, 7], np.int32)]
    assert packed(columns, [4, 10], 3).tolist() == [30, 9, 37]
    assert packed(columns, [2**31, 2**31], 3).tolist() == [3 * 2**31, 9, 3 * 2**31 + 7]


def test_projecting_on_an_attribute_twice_is_refused() -> None:
    with pytest.raises(NodeError, match="a QID is named twice"):
        SMALL.count().project(["q0", "q0"])


def test_more_rows_than_64_bits_can_count_are_refused() -> None:
    hierarchy = Listed((("a",), ("b",))).build("q", Kind.TEXT, [])
    cells = CellTable([np.array([0, 1], np.int32)], np.array([2**62, 2**62]), {})
    with pytest.raises(DataError, match="more rows than 64-bit counts can hold"):
        FrequencySet.of_cells(Node(("q",), (0,)), [hierarchy], cells)
