"""The figures of the guide to graphs: attacks before and after, what a release keeps, and how everything grows with the edges.

python scripts/graph_figures.py          measure and draw all into docs/figures (some minutes)
python scripts/graph_figures.py --small  the same with small graphs, to try it
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sfumato.graph import Graph, attack, attack_actively, changed, compare, generate, profile, publish, read, write
from sfumato.graph.charts import attacked_chart, compared_chart
from sfumato.reporting.charts import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, altair, finished, write_chart

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
METHODS = ("deidentify", "k-degree:5", "k-degree:10", "add-delete:5%", "switch:5%")
KNOWS = ("degree", "neighbors", "second-round", "nearest")
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)


def main(*, small: bool) -> None:
    """Measure, print what the guide has in its tables, and draw."""
    graph = generate(600, 2_000) if small else generate(30_000, 100_000)
    folder = Path(tempfile.mkdtemp()) if small else FIGURES
    releases = [changed(graph, method, seed=1) for method in METHODS]
    attacked = attack(graph, releases, knows=KNOWS, seed=1)
    compared = compare(graph, releases, seed=1)
    planted = attack_actively(graph, METHODS, runs=2 if small else 10, seed=1)
    print(attacked, compared, planted, sep="\n\n")
    write_chart(attacked_chart(attacked), folder / "graph-attacks.svg", force=True)
    write_chart(compared_chart(compared), folder / "graph-utility.svg", force=True)
    draw_growth(folder, SIZES[:3] if small else SIZES)
    print(f"drawn into {folder}")


def draw_growth(folder: Path, sizes: Sequence[int]) -> None:
    """How everything grows with the edges."""
    grown = [row for edges in sizes for row in _grown(edges)]
    (folder / "graph-growth.json").write_text(json.dumps(grown, indent=1) + "\n", encoding="utf-8")
    write_chart(growth_chart(grown), folder / "graph-growth.svg", force=True)


def _grown(edges: int) -> list[dict[str, Any]]:
    """How many seconds of one core each step takes for a graph of so many edges."""
    graph = generate(max(edges * 3 // 10, 10), edges)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "graph.csv"
        write(graph, path)
        release = changed(graph, "k-degree:10", seed=1)
        steps: dict[str, Callable[[], Any]] = {
            "read": lambda: read(path),
            "profile": lambda: profile(graph, knows=("degree", "neighbors", "second-round", "hubs")),
            "publish k-degree:10": lambda: publish(
                graph, Path(name) / "out.csv", method="k-degree:10", seed=1, ledger=Path(name) / "ledger"
            ),
            "passive attacks": lambda: attack(graph, [release], knows=KNOWS),
            "compare": lambda: compare(graph, [release]),
            "active attack": lambda: attack_actively(graph, ["k-degree:10"], runs=1),
        }
        _warm(graph)
        return [{"step": step, "edges": edges, "seconds": _seconds(act)} for step, act in steps.items()]


def _warm(graph: Graph) -> None:
    """Load the compiled loops."""
    if graph.size == SIZES[0]:
        profile(graph)
        attack_actively(graph, ["k-degree:5", "switch:1%"], runs=1)
        compare(graph, [])


def _seconds(act: Callable[[], Any]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def growth_chart(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Seconds by edges, a line per step."""
    alt = altair()
    steps = list(dict.fromkeys(row["step"] for row in rows))
    colors = alt.Scale(domain=steps, range=[BLUE, ORANGE, GREEN, RED, PURPLE, SKY])
    chart = (
        alt.Chart(alt.Data(values=rows), width=460, height=300)
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("edges:Q", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=4, format="~s", grid=False), title="edges"),
            y=alt.Y(
                "seconds:Q",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(tickCount=5, format="~g", grid=False),
                title="seconds of one core",
            ),
            color=alt.Color("step:N", sort=steps, scale=colors, title=None),
            shape=alt.Shape("step:N", sort=steps, scale=alt.Scale(domain=steps), title=None),
        )
    )
    return finished(chart)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
