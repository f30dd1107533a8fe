"""`searchlog generate`: a log, and its truth in a folder of its own. Made in blocks of people, and written as it is made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.commit.call import one_call
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError, argument
from sfumato.progress import Progress
from sfumato.searchlog.files import write_rows
from sfumato.searchlog.generating.clicks import BEGIN, clicks_of, repeated, urls_of
from sfumato.searchlog.generating.people import PEOPLE, People, people_of
from sfumato.searchlog.generating.queries import IDENTIFYING, PLANTED_KINDS, searches_of, texts_of
from sfumato.searchlog.log import FILE, LOG

FEWEST = 1_000
PLANTED = pa.schema([pa.field(name, pa.string(), nullable=False) for name in ("UserId", "Query", "Kind")])
_BLOCK = 4_096  # people; a part of what a seed means, so it is no parameter
_FILES = (FILE, "truth/people.parquet", "truth/planted.parquet", "truth/parameters.json")


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written: rows, people, people with planted queries, different planted queries, programs."""

    folder: Path
    rows: int
    people: int
    planted_people: int
    planted: int
    bots: int

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "folder": str(self.folder), "files": list(_FILES)}


def generate(
    output: str | PathLike[str], *, rows: int, seed: int = 0, force: bool = False, progress: Progress | None = None
) -> Generated:
    """Write a log with a known truth.

    Parameters
    ----------
    output : path
        The folder for `log.parquet` and `truth/`.
    rows : int
        How many rows.
    seed : int
        The same seed gives the same files, to the byte.
    force : bool
        Replace what is there.
    progress : function, optional
        Called with the people done and all of them.
    """
    if rows < FEWEST:
        raise UsageError(f"a log needs at least {FEWEST:,} rows, so that some queries are common", where=argument("rows"))
    if seed < 0:
        raise UsageError("a seed is 0 or more", where=argument("seed"))
    people, folder, planted = people_of(rows, seed), Path(output), set[tuple[str, str, str]]()
    with one_call(), written_together(folder, _FILES, force=force) as (log, whole, known, settings):
        written = write_rows(log, LOG, _blocks(people, seed, planted, progress))
        write_rows(whole, PEOPLE, people.table().to_batches())
        listed = [dict(zip(PLANTED.names, each, strict=True)) for each in sorted(planted)]
        write_rows(known, PLANTED, pa.Table.from_pylist(listed, schema=PLANTED).to_batches())
        settings.write_text(json.dumps({"rows": rows, "seed": seed}, indent=2) + "\n", encoding="utf-8")
    return Generated(folder, written, len(people), int(people.planted.sum()), len(planted), int(people.bot.sum()))


def _blocks(people: People, seed: int, planted: set[tuple[str, str, str]], progress: Progress | None) -> Iterator[pa.RecordBatch]:
    for start in range(0, len(people), _BLOCK):
        block = slice(start, min(start + _BLOCK, len(people)))
        rng = np.random.default_rng([seed, 1, start])
        searches = repeated(searches_of(people, block, rng), rng)
        clicks = clicks_of(searches, rng)
        texts = texts_of(people, searches)
        users = pa.array(people.users[searches.person]).cast(pa.string())
        own = np.flatnonzero(searches.kind == IDENTIFYING)
        kinds = [PLANTED_KINDS[each] for each in searches.one[own]]
        planted.update(zip(users.take(pa.array(own)).to_pylist(), texts.take(pa.array(own)).to_pylist(), kinds, strict=True))
        times = pa.array((BEGIN + clicks.seconds.astype("timedelta64[s]")).astype("datetime64[us]"))
        rank = pa.array(clicks.rank, pa.int32(), mask=clicks.rank == 0)
        yield pa.record_batch([users, texts, times, rank, urls_of(searches, clicks, texts)], schema=LOG)
        if progress is not None:
            progress(block.stop, len(people))
