"""Nodes in every form that a person writes, and every way to get one wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import NodeError, SchemaError
from sfumato.vocabulary.node import Node, parse_levels
from sfumato.vocabulary.schema import Schema

SCHEMA = Schema.parse(
    """
    [attributes.age]
    role = "quasi"
    type = "integer"
    hierarchy = { builder = "intervals", widths = [5, 10] }
    [attributes.work]
    role = "quasi"
    hierarchy = { tree = { Gov = ["a"], Other = ["b"] } }
    [attributes.sex]
    role = "quasi"
    [attributes.disease]
    role = "sensitive"
    """
)
CHOSEN = ("age", "work")


@pytest.mark.parametrize(
    "written",
    [
        [2, 1],
        (2, 1),
        {"age": 2, "work": 1},
        {"work": 1, "age": 2},
        "[2,1]",
        " [2, 1] ",
        '{"age": 2, "work": 1}',
        '{"work": 1, "age": 2}',
        "age=2,work=1",
        "work=1,age=2",
        " age = 2 , work = 1 ",
    ],
)
def test_every_written_form_is_the_same_node(written: Any) -> None:
    node = Node.of(written, SCHEMA, CHOSEN)
    assert node == Node(("age", "work"), (2, 1))
    assert node.as_dict() == {"age": 2, "work": 1}
    assert (node["age"], node["work"], str(node)) == (2, 1, "age=2,work=1")


@given(st.integers(0, 3), st.integers(0, 2))
def test_a_node_reads_what_it_writes(age: int, work: int) -> None:
    node = Node(CHOSEN, (age, work))
    assert Node.of(str(node), SCHEMA, CHOSEN) == node
    assert Node.of(node.as_dict(), SCHEMA, CHOSEN) == node


HAVE = "(have: age, work)"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("age=2", "no level for 'work' (0 to 2); to withhold it, leave it out of the QIDs"),
        ({"age": 2, "work": None}, "no level for 'work' (0 to 2); to withhold it, leave it out of the QIDs"),
        ("age=2,wrk=1", f"no attribute 'wrk' in the QIDs to publish; did you mean 'work'? {HAVE}"),
        ("age=2,work=1,sex=0", f"no attribute 'sex' in the QIDs to publish {HAVE}"),
        ("age=4,work=1", "level 4 of 'age' does not exist; it has 0 to 3"),
        ("age=-1,work=1", "level -1 of 'age' does not exist; it has 0 to 3"),
        ([3, 3], "level 3 of 'work' does not exist; it has 0 to 2"),
        ([True, 1], "level True of 'age' does not exist; it has 0 to 3"),
        ("[true, 1]", "level True of 'age' does not exist; it has 0 to 3"),
        ("[1.5, 1]", "level 1.5 of 'age' does not exist; it has 0 to 3"),
        ('["2", 1]', "level 2 of 'age' does not exist; it has 0 to 3"),
        ("[[2], 1]", "level [2] of 'age' does not exist; it has 0 to 3"),
        ([2], "1 level for 2 QIDs (age, work)"),
        ([2, 1, 0], "3 levels for 2 QIDs (age, work)"),
        ("[]", "0 levels for 2 QIDs (age, work)"),
    ],
)
def test_a_wrong_node_is_refused_with_what_would_have_worked(written: Any, message: str) -> None:
    with pytest.raises(NodeError) as caught:
        Node.of(written, SCHEMA, CHOSEN)
    assert str(caught.value).startswith(f"node: {message[:1]}")
    assert caught.value.message == message


@pytest.mark.parametrize(
    "written",
    [
        "",
        "age",
        "age=",
        "=2",
        "age=two",
        "age=,work=0",
        "age:2",
        "[2,1",
        "{age: 2}",
        "age=1,,work=1",
        "2,1",
        "[2 1]",
        "age=1.5",
    ],
)
def test_what_is_no_node_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(NodeError) as caught:
        Node.of(written, SCHEMA, CHOSEN)
    assert "\n" not in str(caught.value)
    if written != "=2":
        assert str(caught.value) == f"node: cannot read {written!r}; write age=2,workclass=1 or [2,1]"


@pytest.mark.parametrize("written", ["age=1,age=2,work=0", '{"age": 1, "age": 2, "work": 0}'])
def test_an_attribute_named_twice_is_refused(written: str) -> None:
    with pytest.raises(NodeError, match="twice"):
        Node.of(written, SCHEMA, CHOSEN)


def test_whole_numbers_of_numpy_are_levels() -> None:
    assert Node.of(list(np.array([2, 1])), SCHEMA, CHOSEN) == Node(CHOSEN, (2, 1))


def test_an_attribute_that_the_schema_lacks_is_refused() -> None:
    with pytest.raises(SchemaError, match="no attribute 'zip' in the schema"):
        Node.of([0], SCHEMA, ["zip"])


def test_names_with_signs_in_them_are_written_as_json() -> None:
    assert parse_levels('{"a=b,c": 1}') == {"a=b,c": 1}


def test_the_bottom_is_every_attribute_as_it_is() -> None:
    assert Node.bottom(["a", "b"]) == Node(("a", "b"), (0, 0))


levels = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(levels, levels, levels)
def test_covering_is_an_order(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> None:
    one, two, three = (Node(CHOSEN, levels) for levels in (a, b, c))
    assert one.covers(one)
    assert one.covers(two) == (a[0] >= b[0] and a[1] >= b[1])
    if one.covers(two) and two.covers(one):
        assert one == two
    if one.covers(two) and two.covers(three):
        assert one.covers(three)


def test_nodes_of_other_attributes_do_not_cover_each_other() -> None:
    assert not Node(("a",), (2,)).covers(Node(("b",), (1,)))
    assert not Node(("a", "b"), (2, 2)).covers(Node(("b", "a"), (1, 1)))
