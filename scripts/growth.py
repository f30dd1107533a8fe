"""How searching grows with cells, QIDs, nodes, sensitive values and rows per person: measured and drawn into docs/figures.

    python scripts/growth.py           measure everything (some minutes, on a quiet machine), then draw
    python scripts/growth.py --small   the same with small tables, into a folder of its own, to try it
    python scripts/growth.py --draw    draw again what was measured last

Times are for the search alone, after the count, when the compiled loops are loaded.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato import Table
from sfumato.question import Question, problem_of
from sfumato.reporting.charts import altair, write_chart
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.search.space.exploring import explored

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures"
sys.path.insert(0, str(ROOT / "benchmarks"))
census: Any = import_module("census")
eight: Any = import_module("eight")
diagnoses: Any = import_module("diagnoses")

ASKED = Question(("k-anonymity:5", "t-closeness:0.2,equal"), "5%")
WHOLE, ONE = "every node, all losses", "one optimum"
ENOUGH = 2.0  # seconds after which a measurement is not repeated
ROUNDS = 5

ROWS = (12_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
QIDS = range(3, 11)
MORE_QIDS = {"month": (12, 2), "region": (50, 2)}  # leaves and height
HEIGHTS = (
    (1, 1, 1, 1, 1, 1, 1, 1),
    (1, 2, 1, 2, 2, 2, 2, 1),
    (1, 4, 1, 2, 3, 2, 2, 1),
    (1, 6, 2, 3, 4, 3, 3, 1),
    (1, 8, 3, 4, 6, 6, 4, 1),
)
VALUES = (14, 100, 1_000, 5_000)
PER_PERSON = (1, 2, 3, 5, 10)
SMALL_ROWS, SMALL_QIDS, SMALL_HEIGHTS, SMALL_VALUES, SMALL_PER_PERSON = (10_000, 30_000), (3, 4, 9), HEIGHTS[:2], (14, 50), (1, 2)

Row = dict[str, Any]
Figures = dict[str, list[Row]]


def measure(*, small: bool) -> Figures:
    """One list of rows per figure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        eight.write_schema(folder)
        _warm(folder)
        return {
            "cells": list(_cells(folder, SMALL_ROWS if small else ROWS)),
            "qids": list(_qids(folder, SMALL_QIDS if small else QIDS)),
            "nodes": list(_nodes(folder, SMALL_HEIGHTS if small else HEIGHTS)),
            "values": list(_values(folder, SMALL_VALUES if small else VALUES)),
            "owners": list(_owners(folder, SMALL_PER_PERSON if small else PER_PERSON)),
        }


def _cells(folder: Path, rows: Sequence[int]) -> Iterator[Row]:
    """The eight QIDs with their 4,320 nodes, over more and more perturbed rows of the census."""
    for count in rows:
        source = census.write(folder / "census.parquet", count)
        yield from _timed(_problem(source, folder / "eight.toml", eight.QUASI))


def _qids(folder: Path, counts: Sequence[int]) -> Iterator[Row]:
    """The first three QIDs, the first four, and so on; behind the eight two more that are drawn at random."""
    source, schema = _widened(folder)
    for count in counts:
        yield from _timed(_problem(source, schema, (*eight.QUASI, *MORE_QIDS)[:count]))


def _nodes(folder: Path, heights: Sequence[Sequence[int]]) -> Iterator[Row]:
    """The census with hierarchies of more and more levels."""
    for each in heights:
        yield from _timed(_problem(eight.sample(), _deeper(folder, each), eight.QUASI))


def _values(folder: Path, counts: Sequence[int]) -> Iterator[Row]:
    """100,000 rows of the census with more and more diagnoses in place of the occupation."""
    for count in counts:
        rows, schema = diagnoses.census_with(folder, count)
        yield from _timed(_problem(rows, schema, eight.QUASI), values=count)


def _owners(folder: Path, counts: Sequence[int]) -> Iterator[Row]:
    """The census, of whose rows more and more are one person's; with one row per person nobody needs an owner."""
    for count in counts:
        rows, text = eight.sample(), (folder / "eight.toml").read_text(encoding="utf-8")
        if count > 1:
            who = np.random.default_rng(0).permutation(len(rows)) // count
            rows, text = rows.append_column("who", pa.array(who)), text + '[attributes.who]\nrole = "owner"\n'
        schema = folder / "owners.toml"
        schema.write_text(text, encoding="utf-8")
        yield from _timed(_problem(rows, schema, eight.QUASI), owners=count)


def _problem(source: Any, schema: Path, quasi: Sequence[str]) -> Problem:
    """The counted table."""
    with Table.open(source, schema) as table:
        return problem_of(table, replace(ASKED, quasi=tuple(quasi)))[0]


def _widened(folder: Path) -> tuple[pa.Table, Path]:
    """The sample with columns of random numbers, and its schema."""
    table, chance = eight.sample(), np.random.default_rng(0)
    text = (folder / "eight.toml").read_text(encoding="utf-8")
    for name, (leaves, height) in MORE_QIDS.items():
        values = [str(value) for value in range(leaves)]
        table = table.append_column(name, pa.array(values).take(pa.array(chance.integers(leaves, size=table.num_rows))))
        text += _attribute(folder, name, _merged(values, height), "quasi")
    path = folder / "ten.toml"
    path.write_text(text, encoding="utf-8")
    return table, path


