"""`ato generate`: a log, its truth in files of its own, and what an incident team would know. Made in pieces and written as it is made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.applications.ato.events import EVENTS, TRUTH
from sfumato.applications.ato.files import write_rows
from sfumato.applications.ato.generating.campaigns import CAMPAIGNS, Attempts, Campaign, campaigns_of
from sfumato.applications.ato.generating.clock import Clock
from sfumato.applications.ato.generating.known import known_bad, known_good
from sfumato.applications.ato.generating.living import Life
from sfumato.applications.ato.generating.parameters import DEFAULT, FEWEST, Parameters
from sfumato.applications.ato.generating.pieces import NONE, Piece, Texts, together, truth
from sfumato.applications.ato.generating.world import World, world_of
from sfumato.applications.ato.opening import FILE
from sfumato.commit.call import one_call
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError, argument
from sfumato.progress import Progress

CHUNK = 1 << 18  # events in memory at once
_EPOCH = datetime(1970, 1, 1)
_FILES = (FILE, "known-bad.txt", "known-good.txt", "truth/truth.parquet", "truth/campaigns.parquet", "truth/parameters.json")


class Log:
    """A log that is not written yet: everything it is made from."""

    def __init__(self, rows: int, seed: int, parameters: Parameters) -> None:
        self.rows, self.seed, self.parameters = rows, seed, parameters
        self.world: World = world_of(parameters, seed, rows)
        self.clock = Clock(parameters, self.world.count_of_country)
        self.campaigns: list[Campaign] = campaigns_of(self.world, parameters, self.clock.begin, seed, rows)
        self.attempts = [Attempts(campaign, self.world, parameters, seed) for campaign in self.campaigns]
        self.attacks = sum(campaign.attempts for campaign in self.campaigns)
        self.life = Life(self.world, self.clock, parameters, seed, rows - self.attacks)
        self.texts = Texts(self.world, parameters, seed)

    def pieces(self, chunk: int) -> Iterator[Piece]:
        """All events in the order of time, so many of the daily life at a time."""
        for first, start, end in self._windows(chunk):
            numbers = np.arange(first, min(first + chunk, self.life.count))
            yield together([self.life.piece(numbers), *self._attempts(start, end)])

    def frauds(self, chunk: int) -> Iterator[Piece]:
        """The fraudulent events alone."""
        for _, start, end in self._windows(chunk):
            yield together(self._attempts(start, end))

    def _attempts(self, start: int, end: int) -> list[Piece]:
        near = [
            each for each in self.attempts if each.campaign.begin < end and each.campaign.begin + each.campaign.length >= start
        ]
        return [each.between(start, end) for each in near or self.attempts[:1]]

    def _windows(self, chunk: int) -> Iterator[tuple[int, int, int]]:
        """The first event of the daily life in each piece, and the time of the piece."""
        firsts = range(0, self.life.count, chunk)
        times = [int(self.life.times(np.array([first]))[0]) for first in firsts]
        starts = [self.clock.begin, *times[1:]]
        yield from zip(firsts, starts, [*starts[1:], self.clock.begin + self.clock.length], strict=True)


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written: how many events, fraudulent ones, campaigns and takeovers."""

    folder: Path
    events: int
    fraudulent: int
    takeovers: int
    campaigns: int
    people: int
    organizations: int

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "folder": str(self.folder), "files": list(_FILES)}


def generate(
    output: str | PathLike[str],
    *,
    rows: int,
    seed: int = 0,
    parameters: Parameters = DEFAULT,
    days: int | None = None,
    force: bool = False,
    chunk: int = CHUNK,
    progress: Progress | None = None,
) -> Generated:
    """Write a log with a known truth.

    Parameters
    ----------
    output : path
        The folder for `events.parquet`, `known-bad.txt`, `known-good.txt` and `truth/`.
    rows : int
        How many events.
    seed : int
        The same seed gives the same files, to the byte.
    parameters : Parameters
        What the log is like.
    days : int, optional
        How many days it covers, if not as many as the parameters say.
    force : bool
        Replace what is there.
    chunk : int
        How many events are made at once; the files do not depend on it.
    progress : function, optional
        Called with the events made and all of them.
    """
    log = Log(*_sound(rows, seed, parameters if days is None else replace(parameters, days=days)))
    folder = Path(output)
    with one_call(), written_together(folder, _FILES, force=force) as (events, bad, good, frauds, campaigns, settings):
        count = write_rows(events, EVENTS, _events(log, chunk, progress))
        takeovers = 0

        def counted() -> Iterator[pa.RecordBatch]:
            nonlocal takeovers
            for piece in log.frauds(chunk):
                takeovers += int((piece.error == NONE).sum())
                yield truth(piece)

        fraudulent = write_rows(frauds, TRUTH, counted())
        named = [each.as_row(_EPOCH, log.texts.addresses) for each in log.campaigns if each.number != NONE]
        write_rows(campaigns, CAMPAIGNS, pa.Table.from_pylist(named, schema=CAMPAIGNS).to_batches())
        for path, known in ((bad, known_bad(log.attempts, seed)), (good, known_good(log.world, log.attempts, seed))):
            path.write_text(
                "".join(f"{text}\n" for text in log.texts.addresses.take(pa.array(known)).to_pylist()), encoding="utf-8"
            )
        settings.write_text(
            json.dumps({"rows": rows, "seed": seed, **asdict(log.parameters)}, indent=2, default=str) + "\n", encoding="utf-8"
        )
    people, organizations = len(log.world.people.org), len(log.world.sizes)
    return Generated(folder, count, fraudulent, takeovers, len(named), people, organizations)


def _sound(rows: int, seed: int, parameters: Parameters) -> tuple[int, int, Parameters]:
    if rows < FEWEST:
        raise UsageError(f"a log needs at least {FEWEST:,} events, so that there is room for campaigns", where=argument("rows"))
    if seed < 0:
        raise UsageError("a seed is 0 or more", where=argument("seed"))
    if not 2 <= parameters.days <= 366:
        raise UsageError("a log has 2 to 366 days", where=argument("days"))
    return rows, seed, parameters


def _events(log: Log, chunk: int, progress: Progress | None) -> Iterator[pa.RecordBatch]:
    done = 0
    for piece in log.pieces(chunk):
        yield log.texts.events(piece)
        done += len(piece.time)
        if progress is not None:
            progress(done, log.rows)
