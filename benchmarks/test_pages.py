"""The bars of the trade-off and of the pages: fifty values in seconds, pages that are small and open at once in Chromium."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import sfumato as sf
from sfumato.reporting.explorer.writing import write_explorer
from sfumato.verbs.trade_off import trade_off

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.unit.report.releases import many_classes, written

SMALL, QUICK = 5_000_000, 3.0  # bytes, seconds
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def opened(page: Any, path: Path) -> float:
    started = time.perf_counter()
    page.goto(path.as_uri(), wait_until="load")
    return time.perf_counter() - started


@pytest.mark.parametrize("bounds", [{"epsilon": 0.2, "alpha": 0.3}, {"delta": 0.5}, {"gamma": 1.0, "delta": 0.4}])
def test_fifty_values_are_solved_in_seconds(benchmark: Any, bounds: dict[str, float]) -> None:
    prior = np.random.default_rng(3).dirichlet(np.ones(50))
    found = benchmark.pedantic(lambda: sf.tradeoff.recommend(prior, **bounds), rounds=1)
    print(f"\n{bounds}: {benchmark.stats.stats.min:.2f} s, {found.starts} descents, KKT residual {found.kkt_residual:.1e}")
    assert benchmark.stats.stats.min < 10


def test_a_joint_problem_of_fifty_values_is_solved_in_seconds(benchmark: Any) -> None:
    rng = np.random.default_rng(3)
    prior, sizes = rng.integers(1, 100, 50), rng.integers(50, 500, 8)
    found = benchmark.pedantic(lambda: sf.tradeoff.recommend_jointly(prior, sizes, epsilon=0.2), rounds=1)
    print(f"\njoint: {benchmark.stats.stats.min:.2f} s, improvement {found.improvement:.4f}, mismatch {found.mismatch:.1e}")
    assert benchmark.stats.stats.min < 30


def test_a_report_of_ten_thousand_classes_is_small_and_opens_at_once(benchmark: Any, tmp_path: Path, page: Any) -> None:
    path = tmp_path / "report.html"
    sf.report(*written(tmp_path, many_classes(10_000)), output=path, models=["k-anonymity:5"])
    seconds = benchmark.pedantic(lambda: opened(page, path), rounds=3)
    print(f"\nreport: {path.stat().st_size / 1e6:.2f} MB, opens in {seconds:.2f} s")
    assert path.stat().st_size < SMALL
    assert seconds < QUICK


def test_the_explorer_of_the_census_is_small_and_opens_at_once(benchmark: Any, tmp_path: Path, page: Any) -> None:
    path = tmp_path / "tradeoff.html"
    with sf.data.adult() as table:
        found = trade_off(table, models=["k-anonymity:5"])
    started = time.perf_counter()
    write_explorer(found, path)
    made = time.perf_counter() - started
    seconds = benchmark.pedantic(lambda: opened(page, path), rounds=3)
    print(f"\nexplorer: made in {made:.2f} s, {path.stat().st_size / 1e6:.2f} MB, opens in {seconds:.2f} s")
    assert path.stat().st_size < SMALL
    assert seconds < QUICK
