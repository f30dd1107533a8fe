"""The bars of graphs: everything that is done to a graph, from the file to releases, attacks and comparison, for 100,000 edges in under a
minute and for a million in under ten; and how it compares with networkx where that does the same.

The bars are in seconds that pass; those of the processors are printed beside them, for machines that others use, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from sfumato.graph import attack, attack_actively, changed, compare, generate, profile, publish, read, to_networkx, verify, write
from sfumato.graph.methods import USUAL
from sfumato.graph.utility import shape_of

SIZES = ((30_000, 100_000, 60), (300_000, 1_000_000, 600))


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile once, apart from what is measured; the first call of each loop takes some seconds, and later ones load it."""
    _everything(300, 900, tmp_path_factory.mktemp("small"))


def _everything(nodes: int, edges: int, folder: Path) -> dict[str, tuple[float, float]]:
    """The seconds of every step: those that passed, and those of the processors."""
    times: dict[str, tuple[float, float]] = {}

    def timed(name: str, act: Callable[[], Any]) -> Any:
        wall, used = time.perf_counter(), time.process_time()
        result = act()
        times[name] = time.perf_counter() - wall, time.process_time() - used
        return result

    write(generate(nodes, edges, seed=1), folder / "graph.csv", force=True)
    graph = timed("read", lambda: read(folder / "graph.csv"))
    timed("profile", lambda: profile(graph))
    timed(
        "publish k-degree:10",
        lambda: publish(graph, folder / "out.csv", method="k-degree:10", seed=1, force=True, ledger=folder / "ledger"),
    )
    timed("verify", lambda: verify(folder / "out.csv"))
    releases = timed("five methods", lambda: [changed(graph, each, seed=1) for each in USUAL])
    timed("passive attacks on five", lambda: attack(graph, releases))
    timed("compare five", lambda: compare(graph, releases))
    timed("active attacks on five, one run", lambda: attack_actively(graph, USUAL, runs=1))
    return times


@pytest.mark.parametrize(("nodes", "edges", "bar"), SIZES)
def test_everything_is_done_within_the_bar(nodes: int, edges: int, bar: int, tmp_path: Path) -> None:
    times = _everything(nodes, edges, tmp_path)
    passed, used = (sum(each) for each in zip(*times.values(), strict=True))
    print(f"\n{nodes:,} nodes, {edges:,} edges: {passed:.1f} s, {used:.1f} s of the processors (bar {bar} s)")
    for name, (took, of_processors) in times.items():
        print(f"  {name}: {took:.2f} s, {of_processors:.2f} s of the processors")
    assert passed < bar


def test_measures_take_a_fraction_of_the_time_of_networkx() -> None:
    graph = generate(30_000, 100_000, seed=1)
    there = to_networkx(graph)
    start = time.perf_counter()
    found = shape_of(graph, sources=np.arange(20), rng=np.random.default_rng(1))
    ours = time.perf_counter() - start
    start = time.perf_counter()
    clustering = nx.average_clustering(there)
    for source in list(there)[:20]:
        nx.single_source_shortest_path_length(there, source)
    nx.community.louvain_communities(there, seed=1)
    theirs = time.perf_counter() - start
    print(f"\nclustering, paths from 20, communities of 100,000 edges: {ours:.2f} s; networkx {theirs:.1f} s")
    assert found.mean_clustering == pytest.approx(clustering)
    assert ours < theirs / 5
