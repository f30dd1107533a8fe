"""How long a cell of a CSV file may be. Python's reader has one limit for the whole process, so whoever changes it puts it back."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cells_up_to(longest: int) -> Iterator[None]:
    """Python's CSV reader accepts cells of at most this many characters, within the block only. The reader asks for the limit as it
    reads: a generator holds it around each `next`, never across a `yield`."""
    before = csv.field_size_limit(longest)
    try:
        yield
    finally:
        csv.field_size_limit(before)
