"""Ctrl-C during a search."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = """
import sys
from pathlib import Path
from sfumato.search.compiled import walk

made, marker = walk._subtree, Path(sys.argv.pop())
def marked(crew, start, *rest):
    parts = made(crew, start, *rest)
    if sum(start.levels) >= 6:  # at its end at most eight classes: a feasible node has been evaluated
        marker.touch()
    return parts
walk._subtree = marked
from sfumato.cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["people", "machines"])
def test_ctrl_c_during_a_search_leaves_nothing_and_tells_the_best_so_far(tmp_path: Path, more: list[str]) -> None:
    """Eight QIDs of four levels: 65,536 nodes. The signal is sent when the walk has a feasible node behind it."""
    rng = random.Random(1)
    names = [f"q{place}" for place in range(8)]
    column = '[attributes.{}]\nrole = "quasi"\ntype = "text"\nhierarchy = {{ builder = "prefix", keep = [2, 1] }}\n'
    schema = "".join(column.format(name) for name in names) + '[attributes.disease]\nrole = "sensitive"\n'
    (tmp_path / "wide.toml").write_text(schema)
    lines = [",".join([*("".join(rng.choices("ab", k=3)) for _ in names), rng.choice("xyz")]) for _ in range(1000)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join([*names, "disease"]), *lines]) + "\n")
    folder, marker = tmp_path / "out", tmp_path / "begun"
    folder.mkdir()
    arguments = ["anonymize", tmp_path / "wide.csv", "-s", tmp_path / "wide.toml", "-m", "k-anonymity:2", "-m", "t-closeness:0.4"]
    arguments += ["--minimize", "utility-distribution"]  # which nothing foresees: all nodes are walked over
    arguments += ["-o", folder / "out.parquet", *more, marker]
    call = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        while not marker.exists() and process.poll() is None and time.monotonic() < deadline:
            os.sched_yield()
        assert process.poll() is None
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        waited = time.monotonic() - sent
    assert process.returncode == 130
    assert list(folder.iterdir()) == []
    if more:
        assert json.loads(out)["error"]["code"] == "interrupted"
    else:
        best, last = err.splitlines()
        assert best.startswith("sfumato: the best node so far is ")
        assert last == "sfumato: interrupted; nothing was written"
    assert waited < 30
