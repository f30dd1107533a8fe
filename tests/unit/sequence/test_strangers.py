"""Owners that one table writes in another way than the next: which differences are those of a program, and which are those of people."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sfumato.sequence.strangers import written_otherwise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["12.5", "0.2", "3.25"], ["12.50", "0.20", "3.250"]),  # a column of decimals pads all of them to one scale
        (["0.5", "7.25"], [".5", "007.25"]),
        (["-7", "-12", "-1.5"], ["-7.0", "-12.0", "-1.50"]),
        (["-7", "-12"], ["-007", "-012"]),
        (["0", "10", "100"], ["0.0", "10.0", "100.0"]),
    ],
)
def test_numbers_with_decimals_or_signs_are_found_however_a_program_pads_them(one: list[str], other: list[str]) -> None:
    assert written_otherwise({"one": pa.array(one), "other": pa.array(other)}) == {("one", "other"): len(one)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["1.5", "7.01", "10"], ["15", "7.1", "1"]),
        (["-7", "1-2"], ["7", "1-20"]),
        (["1.2.3", "1.2"], ["1.2.30", "1.25"]),
        (["a1.5"], ["a1.50"]),  # not a number
        (["3.1", "3.10", "3.2", "3.20"], ["3.1", "3.20"]),  # a table that tells people apart by such a zero
    ],
)
def test_other_numbers_are_other_people(one: list[str], other: list[str]) -> None:
    assert written_otherwise({"one": pa.array(one), "other": pa.array(other)}) == {}
