"""Bad documents: certificates, ledgers, spaces, recipes, keys, and files that are no files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from sfumato.signing.canonical import canonical, digest_of, parsed
from tests.torture.bad.mutations import json_texts, mutants, spoiled
from tests.torture.bad.running import Case

READERS = (
    ("verify", "{}.csv", "--key", "office.pub"),
    ("check", "{}.csv", "-s", "{schema}", "-m", "k-anonymity:2"),
    ("measure", "{}.csv", "-s", "{schema}", "--original", "{data}"),
    ("report", "{}.csv", "-s", "{schema}", "-o", "report.html"),
    ("sign", "{}.csv", "--key", "review.key"),
    ("verify", "{}.csv", "--json"),
)
RELEASES = {"out": ("people.toml", "people.csv"), "own": ("owned.toml", "owned.csv")}
SPACES = (
    ("space", "space.parquet"),
    ("space", "space.parquet", "--json"),
    ("space", "space.parquet", "--node", "[1,1]"),
    ("space", "space.parquet", "-m", "k-anonymity:4"),
    ("space", "space.parquet", "-o", "lattice.svg"),
    ("space", "space.parquet", "--pareto", "emd.max,loss", "--node", "age=0,job=0", "-m", "t-closeness:0.5"),
)


def certificates(world: Path) -> Iterator[Case]:
    """Changed ones, whose digest no longer fits; forged ones, whose digest fits and which nobody signed; other bytes."""
    for release, (schema, data) in RELEASES.items():
        file = f"{release}.csv.certificate.json"
        whole = (world / file).read_bytes()
        good = json.loads(whole)
        commands = cycle([tuple(word.format(release, schema=schema, data=data) for word in each) for each in READERS])
        for name, bad in mutants(good, seed=1, per_place=1):
            words = next(commands)
            stripped = _same(bad, {**good, "signatures": []}) and "office.pub" not in words  # only who requires it notices
            yield Case("certificate changed", name, words, {file: _json(bad)}, may_pass=stripped or _same(bad, good))
        for name, bad in mutants({**good, "signatures": []}, seed=2, per_place=4):
            yield Case("certificate forged", name, next(commands), {file: _json(_forged(bad))}, may_pass=True)
        for name, bad in mutants(good["signatures"], seed=3, per_place=6):
            words = next(commands)
            stripped = bad == [] and "office.pub" not in words
            yield Case("signatures", name, words, {file: _json({**good, "signatures": bad})}, may_pass=stripped)
        for name, content, same in json_texts(good):
            yield Case("certificate spelled", name, next(commands), {file: content}, may_pass=same)
        for name, content in spoiled(whole, seed=4, count=80):
            yield Case("certificate bytes", name, next(commands), {file: content}, may_pass=_reads_same(content, good))


def ledgers(world: Path) -> Iterator[Case]:
    """Entries changed, forged with a digest that fits, renamed, spoiled."""
    commands = cycle([("ledger", "verify", "ledger"), ("ledger", "show", "ledger"), ("ledger", "show", "ledger", "--json")])
    publish = ("publish", "owned.csv", "-s", "owned.toml", "--node", "[0]", "-o", "new.csv", "--ledger", "ledger")
    last = "ledger/00000002.json"
    whole = (world / last).read_bytes()
    good = json.loads(whole)
    for name, bad in mutants(good, seed=5, per_place=0):
        yield Case("ledger changed", name, next(commands), {last: _entry(bad)})
    for name, bad in mutants(good, seed=6, per_place=1):
        yield Case("ledger forged", name, next(commands), {last: _entry(_resealed(bad))}, may_pass=True)
    for name, bad in mutants({key: good[key] for key in good if key not in ("certificate", "owner")}, seed=7, per_place=2):
        if isinstance(bad, dict):
            rest = {"certificate": good["certificate"], "owner": good["owner"]}
            yield Case("ledger forged", name, publish, {last: _entry(_resealed({**rest, **bad}))}, may_pass=True)
    for name, content, same in json_texts(good):
        yield Case("ledger bytes", name, next(commands), {last: content}, may_pass=same)
    for name, content in spoiled(whole, seed=8, count=50):
        yield Case("ledger bytes", name, next(commands), {last: content})
    for other in ("00000003.json", "x.json", "99999999.json", "20310203T040506+0000-0123456789ab.json"):
        yield Case("ledger bytes", f"a copy named {other}", next(commands), {f"ledger/{other}": whole}, may_pass=True)


def spaces(world: Path) -> Iterator[Case]:
    """The Parquet file with other bytes, other columns, and other metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    commands = cycle(SPACES)
    whole = (world / "space.parquet").read_bytes()
    table = pq.read_table(io.BytesIO(whole))
    good = json.loads(table.schema.metadata[b"sfumato"])

    def written(changed: Any) -> bytes:
        out = io.BytesIO()
        pq.write_table(changed, out)
        return out.getvalue()

    for name, bad in mutants(good, seed=9, per_place=9):
        content = partial(written, table.replace_schema_metadata({b"sfumato": json.dumps(bad).encode()}))
        yield Case("space metadata", name, next(commands), {"space.parquet": content}, may_pass=True)
    for name, text, _ in json_texts(good):
        content = partial(written, table.replace_schema_metadata({b"sfumato": text}))
        yield Case("space metadata", name, next(commands), {"space.parquet": content}, may_pass=True)
    for name, changed in _tables(pa, table):
        yield Case("space columns", name, next(commands), {"space.parquet": partial(written, changed)}, may_pass=True)
    for name, content in spoiled(whole, seed=10, count=220):
        yield Case("space bytes", name, next(commands), {"space.parquet": content}, may_pass=True)


