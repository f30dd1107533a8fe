"""Times optima without suppression, well warmed, by whichever code is on the path; `earlier` runs it."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path

import eight

from sfumato.search.algorithms.optimal import optimal
from sfumato.search.compiled.evaluator import QuickEvaluator

ROUNDS = 31


def timed(problem: object) -> tuple[float, float]:
    """The median time and the least processor time, in milliseconds, after two runs that load and compile."""
    clock, processor = [], []
    for turn in range(ROUNDS + 2):
        start, began = time.perf_counter(), time.process_time()
        optimal(problem, "loss")
        if turn > 1:
            clock.append(time.perf_counter() - start)
            processor.append(time.process_time() - began)
    return statistics.median(clock) * 1000, min(processor) * 1000


def main() -> None:
    """One row after the other, as JSON."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        eight.write_schema(folder)
        eight.write_csv(folder)
        rows = []
        for row, (models, *_) in eight.RECORDED.items():
            problem = eight.problem(folder / "eight.toml", models, 0)
            QuickEvaluator(problem, ["loss"], compiled=True)  # the compiled loops are used once they are loaded
            rows.append((row, *timed(problem)))
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
