"""The bars of sequences: ten releases of a million people with 10 % churn, audited in under a minute, with the page about them; the next
m-invariant release.

The bars are in seconds that pass; those of the processors are printed beside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import sfumato as sf
from sfumato.sequence import audit, next_release
from sfumato.sequence.churn import editions

PEOPLE, YEARS, SHARE = 1_000_000, 10, 0.1
BAR = 60
SCHEMA = """
[attributes.person]
role = "owner"
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5, 10, 20, 60], lower = 0, upper = 120 }
[attributes.zip]
role = "quasi"
hierarchy = { builder = "prefix", keep = [3, 1] }
[attributes.sex]
role = "quasi"
[attributes.occupation]
role = "sensitive"
"""


def tables_of(folder: Path, people: int) -> list[Path]:
    """A census re-released each year."""
    rows = int(people * (1 + (YEARS - 1) * SHARE))
    rng = np.random.default_rng(1)
    everybody = pa.table(
        {
            "person": [f"p{number:07d}" for number in range(rows)],
            "age": rng.integers(0, 100, rows),
            "zip": np.char.zfill(rng.integers(0, 1000, rows).astype(str), 5),
            "sex": rng.choice(["Female", "Male"], rows),
            "occupation": rng.choice([f"occupation {number}" for number in range(14)], rows, p=rng.dirichlet(np.full(14, 4))),
        }
    )
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    paths = []
    for year, edition in enumerate(editions(rows, YEARS, SHARE, people, 1), start=1):
        paths.append(folder / f"year-{year}.csv")
        csv.write_csv(everybody.take(pa.array(edition)), paths[-1])
    return paths


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What came out, the seconds that passed, and those of the processors."""
    wall, used = time.perf_counter(), time.process_time()
    done = work()
    return done, time.perf_counter() - wall, time.process_time() - used


@pytest.mark.parametrize("people", [PEOPLE // 100, PEOPLE // 10, PEOPLE])
def test_ten_releases_with_churn_are_audited_in_under_a_minute(people: int, tmp_path: Path) -> None:
    for path in tables_of(tmp_path, people):
        out = path.with_suffix(".out.csv")
        sf.publish(path, tmp_path / "schema.toml", quasi=["age", "sex"], node=[2, 0], output=out, ledger=tmp_path / "ledger")
    audited, took, used = timed(lambda: audit(tmp_path / "ledger", tmp_path / "schema.toml", together="k-anonymity:5"))
    page, drawing, _ = timed(lambda: audited.report(tmp_path / "page.html"))
    last = audited.steps["occupation"][-1]
    print(f"\n{YEARS} releases of {people:,} people: {last.people:,} people, {last.classes:,} combinations")
    print(f"  {took:.1f} s, {used:.1f} s of the processors (bar {BAR} s); {page.name} in {drawing:.2f} s")
    assert took + drawing < BAR


def test_ten_releases_of_one_table_need_no_rows(tmp_path: Path) -> None:
    table = tables_of(tmp_path, PEOPLE)[0]
    schema = tmp_path / "one.toml"
    schema.write_text(SCHEMA.replace('role = "owner"', 'role = "identifier"'), encoding="utf-8")
    nodes = [(age, sex) for age in range(5) for sex in range(2)]
    with sf.Table.open(table, schema) as opened:
        for number, node in enumerate(nodes):
            out = tmp_path / f"{number}.csv"
            sf.publish(opened, quasi=["age", "sex"], node=list(node), output=out, ledger=tmp_path / "ledger")
    audited, took, used = timed(lambda: audit(tmp_path / "ledger", schema, together="entropy-loss:3"))
    print(f"\n{len(nodes)} releases of one table of {PEOPLE:,} people, every coalition")
    print(f"  {took:.1f} s, {used:.1f} s of the processors (bar {BAR} s)")
    assert audited.kept
    assert took < BAR


@pytest.mark.parametrize("people", [PEOPLE // 100, PEOPLE // 10, PEOPLE])
def test_the_next_invariant_release(people: int, tmp_path: Path) -> None:
    first, second = tables_of(tmp_path, people)[:2]
    shared = {"schema": tmp_path / "schema.toml", "m": 3, "quasi": ["age", "sex"], "ledger": tmp_path / "ledger", "seed": 1}
    next_release(first, output=tmp_path / "1.csv", mapping=tmp_path / "1.map", **shared)
    following = {"output": tmp_path / "2.csv", "mapping": tmp_path / "2.map", "after": tmp_path / "1.map"}
    made, took, used = timed(lambda: next_release(second, **following, **shared))
    print(f"\nthe next release of {people:,} people: {made.groups:,} groups, {made.counterfeits:,} counterfeits")
    print(f"  {took:.1f} s, {used:.1f} s of the processors")
    assert made.counterfeits < people / 100
