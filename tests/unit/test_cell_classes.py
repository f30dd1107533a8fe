"""What the owner's copy keeps of a local recoding: the class of every cell, and nothing from which a cell could be read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError
from sfumato.release.cells import CellClasses, digest_of
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.recoding import DIVIDED, Division, LocalRecoding

CELLS = np.array([[0, 0], [0, 1], [1, 0], [2, 1]], np.int32)
NUMBERS = np.array([0, 1, 1, 0], np.int32)


def recoding(**changed: Any) -> LocalRecoding:
    """Four cells of two QIDs in two classes."""
    made = LocalRecoding(
        attributes=("age", "zip"),
        hierarchies={"age": Hierarchy.flat(("1", "2", "3")), "zip": Hierarchy.flat(("a", "b"))},
        cells=CELLS,
        class_of=NUMBERS,
        classes=np.array([[0, 0], [1, 0]], np.int32),
        labels_of={"age": ("*", "[1, 2]"), "zip": ("*",)},
    )
    return replace(made, **changed)


def kept() -> dict[str, Any]:
    found = CellClasses.of(recoding())
    assert found is not None
    written: dict[str, Any] = json.loads(json.dumps(found.as_dict()))
    return written


def test_the_class_of_every_cell_comes_back_from_the_owners_copy() -> None:
    again = CellClasses.parse(kept(), Path("1.json"))
    assert again.quasi == ("age", "zip")
    assert again.classes == 2
    assert again.class_of.tolist() == [0, 1, 1, 0]
    assert again.digest == digest_of(CELLS)


def test_a_recoding_that_divides_cells_keeps_nothing() -> None:
    one = np.array([0], np.int32)
    division = Division(one, one, one, one.astype(np.int64))
    assert CellClasses.of(recoding(class_of=np.array([DIVIDED, 1, 1, 0], np.int32), division=division)) is None


@given(
    cells=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6),
    others=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6),
)
def test_cells_have_one_digest_if_and_only_if_they_are_the_same(
    cells: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    assert (digest_of(np.array(cells)) == digest_of(np.array(others))) == (cells == others)


def test_columns_are_not_taken_for_rows() -> None:
    assert digest_of(np.zeros((2, 3))) != digest_of(np.zeros((3, 2)))


@pytest.mark.parametrize(
    "changed",
    [
        {"class_of": "!"},
        {"class_of": "AAAA"},
        {"class_of": 5},
        {"classes": 1},
        {"classes": "many"},
        {"quasi": None},
        {"sha256": ...},
    ],
)
def test_what_cannot_be_read_is_one_clear_error(changed: dict[str, Any]) -> None:
    damaged = {name: value for name, value in (kept() | changed).items() if value is not ...}
    with pytest.raises(DataError, match=r"1\.json: what the ledger says of the cells of a local recoding cannot be read"):
        CellClasses.parse(damaged, Path("1.json"))
