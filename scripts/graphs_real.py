"""The figures of the guide on real graphs: attacks before and after on networks of people that the package graph-tool ships.

graph-tool itself is not needed, only its folder `graph_tool/collection`, as Debian's python3-graph-tool has it:

    apt-get download python3-graph-tool && dpkg-deb -x python3-graph-tool_*.deb unpacked
    python scripts/graphs_real.py unpacked/usr/lib/python3/dist-packages/graph_tool/collection

This takes about ten minutes, prints the tables of the guide, and draws docs/figures/graph-real.svg. Nothing of the networks is kept.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.graph import ActiveAttacks, Graph, GraphsCompared, PassiveAttacks, attack, attack_actively, changed, compare
from sfumato.reporting.charts import DARK, SKY, altair, finished, write_chart

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
# How many people and edges each is known to have, once edges that are stored twice are counted once.
GRAPHS = {
    "email-Enron": (36_692, 183_831),
    "cond-mat-2005": (40_421, 175_693),
    "astro-ph": (16_706, 121_251),
    "pgp-strong-2009": (39_796, 197_150),
}
METHODS = ("deidentify", "k-degree:5", "k-degree:10", "add-delete:5%", "switch:5%")
KNOWS = ("degree", "neighbors", "second-round", "nearest")
_MAGIC = b"\xe2\x9b\xbe gt\x01\x00"  # the sign of the format, version 1, least significant byte first


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one network."""

    name: str
    passive: PassiveAttacks
    active: ActiveAttacks
    compared: GraphsCompared


def main(folder: Path) -> None:
    """Measure each network, print what the guide has in its tables, and draw."""
    found = [measured(folder, name) for name in GRAPHS]
    for rows in (passive_rows, active_rows, utility_rows):
        print("\n".join(f"| {' | '.join(map(str, row))} |" for row in rows(found)), end="\n\n")
    write_chart(real_chart(found), FIGURES / "graph-real.svg", force=True)
    print(f"drawn into {FIGURES}")


def measured(folder: Path, name: str) -> Measured:
    """Attack releases of one network, and compare them with it."""
    graph = graph_of(gzip.decompress((folder / f"{name}.gt.gz").read_bytes()))
    if (graph.nodes, graph.size) != GRAPHS[name]:
        sys.exit(f"{name} is known to have other numbers of nodes and edges than {graph}")
    releases = [changed(graph, method, seed=1) for method in METHODS]
    passive = attack(graph, releases, knows=KNOWS, seed=1)
    active = attack_actively(graph, METHODS, runs=10, seed=1)
    found = Measured(name, passive, active, compare(graph, releases, seed=1))
    print(f"{name}: {graph}, at most {_percent(most_right(graph))} right guesses")
    print(found.passive, found.active, found.compared, sep="\n\n", end="\n\n", flush=True)
    return found


def graph_of(written: bytes) -> Graph:
    """A graph from a file of graph-tool: after a comment, for each node how many of its edges are written with it, and their other ends."""
    if not written.startswith(_MAGIC):
        sys.exit("not a file of graph-tool, version 1, with the least significant byte first")
    at = len(_MAGIC)
    at += 8 + int.from_bytes(written[at : at + 8], "little") + 1  # the comment, and whether edges have a direction
    nodes = int.from_bytes(written[at : at + 8], "little")
    width = next(each for each in (1, 2, 4, 8) if nodes < 256**each)
    at, lists = at + 8, []
    for node in range(nodes):
        count = int.from_bytes(written[at : at + 8], "little")
        others = np.frombuffer(written, f"<u{width}", count, at + 8).astype(np.int64)
        lists.append(np.stack([np.full(count, node), others], axis=1))
        at += 8 + width * count
    return Graph.of(nodes, np.concatenate(lists), simplify=True)


def most_right(graph: Graph) -> float:
    """A share of right guesses that nobody exceeds who has nothing but the structure: people with the same neighbors, or the same but for
    each other, can be exchanged without changing it."""
    rows = [set(row.tolist()) for row in np.split(graph.neighbors, graph.offsets[1:-1])]
    apart = Counter(map(frozenset, rows))
    joined = Counter(frozenset(row | {node}) for node, row in enumerate(rows))
    sizes = [max(apart[frozenset(row)], joined[frozenset(row | {node})]) for node, row in enumerate(rows)]
    return sum(1 / size for size in sizes) / len(sizes)


def passive_rows(found: Iterable[Measured]) -> Iterable[tuple[Any, ...]]:
    """The share of right guesses by network, knowledge and method."""
    for each in found:
        for words in dict.fromkeys(one.words for one in each.passive.attempts):
            yield each.name, words, *(_percent(one.rate) for one in each.passive.attempts if one.words == words)


def active_rows(found: Iterable[Measured]) -> Iterable[tuple[Any, ...]]:
    """The share of targets who are named, by an exact and a forgiving attacker, by network and method."""
    for each in found:
        rates = [(one.method, _percent(one.rate)) for one in each.active.attempts]
        yield each.name, *(", ".join(rate for method, rate in rates if method == name) for name in METHODS)


def utility_rows(found: Iterable[Measured]) -> Iterable[tuple[Any, ...]]:
    """What is kept, by network and measure: before, and after each method but the first, which changes nothing."""
    kept = ("edges", "mean clustering", "components", "mean path length", "degrees apart (KS)", "same communities (NMI)")
    for each in found:
        for measure, before, _, *after in each.compared.table().rows:
            if measure in kept:
                yield (
                    each.name,
                    measure,
                    *(f"{value:,}" if isinstance(value, int) else f"{value:.3g}" for value in (before, *after)),
                )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.01 else f"{100 * share:.1f} %".replace(".0 %", " %")


def real_chart(found: list[Measured]) -> dict[str, Any]:
    """For each network and what the attacker knows, the share of right guesses on each method's release."""
    alt = altair()
    values = [
        {
            "network": each.name,
            "knows": one.words,
            "method": one.method,
            "rate": one.rate,
            "low": one.interval[0],
            "high": one.interval[1],
        }
        for each in found
        for one in each.passive.attempts
    ]
    words = list(dict.fromkeys(each["knows"] for each in values))
    base = alt.Chart(width=140, height=alt.Step(15)).encode(
        y=alt.Y("method:N", sort=METHODS, title=None),
        x=alt.X("rate:Q", title="right guesses", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=3)),
    )
    ends = base.mark_rule(color=DARK).encode(x="low:Q", x2="high:Q")
    layered = alt.layer(base.mark_bar(color=SKY), ends, data=alt.Data(values=values))
    across = alt.Column("network:N", sort=[each.name for each in found], title=None, header=alt.Header(labelFontWeight="bold"))
    down = alt.Row("knows:N", sort=words, title=None, header=alt.Header(labelAngle=0, labelAlign="left", labelFontWeight="bold"))
    return finished(layered.facet(row=down, column=across, spacing=14))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
