"""What growth costs a search log: processor seconds of each step against rows, for the guide on search logs.

    python scripts/growth_searches.py           measure 100,000 to 10 million rows (some minutes), then draw
    python scripts/growth_searches.py --draw    draw again what was measured last

Seconds are those of the processors, so that neighbors on the machine do not count.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from growth import FIGURES, log_axis

from sfumato.reporting.charts import altair, write_chart
from sfumato.searchlog import attack, find, generate, publish, utility

ROWS = (100_000, 1_000_000, 10_000_000)
NAME = "growth-searches"


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """Every step on a log of each size."""
    for rows in ROWS:
        log, release, owners = folder / str(rows), folder / f"{rows}.parquet", folder / f"{rows}-owners.parquet"
        noisy = folder / f"{rows}-private.parquet"
        steps: dict[str, Callable[[], object]] = {
            "generate": lambda log=log, rows=rows: generate(log, rows=rows, seed=1),  # type: ignore[misc]
            "find": lambda log=log: find(log),  # type: ignore[misc]
            "publish": lambda log=log, release=release, owners=owners: publish(  # type: ignore[misc]
                log, release, bundle=5, owners=owners, ledger=folder / "ledger"
            ),
            "attack": lambda log=log, release=release, owners=owners: attack(log, release, owners=owners),  # type: ignore[misc]
            "utility": lambda log=log, release=release: utility(log, release),  # type: ignore[misc]
            "publish with noise": lambda log=log, noisy=noisy: publish(  # type: ignore[misc]
                log, noisy, private="1,1e-7", per_person=5, ledger=folder / "ledger"
            ),
        }
        for step, work in steps.items():
            start = time.process_time()
            work()
            yield {"rows": rows, "step": step, "seconds": round(time.process_time() - start, 2)}
            print(f"{rows:,} rows: {step} {time.process_time() - start:.2f} s", flush=True)


def chart(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A line per step."""
    alt = altair()
    x = alt.X("rows:Q", title="rows (log scale)", **log_axis([row["rows"] for row in found], ",d", grid=False))
    y = alt.Y("seconds:Q", title="processor seconds (log scale)", **log_axis([row["seconds"] for row in found], ",~g", grid=True))
    color = alt.Color("step:N", title=None, sort=list(dict.fromkeys(row["step"] for row in found)))
    head = {"text": "Seconds against rows of a search log", "subtitle": "250,000 people in 10 million rows"}
    plot = alt.Chart(alt.Data(values=list(found)), width=440, height=260, title=head)
    spec: dict[str, Any] = plot.mark_line(point={"size": 50}, strokeWidth=2).encode(x=x, y=y, color=color).to_dict()
    return spec


def main(arguments: Sequence[str]) -> None:
    """Measure, unless only to draw; then draw."""
    numbers = FIGURES / f"{NAME}.json"
    if "--draw" not in arguments:
        with tempfile.TemporaryDirectory() as folder:
            found = list(measure(Path(folder)))
        numbers.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    write_chart(chart(json.loads(numbers.read_text(encoding="utf-8"))), FIGURES / f"{NAME}.svg", force=True)


if __name__ == "__main__":
    main(sys.argv[1:])