def negotiations(world: Path) -> Iterator[Case]:
    """Sheets, records and what lies on the owner's desk: changed in every place, spelled otherwise, with other bytes."""
    records = cycle(
        [
            ("negotiate", "verify", "record.json"),
            ("negotiate", "show", "record.json", "--json"),
            ("negotiate", "accept", "record.json", "--key", "review.key"),
            ("negotiate", "answer", "record.json", "--key", "office.key"),
        ]
    )
    ask = ("negotiate", "request", "sheet.json", "--pattern", "age", "--key", "review.key", "-o", "mine.json")
    answer = ("negotiate", "answer", "asked.json", "--key", "office.key")
    deliver = ("negotiate", "deliver", "agreed.json", "--key", "office.key", "-o", "delivered")
    sources = (("record.json", records, 1), ("agreed.json", cycle([deliver]), 1), ("sheet.json", cycle([ask]), 1))
    earlier = json.loads((world / "asked.json").read_bytes())
    for file, commands, per_place in sources:
        whole = (world / file).read_bytes()
        good = json.loads(whole)
        for name, bad in mutants(good, seed=21, per_place=per_place):
            known = _same(bad, good) or _same(bad, earlier)  # the same request again gets the same answer
            yield Case(f"negotiation {file}", name, next(commands), {file: _json(bad)}, may_pass=known)
        for name, content, same in json_texts(good):
            yield Case(f"negotiation {file}", name, next(commands), {file: content}, may_pass=same)
        for name, content in spoiled(whole, seed=22, count=60):
            yield Case(f"negotiation {file}", name, next(commands), {file: content}, may_pass=_reads_same(content, good))
    for file in ("sheet.desk/desk.json", "sheet.desk/answers.json"):
        whole = (world / file).read_bytes()
        for name, bad in mutants(json.loads(whole), seed=23, per_place=4):
            yield Case("negotiation desk", f"{file} {name}", answer, {file: _json(bad)}, may_pass=True)
        for name, content in spoiled(whole, seed=24, count=40):
            yield Case("negotiation desk", f"{file} {name}", answer, {file: content}, may_pass=True)


def _tables(pa: Any, table: Any) -> Iterator[tuple[str, Any]]:
    rows = table.num_rows
    columns = {
        "text": pa.array(["x"] * rows),
        "null": pa.nulls(rows),
        "nulls": pa.array([None] * rows, pa.int64()),
        "nan": pa.array([float("nan")] * rows),
        "negative": pa.array([-1] * rows),
        "huge": pa.array([2**62] * rows),
        "lists": pa.array([[1]] * rows),
        "bytes": pa.array([b"\xff"] * rows),
        "times": pa.array([0] * rows, pa.timestamp("ns", "UTC")),
        "false": pa.array([False] * rows),
        "words": pa.array(["x"] * rows).dictionary_encode(),
    }
    for place, name in enumerate(table.column_names):
        yield f"{name} removed", table.remove_column(place)
        yield f"{name} renamed", table.rename_columns([*table.column_names[:place], "x", *table.column_names[place + 1 :]])
        for kind in list(columns)[place % 3 :: 3] if place > 12 else columns:
            yield f"{name} is {kind}", table.set_column(place, name, columns[kind])
    yield "no rows", table.slice(0, 0)
    yield "fewer rows", table.slice(0, rows - 2)
    yield "rows twice", pa.concat_tables([table, table])
    yield "reversed", table.take(list(range(rows))[::-1])
    yield "one row many times", table.take([0] * 100_000)
    yield "a column twice", table.append_column(table.column_names[0], table.column(0))
    yield "no columns", table.select([])


def _json(document: Any) -> bytes:
    return json.dumps(document).encode()


def _entry(document: Any) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(errors="surrogatepass")


def _forged(document: Any) -> Any:
    """The same with a digest that fits, if there is one."""
    try:
        return {**document, "digest": digest_of({key: document[key] for key in document if key not in ("digest", "signatures")})}
    except (TypeError, ValueError):
        return document


def _resealed(entry: Any) -> Any:
    try:
        sealed = {**entry, "certificate": _forged(entry["certificate"])}
        covered = {key: value for key, value in sealed.items() if key != "digest"}
        return {**covered, "digest": digest_of(covered)}
    except (TypeError, ValueError, KeyError):
        return entry


def _same(one: Any, other: Any) -> bool:
    try:
        return canonical(one) == canonical(other)
    except ValueError:
        return False


def _reads_same(content: bytes, good: Any) -> bool:
    try:
        return _same(parsed(content.decode()), good)
    except (ValueError, RecursionError):
        return False
