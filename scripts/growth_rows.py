"""What rows cost from a table to a verified release: seconds, memory and disk for 1, 10 and 100 million rows, on DuckDB and on Spark.

    python scripts/growth_rows.py                      measure 1 and 10 million rows, then draw
    python scripts/growth_rows.py --rows 100_000_000   other numbers of rows, separated by commas
    python scripts/growth_rows.py --engines duckdb     other engines, separated by commas
    python scripts/growth_rows.py --small              some thousand rows, into a folder of its own, to try it
    python scripts/growth_rows.py --draw               draw again what was measured last

The rows are a perturbed census with eight QIDs. Each step is a command as somebody would run it, limited to 4 GB. A plain `COPY` of the
same recoded rows, sorted by the same hash, is what the writing is compared with. What is measured replaces the same measurement of earlier
runs and leaves the others.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import growth
import growth_tables
import pyarrow as pa

from sfumato.engines.duckdb.sql import SQL
from sfumato.reporting.charts import altair, write_chart

FIGURES = growth.FIGURES
SFUMATO = str(Path(sys.executable).with_name("sfumato"))
MEMORY = "4GB"
MODELS = ("-m", "k-anonymity:5", "-m", "t-closeness:0.2,equal", "--suppress", "5%")
MILLION = 1_000_000
ROWS, SMALL = (MILLION, 10 * MILLION), (20_000, 50_000)
SAMPLED = 0.1  # seconds between two looks at the memory
census: Any = import_module("census")
eight: Any = import_module("eight")

Row = dict[str, Any]


def measured(rows: int, engines: Sequence[str], folder: Path) -> Iterator[Row]:
    """One row per engine: what each step took on so many rows."""
    schema = eight.write_schema(folder)
    source = census.write(folder / "census.parquet", rows)
    for engine in engines:
        made = _released(source, schema, folder / f"release-{engine}.parquet", engine)
        about = {"rows": rows, "engine": engine, "source_bytes": source.stat().st_size, **made}
        if engine == "duckdb":
            about["copy"] = _copied(source, folder, made.pop("node"))
        print(json.dumps(about), flush=True)
        yield {key: value for key, value in about.items() if key != "node"}
    source.unlink()


def _released(source: Path, schema: Path, output: Path, engine: str) -> Row:
    """From the table to its certificate, then verified by somebody else."""
    how = ("--engine", engine, "--memory", MEMORY)
    ledger = output.with_suffix(".ledger")
    record, seconds, peak = _run(
        "anonymize", source, "-s", schema, *MODELS, "--quasi", ",".join(eight.QUASI), *how, "--ledger", ledger, "-o", output
    )
    _, verifying, verifying_peak = _run("verify", output, *how)
    return {
        "node": record["node"],
        "seconds": seconds,
        "count": record["count_seconds"],
        "search": record["search"]["seconds"],
        "publish": record["write_seconds"],
        "verify": verifying,
        "peak_bytes": max(peak, verifying_peak),
        "release_bytes": _size(output),
    }


def _run(command: str, *arguments: object) -> tuple[Row, float, int]:
    """A command: its JSON, its seconds, and the most memory that it and the processes that it started had at once."""
    start, peak = time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen([SFUMATO, command, *map(str, arguments), "--json"], stdout=output, text=True)
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            time.sleep(SAMPLED)
        seconds = time.perf_counter() - start
        output.seek(0)
        if process.returncode:
            raise SystemExit(f"sfumato {command} ended with {process.returncode}")
        return json.load(output), seconds, peak


def _resident(process: int) -> int:
    """The bytes that a process and its descendants have in memory; what has ended meanwhile counts for nothing."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1])
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    except OSError:
        return 0
    return pages * resource.getpagesize() + sum(_resident(int(child)) for child in children)


def _size(path: Path) -> int:
    """The bytes of a file, or of the files of a folder."""
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file()) if path.is_dir() else path.stat().st_size


def _copied(source: Path, folder: Path, node: dict[str, int]) -> float:
    """The seconds of a plain copy of the same rows, recoded by the same look-ups and sorted by the same hash of a row and a number."""
    with duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": str(folder)}) as connection:
        columns, joins = [], []
        for place, (name, level) in enumerate(node.items()):
            rows = eight.rows_of(name)
            table = pa.table({"key": [row[0] for row in rows], "label": [row[level] for row in rows]})
            connection.register(f"labels_{place}", table)
            columns.append(f'labels_{place}.label AS "{name}"')
            joins.append(f'JOIN labels_{place} ON labels_{place}.key = s."{name}"::VARCHAR')
        recoded = f"SELECT {', '.join(columns)}, occupation, row_number() OVER () AS n FROM '{source}' s {' '.join(joins)}"
        names = [SQL.identifier(name) for name in (*node, "occupation")]
        shuffled = f"SELECT {', '.join(names)} FROM ({recoded}) ORDER BY {SQL.shuffled_by([*names, 'n'], 0)}"
        start = time.perf_counter()
        connection.execute(f"COPY ({shuffled}) TO '{folder / 'copy.parquet'}' (FORMAT parquet, COMPRESSION zstd)")
        seconds = time.perf_counter() - start
    (folder / "copy.parquet").unlink()
    return seconds


def draw(found: list[Row], folder: Path) -> None:
    """Seconds of the whole way against rows, one line per engine."""
    alt = altair()
    total = [{**row, "total": row["seconds"] + row["verify"]} for row in found]
    x = alt.X("rows:Q", title="rows (log scale)", **growth.log_axis([row["rows"] for row in total], "~s", grid=False))
    y = alt.Y("total:Q", title="seconds (log scale)", **growth.log_axis([row["total"] for row in total], ",~g", grid=True))
    color = alt.Color("engine:N", title=None, legend=alt.Legend(orient="bottom"))
    head = {"text": "From a table to a verified release", "subtitle": f"8 QIDs, 4,320 nodes, two cores, {MEMORY}"}
    chart = alt.Chart(alt.Data(values=total), width=440, height=260, title=head)
    path = folder / "growth-rows.svg"
    write_chart(chart.mark_line(point={"size": 50}, strokeWidth=2).encode(x=x, y=y, color=color).to_dict(), path, force=True)
    print(f"wrote {path}")


def _joined(old: list[Row], new: list[Row]) -> list[Row]:
    """What was measured, the newest of each kind, in order."""
    kinds = {(row["engine"], row["rows"]): row for row in [*old, *new]}
    return [kinds[kind] for kind in sorted(kinds)]


def _listed(arguments: Sequence[str], option: str, default: str) -> list[str]:
    return (arguments[arguments.index(option) + 1] if option in arguments else default).split(",")


def main(arguments: Sequence[str]) -> None:
    """Measure, unless only to draw; then draw."""
    small = "--small" in arguments
    folder = Path(tempfile.gettempdir()) / "growth" if small else FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    numbers = folder / "growth-rows.json"
    found = json.loads(numbers.read_text(encoding="utf-8")) if numbers.exists() else []
    if "--draw" not in arguments:
        for rows in _listed(arguments, "--rows", ",".join(map(str, SMALL if small else ROWS))):
            with tempfile.TemporaryDirectory() as name:
                found = _joined(found, list(measured(int(rows), _listed(arguments, "--engines", "duckdb,spark"), Path(name))))
            numbers.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    draw(found, folder)
    growth_tables.write(found, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
