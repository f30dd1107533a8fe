"""Small releases to report on, written into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

import sfumato as sf

SCHEMA = """
[attributes.town]
role = "quasi"

[attributes.age]
role = "quasi"
type = "integer"

[attributes.illness]
role = "sensitive"
"""

# Awkward in markup, in a script, and in an attribute.
AWKWARD = ("</script><script>alert(1)</script>", "<b>&amp;\"'`", "a & b", "\u2028ende")


def people(counts: dict[tuple[str, int, str], int]) -> pd.DataFrame:
    """One row per person from (town, age, illness) and how many."""
    rows = [cell for cell, many in counts.items() for _ in range(many)]
    return pd.DataFrame(rows, columns=["town", "age", "illness"])


def written(folder: Path, frame: pd.DataFrame, **more: Any) -> tuple[Path, Path]:
    """A release at level 0 and its schema."""
    folder.mkdir(exist_ok=True)
    schema = folder / "schema.toml"
    schema.write_text(SCHEMA, encoding="utf-8")
    sf.publish(frame, schema, node=[0, 0], output=folder / "out.parquet", **more)
    return folder / "out.parquet", schema


def many_classes(classes: int) -> pd.DataFrame:
    """As many classes as asked, of five and more people."""
    rows = []
    for number in range(classes):
        town, age = f"town {number // 100:03d}", number % 100
        rows += [(town, age, f"illness {(number * 7 + person * person) % 12:02d}") for person in range(5 + number % 9)]
    return pd.DataFrame(rows, columns=["town", "age", "illness"])
