"""Nothing is published unless the written file holds exactly what was promised. An enemy sits between writing and reading back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.base import Contents, Target
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.errors import NotVerified

SCHEMA = """
[attributes.name]
role = "identifier"
[attributes.who]
role = "{who}"
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = {{ builder = "intervals", widths = [30], lower = 0, upper = 90 }}
[attributes.disease]
role = "sensitive"
[attributes.ward]
role = "plain"
"""

Change = Callable[[pd.DataFrame], pd.DataFrame]


def frame() -> pd.DataFrame:
    rows = range(60)
    return pd.DataFrame(
        {
            "name": [f"Person {i}" for i in rows],
            "who": [i // 2 for i in rows],
            "age": [i % 3 * 30 + 5 for i in rows],
            "disease": [("flu", "cold", "gout")[i // 3 % 3] for i in rows],
            "ward": [i % 7 for i in rows],
        }
    )


@pytest.fixture
def tampered(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change what `recode` writes, before anybody reads it."""

    def after(change: Change, *, keys: bool = False) -> None:
        recode = DuckDBEngine.recode

        def changed(self: DuckDBEngine, schema: Any, recoding: Any, target: Target) -> Contents:
            promised = recode(self, schema, recoding, target)
            path = target.keys if keys else target.path
            assert path is not None
            if path.suffix == ".csv":
                change(pd.read_csv(path)).to_csv(path, index=False)
            else:
                pq.write_table(pa.Table.from_pandas(change(pq.read_table(path).to_pandas()), preserve_index=False), path)
            return promised

        monkeypatch.setattr(DuckDBEngine, "recode", changed)

    return after


def published(output: Path | None, who: str = "identifier", node: int = 1) -> sf.Release:
    return sf.publish(frame(), sf.Schema.parse(SCHEMA.format(who=who)), node=[node], output=output)


def swap_two(column: str) -> Change:
    """Exchange the values of a column between two rows that differ in it: every column holds what it held, the rows do not."""

    def swapped(written: pd.DataFrame) -> pd.DataFrame:
        first = next(i for i in range(1, len(written)) if written[column].iloc[i] != written[column].iloc[0])
        values = written[column].tolist()
        values[0], values[first] = values[first], values[0]
        return written.assign(**{column: values})

    return swapped


CHANGES: dict[str, tuple[Change, str]] = {
    "a plain column overwritten": (lambda t: t.assign(ward=0), "the promised values of 'ward'"),
    "one plain value changed": (lambda t: t.assign(ward=[9, *t["ward"][1:]]), "the promised values of 'ward'"),
    "a sensitive column overwritten": (lambda t: t.assign(disease="flu"), "the promised values of 'disease'"),
    "values exchanged between rows": (swap_two("ward"), "the promised rows"),
    "rows sorted by age": (lambda t: t.sort_values("age"), "the promised order"),
    "rows sorted by a plain column": (lambda t: t.sort_values("ward"), "the promised order"),
    "rows reversed": (lambda t: t.iloc[::-1], "the promised order"),
    "an identifier added": (lambda t: t.assign(name="x"), "cannot be read back"),
    "an unknown column added": (lambda t: t.assign(more="x"), "cannot be read back"),
    "a column dropped": (lambda t: t.drop(columns="ward"), "the promised columns"),
    "columns in another order": (lambda t: t[["disease", "age", "ward"]], "the promised columns"),
    "a row missing": (lambda t: t.iloc[1:], "the promised values"),
    "a row twice instead of another": (lambda t: pd.concat([t.iloc[:1], t.iloc[:1], t.iloc[2:]]), "the promised"),
}


@pytest.mark.parametrize("suffix", [".parquet", ".csv", None])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_is_not_published(tampered: Callable[..., None], change: str, suffix: str | None, tmp_path: Path) -> None:
    tampered(CHANGES[change][0])
    with pytest.raises(NotVerified, match=CHANGES[change][1]):
        published(tmp_path / f"out{suffix}" if suffix else None)
    assert list(tmp_path.iterdir()) == []


def test_an_unchanged_file_is(tampered: Callable[..., None], tmp_path: Path) -> None:
    tampered(lambda t: t)
    for who in ("identifier", "owner"):
        for suffix in (".parquet", ".csv"):
            assert published(tmp_path / f"{who}-{suffix[1:]}{suffix}", who).certificate.rows == 60


def test_people_are_counted_in_the_file_not_taken_from_the_plan(tampered: Callable[..., None], tmp_path: Path) -> None:
    """The keys kept aside belong to the rows: exchanged between rows, or merged, they do not count as the promised people."""
    assert published(None, "owner").certificate.owners == by_hand()
    for change in (lambda t: t.assign(o=0), lambda t: t.iloc[::-1], lambda t: t.assign(o=[*t["o"][1:], t["o"].iloc[0]])):
        tampered(change, keys=True)
        with pytest.raises(NotVerified):
            published(tmp_path / "out.parquet", "owner")
    assert list(tmp_path.iterdir()) == []


def by_hand() -> dict[str, Any]:
    """People per class and per (class, value), with pandas."""
    table = frame()
    classes = [each for _, each in table.groupby("age")]
    values = sorted(set(table["disease"]))
    return {
        "people_per_class": [each["who"].nunique() for each in classes],
        "people_per_value": {
            "disease": [[n for v in values if (n := each[each["disease"] == v]["who"].nunique())] for each in classes]
        },
    }


def test_the_keys_of_owners_are_gone_afterwards(tmp_path: Path) -> None:
    published(tmp_path / "out.parquet", "owner")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "out.parquet.certificate.json"]
