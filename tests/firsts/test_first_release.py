"""From anybody's table to a first release: `profile`, then `anonymize -m k-anonymity:5`, nothing edited.

`python -m tests.firsts.test_first_release` prints the table of docs/guides/first-release.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.profiling.choose import MOST, NODES
from sfumato.vocabulary.kinds import Role
from tests.firsts.tables import TABLES, Table, table_of

K = 5
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "first-release.md"


@dataclass(frozen=True, eq=False)
class First:
    """A first release: the table, its profile, what was published and how long it took."""

    table: Table
    profile: sf.Profile
    result: sf.Anonymized | sf.Infeasible
    released: pd.DataFrame
    seconds: float

    @property
    def node(self) -> dict[str, int]:
        assert isinstance(self.result, sf.Anonymized)
        return dict(self.result.release.certificate.node)

    @property
    def kept(self) -> list[str]:
        """The chosen columns that are more than a star."""
        return [name for name, level in self.node.items() if level < self.profile.schema[name].height()]


@cache
def first(name: str) -> First:
    table = table_of(name)
    with tempfile.TemporaryDirectory() as folder:
        data, schema, out = (Path(folder) / each for each in ("data.csv", "schema.toml", "out.csv"))
        table.frame.to_csv(data, index=False, sep=table.delimiter)
        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sf.SpellingWarning)
            profile = sf.profile(data)
        schema.write_text(profile.to_toml(), encoding="utf-8")
        result = sf.anonymize(data, schema, models=f"k-anonymity:{K}", output=out, ledger=Path(folder) / "ledger")
        seconds = time.process_time() - begun
        released = pd.read_csv(out, dtype=str, keep_default_na=False) if out.exists() else pd.DataFrame()
    return First(table, profile, result, released, seconds)


@pytest.mark.parametrize("name", TABLES)
def test_a_first_release_is_made_without_editing(name: str) -> None:
    made = first(name)
    assert made.result.status == "found"
    assert made.seconds < 10
    assert 2 * len(made.kept) > len(made.node)


@pytest.mark.parametrize("name", TABLES)
def test_nobody_is_in_a_class_of_fewer_than_five(name: str) -> None:
    """Counted by pandas on the released file; where people have several rows, rows are at least as many as people."""
    made = first(name)
    assert made.released.groupby(list(made.node), dropna=False).size().min() >= K
    if made.profile.schema.owner is None:
        assert len(made.released) == len(made.table.frame)


@pytest.mark.parametrize("name", TABLES)
def test_no_direct_identifier_leaves(name: str) -> None:
    made = first(name)
    assert not set(made.table.direct) & set(made.released.columns)
    values = {str(value) for column in made.table.direct for value in made.table.frame[column]} - {"", "nan"}
    assert not values & {cell for column in made.released for cell in made.released[column]}


@pytest.mark.parametrize("name", TABLES)
def test_what_is_published_as_it_is_is_sensitive_or_tells_nobody_apart(name: str) -> None:
    made = first(name)
    as_it_is = set(made.released.columns) - set(made.node)
    apart = {column for column in as_it_is if made.released[column].nunique() > 1}
    assert apart == set(made.profile.schema.sensitive)


@pytest.mark.parametrize("name", TABLES)
def test_few_columns_are_chosen_and_their_lattice_is_small(name: str) -> None:
    made = first(name)
    assert 1 <= len(made.node) <= MOST
    nodes = 1
    for column in made.node:
        nodes *= made.profile.schema[column].height() + 1
    assert nodes <= NODES


@pytest.mark.parametrize("name", TABLES)
def test_every_level_merges_labels_of_the_one_below(name: str) -> None:
    made = first(name)
    with sf.Table.open(made.table.frame.astype(str), made.profile.schema) as table:
        for column in made.node:
            hierarchy = table.count([column], sensitive=[]).hierarchy(column)
            counts = [len(labels) for labels in hierarchy.labels]
            assert counts == sorted(set(counts), reverse=True), column


@pytest.mark.parametrize("name", TABLES)
def test_every_suggestion_has_a_reason(name: str) -> None:
    for each in first(name).profile.suggestions:
        assert each.reason
        if each.reason.startswith("withheld: "):
            assert each.attribute.role is Role.IDENTIFIER


def row_of(name: str) -> str:
    """A table's line in the guide."""
    made = first(name)
    schema = made.profile.schema
    shown = [f"{column} {level}/{schema[column].height()}" for column, level in made.node.items()]
    size = f"{len(made.table.frame):,} × {len(made.table.frame.columns)}"
    sensitive = ", ".join(schema.sensitive) or "–"
    return f"| {name} | {size} | {', '.join(shown)} | {sensitive} | {made.released.groupby(list(made.node)).ngroups} |"


def test_the_guide_shows_what_was_chosen() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    for name in TABLES:
        assert row_of(name) in page.splitlines()


if __name__ == "__main__":
    sys.stdout.write("\n".join(map(row_of, TABLES)) + "\n")
