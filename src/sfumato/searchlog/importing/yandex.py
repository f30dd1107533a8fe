"""Yandex's layout: a stream of sessions, queries and clicks, in which texts are numbers.

A session has a day and a user, a query its words and the results that were shown, a click one of these. How long a unit of time is was not
published: it is taken for a second, and days are counted from the begin of 2000.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

from sfumato.inputs import opened

_BEGIN = datetime(2000, 1, 1)
_GZIP = b"\x1f\x8b"
Row = tuple[str, str, datetime, int | None, str | None]


class _Session:
    """What is known of the session that is being read."""

    def __init__(self, number: str, user: str, day: int) -> None:
        self.number, self.user, self.begin = number, user, _BEGIN + timedelta(days=day)
        self.pages: dict[str, tuple[str, dict[str, int], datetime]] = {}
        self.clicked: set[str] = set()

    def time(self, passed: str) -> datetime:
        return self.begin + timedelta(seconds=int(passed))


def rows_of(path: Path) -> Iterator[tuple[int, Row | None, str]]:
    """The number of each line with a row, the row, and its text; None for a line that is not of this layout."""
    session: _Session | None = None
    with opened(path) as stored:
        packed = stored.read(2) == _GZIP
        stored.seek(0)
        file: IO[bytes] = gzip.open(stored) if packed else stored  # type: ignore[assignment]  # noqa: SIM115  `stored` is closed
        for number, raw in enumerate(file, start=1):
            line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
            try:
                session, found = _read(line.split("\t"), session)
            except (ValueError, IndexError, KeyError, AttributeError, OverflowError):
                yield number, None, line
                continue
            for row in found:
                yield number, row, line
    yield from ((0, row, "") for row in _unclicked(session))


def _read(parts: Sequence[str], session: _Session | None) -> tuple[_Session | None, list[Row]]:
    """The session after a line, and the rows that are complete with it."""
    if parts[1] == "M":
        return _Session(parts[0], str(int(parts[3])), int(parts[2])), _unclicked(session)
    if session is None or parts[0] != session.number:
        raise ValueError("a line of no session")
    if parts[2] in ("Q", "T"):
        words = " ".join(f"t{int(term)}" for term in parts[5].split(","))
        shown = {pair.partition(",")[0]: place for place, pair in enumerate(parts[6:], start=1)}
        session.pages[parts[3]] = words, shown, session.time(parts[1])
        return session, []
    if parts[2] != "C":
        raise ValueError("a line of no kind")
    words, shown, _ = session.pages[parts[3]]
    session.clicked.add(parts[3])
    return session, [(session.user, words, session.time(parts[1]), shown.get(parts[4]), f"u{int(parts[4])}")]


def _unclicked(session: _Session | None) -> list[Row]:
    """The queries of a session without a click."""
    pages: dict[str, Any] = {} if session is None else session.pages
    return [
        (session.user, words, time, None, None)
        for page, (words, _, time) in pages.items()
        if session is not None and page not in session.clicked
    ]
