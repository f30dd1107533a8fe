"""How many cases were tried, and how many failed: said at the end of `make torture`."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "tried" and report.when == "call":
                    tried[value[0]] += value[1]
                    failed[value[0]] += value[2]
    for kind in sorted(tried):
        terminalreporter.write_line(f"{kind}: {tried[kind]} tried, {tried[kind] - failed[kind]} held, {failed[kind]} failed")