def _deeper(folder: Path, heights: Sequence[int]) -> Path:
    """A schema whose hierarchies have these heights: neighbors are merged, about as many at every step."""
    text = _attribute(folder, "occupation", eight.rows_of("occupation"), "sensitive")
    for name, height in zip(eight.QUASI, heights, strict=True):
        leaves = [row[0] for row in eight.rows_of(name)]
        text += _attribute(folder, name, _merged(leaves, height), "quasi")
    path = folder / "deeper.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _merged(leaves: Sequence[str], height: int) -> list[list[str]]:
    """A hierarchy, one line per leaf: the number of groups falls by the same factor from level to level, down to one."""
    group, groups, rows = np.arange(len(leaves)), len(leaves), [[leaf] for leaf in leaves]
    for level in range(1, height):
        fewer = min(groups - 1, round(len(leaves) ** (1 - level / height)))
        group, groups = group * fewer // groups, fewer
        for row, number in zip(rows, group.tolist(), strict=True):
            row.append(f"{level}.{number}")
    return [[*row, "*"] for row in rows]


def _attribute(folder: Path, name: str, rows: Sequence[Sequence[str]], role: str) -> str:
    file = f"deep-{name}.csv"
    (folder / file).write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
    kind = 'type = "integer"\n' if name == "age" else ""
    return f'[attributes.{name}]\nrole = "{role}"\n{kind}hierarchy = {{ file = "{file}" }}\n\n'


def _warm(folder: Path) -> None:
    """Load and compile what is loaded and compiled once."""
    problem = _problem(eight.sample(), folder / "eight.toml", eight.QUASI)
    explored(problem, "")
    optimal(problem, "loss")


def _timed(problem: Problem, **more: int) -> Iterator[Row]:
    """What the whole space and one optimum take."""
    counts = problem.counts
    about = {
        "qids": len(counts.node.attributes),
        "nodes": Lattice.of(counts).size,
        "cells": len(counts.payloads["occupation"].values),
        "people": problem.people,
        **more,
    }
    for search, work in ((ONE, lambda: optimal(problem, "loss")), (WHOLE, lambda: explored(problem, ""))):
        seconds = _seconds(work)
        facts = ", ".join(f"{name} {value:,}" for name, value in about.items())
        print(f"{facts}: {search} {seconds:.3f} s", flush=True)
        yield {**about, "search": search, "seconds": seconds}


def _seconds(work: Callable[[], object]) -> float:
    """The median of some runs; of fewer, where they take long."""
    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < ENOUGH:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def draw(found: Figures, folder: Path) -> None:
    """One figure per list."""
    cells, qids, nodes, values, owners = (found[name] for name in ("cells", "qids", "nodes", "values", "owners"))
    titles = {
        "cells": ("cells", f"8 QIDs, {cells[0]['nodes']:,} nodes, {cells[0]['people']:,} to {cells[-1]['people']:,} people"),
        "qids": ("QIDs", f"{qids[0]['people']:,} people, {qids[0]['nodes']:,} to {qids[-1]['nodes']:,} nodes"),
        "nodes": ("nodes", f"8 QIDs, {nodes[0]['cells']:,} cells of {nodes[0]['people']:,} people"),
        "values": (
            "sensitive values",
            f"8 QIDs, {values[0]['nodes']:,} nodes, {values[0]['cells']:,} to {values[-1]['cells']:,} cells",
        ),
        "owners": ("rows per person", f"8 QIDs, {owners[0]['nodes']:,} nodes, {owners[0]['people']:,} rows"),
    }
    for name, (title, subtitle) in titles.items():
        path = folder / f"growth-{name}.svg"
        write_chart(_chart(found[name], name, title, subtitle), path, force=True)
        print(f"wrote {path}")


def _chart(rows: list[Row], name: str, title: str, subtitle: str) -> dict[str, Any]:
    alt = altair()
    if name in ("qids", "owners"):
        ends = [rows[0][name] - 0.5, rows[-1][name] + 0.5]
        x = alt.X(f"{name}:Q", title=title, scale=alt.Scale(domain=ends, nice=False), axis=alt.Axis(tickMinStep=1, grid=False))
    else:
        x = alt.X(f"{name}:Q", title=f"{title} (log scale)", **log_axis([row[name] for row in rows], ",d", grid=False))
    y = alt.Y("seconds:Q", title="seconds (log scale)", **log_axis([row["seconds"] for row in rows], ",~g", grid=True))
    color = alt.Color("search:N", title=None, sort=[WHOLE, ONE], legend=alt.Legend(orient="bottom", labelLimit=0))
    head = {"text": f"Seconds against {title}", "subtitle": subtitle}
    chart = alt.Chart(alt.Data(values=rows), width=440, height=260, title=head)
    spec: dict[str, Any] = chart.mark_line(point={"size": 50}, strokeWidth=2).encode(x=x, y=y, color=color).to_dict()
    return spec


def log_axis(values: Sequence[float], form: str, *, grid: bool) -> dict[str, Any]:
    """A logarithmic scale somewhat wider than the values, with a tick at every power of ten."""
    alt = altair()
    low, high = min(values) / 1.6, max(values) * 1.6
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return {"scale": scale, "axis": alt.Axis(values=[10.0**power for power in powers], format=form, grid=grid)}


def main(arguments: Sequence[str]) -> None:
    """Measure, unless only to draw; then draw."""
    small = "--small" in arguments
    folder = Path(tempfile.gettempdir()) / "growth" if small else FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    numbers = folder / "growth.json"
    if "--draw" not in arguments:
        numbers.write_text(json.dumps(measure(small=small), indent=1) + "\n", encoding="utf-8")
    draw(json.loads(numbers.read_text(encoding="utf-8")), folder)


if __name__ == "__main__":
    main(sys.argv[1:])
