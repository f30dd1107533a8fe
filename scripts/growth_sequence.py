"""How the audit of a sequence, and the next m-invariant release, grow with people and releases: measured and drawn into docs/figures.

python scripts/growth_sequence.py          measure everything (some minutes), then draw
python scripts/growth_sequence.py --draw   draw again what was measured last
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import sfumato as sf
from sfumato.reporting.charts import BLUE, ORANGE, altair, finished, write_chart
from sfumato.sequence import audit, next_release

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures"
sys.path.insert(0, str(ROOT / "benchmarks"))
census: Any = import_module("test_sequence")

PEOPLE = (10_000, 30_000, 100_000, 300_000, 1_000_000)
AUDIT, NEXT = "audit of ten releases", "next m-invariant release"
SHORT = 20.0  # seconds after which a measurement is not repeated


def seconds(work: Callable[[], object]) -> float:
    """The time of the quickest of two runs."""
    took: list[float] = []
    while len(took) < 2 and (not took or took[0] < SHORT):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


def measured() -> list[dict[str, Any]]:
    """Seconds by people, and by releases of a hundred thousand people."""
    points = []
    for people in PEOPLE:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            points += measured_with(folder, people)
            print(points[-2:], flush=True)
    return points


def measured_with(folder: Path, people: int) -> list[dict[str, Any]]:
    """The audit of ten releases, the next release, and for the middle size audits of fewer releases."""
    tables = census.tables_of(folder, people)
    schema, ledger = folder / "schema.toml", folder / "ledger"
    for table in tables:
        sf.publish(table, schema, quasi=["age", "sex"], node=[2, 0], output=table.with_suffix(".out.csv"), ledger=ledger)
    shared: dict[str, Any] = {
        "schema": schema,
        "m": 3,
        "quasi": ["age", "sex"],
        "ledger": folder / "next",
        "seed": 1,
        "force": True,
        "together": "none",  # the grouping is measured; what judging takes is an audit
    }
    next_release(tables[0], output=folder / "1.csv", mapping=folder / "1.map", **shared)
    second: dict[str, Any] = {"output": folder / "2.csv", "mapping": folder / "2.map", "after": folder / "1.map"}
    points = []
    for count in range(2, 11, 2) if people == PEOPLE[len(PEOPLE) // 2] else ():
        took = seconds(lambda count=count: audit(ledger, schema, only=range(1, count + 1), together="k-anonymity:5"))  # type: ignore[misc]
        points.append({"releases": count, "people": people, "what": "by releases", "seconds": took})
    took = seconds(lambda: audit(ledger, schema, together="k-anonymity:5"))
    points.append({"releases": 10, "people": people, "what": AUDIT, "seconds": took})
    took = seconds(lambda: next_release(tables[1], **second, **shared))
    return [*points, {"releases": 1, "people": people, "what": NEXT, "seconds": took}]


def draw(points: list[dict[str, Any]]) -> None:
    """Two panels: seconds against people, and against releases."""
    alt = altair()
    color = alt.Color(
        "what:N", scale=alt.Scale(domain=[AUDIT, NEXT], range=[BLUE, ORANGE]), title=None, legend=alt.Legend(orient="top")
    )
    base = {"width": 320, "height": 240}
    people = alt.Chart(alt.Data(values=[each for each in points if each["what"] != "by releases"]), **base)
    by_people = people.mark_line(point=True).encode(
        x=alt.X(
            "people:Q",
            scale=alt.Scale(type="log"),
            title="people in each table",
            axis=alt.Axis(format="~s", values=[1e4, 1e5, 1e6]),
        ),
        y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="seconds", axis=alt.Axis(values=[1, 10, 100])),
        color=color,
    )
    fewer = alt.Chart(alt.Data(values=[each for each in points if each["what"] == "by releases"]), **base)
    by_releases = fewer.mark_line(point=True, color=BLUE).encode(
        x=alt.X("releases:Q", title=f"releases of {PEOPLE[len(PEOPLE) // 2]:,} people"),
        y=alt.Y("seconds:Q", title="seconds of the audit", scale=alt.Scale(zero=True)),
    )
    write_chart(finished(alt.hconcat(by_people, by_releases, spacing=40)), FIGURES / "growth-sequence.svg", force=True)


def main() -> None:
    record = FIGURES / "growth-sequence.json"
    if "--draw" not in sys.argv:
        record.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")
    draw(json.loads(record.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
