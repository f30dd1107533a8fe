"""Hierarchies in ARX's CSV format, read and written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SchemaError
from sfumato.vocabulary import arx
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind
from tests.strategies import Paths, paths_to_a_root

printable = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=5)


def read_again(text: str) -> Hierarchy:
    return Listed(arx.parse_paths(text)).build("q", Kind.TEXT, [])


@given(paths_to_a_root(leaves=8), st.sampled_from(";,"))
def test_a_hierarchy_written_and_read_again_is_the_same(paths: Paths, delimiter: str) -> None:
    hierarchy = Listed(paths).build("q", Kind.TEXT, [])
    assert read_again(arx.to_text(hierarchy, delimiter=delimiter)).same_as(hierarchy)


@given(st.lists(printable.filter(lambda text: text != "*"), min_size=1, unique=True))
def test_labels_with_quotes_blanks_and_separators_come_back(leaves: list[str]) -> None:
    hierarchy = Hierarchy.of_columns("q", [leaves, [f"[{leaf};" for leaf in leaves]])
    assert read_again(arx.to_text(hierarchy)).same_as(hierarchy)


@pytest.mark.parametrize("leaf", ["a\nb", "a\rb"])
def test_labels_with_line_breaks_come_back(leaf: str) -> None:
    hierarchy = Hierarchy.of_columns("q", [[leaf, "c"], ["g", "g"]])
    assert read_again(arx.to_text(hierarchy)).same_as(hierarchy)


@pytest.mark.parametrize(
    "text", ["17;young;*\n60;old;*\n", "17,young,*\n60,old,*", "17;young;*\r\n60;old;*\r\n", "\n17;young;*\n\n60;old;*"]
)
def test_semicolons_and_commas_and_blank_lines_are_read(text: str) -> None:
    assert arx.parse_paths(text) == (("17", "young", "*"), ("60", "old", "*"))


def test_a_comma_within_a_semicolon_file_is_part_of_the_label() -> None:
    assert arx.parse_paths("17;[0, 50);*\n60;[50, 100];*\n")[0] == ("17", "[0, 50)", "*")


def test_each_leaf_is_written_on_a_line_and_the_missing_value_is_not() -> None:
    hierarchy = Hierarchy.of_columns("age", [["17", "60"], ["young", "old"]])
    assert arx.to_text(hierarchy) == "17;young;*\n60;old;*\n"
    assert arx.to_text(hierarchy, delimiter=",") == "17,young,*\n60,old,*\n"
    assert arx.to_text(hierarchy.above(1)) == "young;*\nold;*\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "it lists no leaf"), ("\n\n", "it lists no leaf"), ("a;b\nc;d;e\n", "line 2 has 3 levels, the first line 2")],
)
def test_a_text_that_is_no_hierarchy_is_refused(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        arx.parse_paths(text)
    assert str(caught.value) == message


def test_a_ragged_line_is_told_by_its_number_in_the_file() -> None:
    with pytest.raises(SchemaError, match="line 4 has 1 level"):
        arx.parse_paths("a;b\n\nc;d\ne\n")


def test_a_field_too_long_for_csv_is_refused(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a" * 200_000 + ";*\n")
    with pytest.raises(SchemaError, match=r"h\.csv"):
        arx.read_paths(tmp_path / "h.csv")


def test_a_byte_order_mark_is_no_part_of_the_first_leaf(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_bytes("\ufeffa;*\n".encode())
    assert arx.read_paths(tmp_path / "h.csv") == (("a", "*"),)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing, latin, ragged = tmp_path / "none.csv", tmp_path / "latin.csv", tmp_path / "ragged.csv"
    latin.write_bytes(b"\xe9;*\n")
    ragged.write_text("a;b\nc\n")
    for path, message in [
        (missing, f"hierarchy file {missing}: no such file"),
        (latin, f"hierarchy file {latin}: not UTF-8 in line 1"),
        (ragged, f"hierarchy file {ragged}: line 2 has 1 level"),
        (tmp_path, f"hierarchy file {tmp_path}: a folder, not a file"),
    ]:
        with pytest.raises(SchemaError) as caught:
            arx.read_paths(path)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)
