"""Yandex's layout: a stream of sessions, queries and clicks, in which texts are numbers.

A session has a day and a user, a query its words and the results that were shown, a click one of these. How long a unit of time is was not
published: it is taken for a second, and days are counted from the begin of 2000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sfumato.searchlog.importing.packed import unpacked

_BEGIN = datetime(2000, 1, 1)
Row = tuple[str, str, datetime, int | None, str | None]


class _Session:
    """What is known of the session that is being read."""

    def __init__(self, number: str, user: str, day: int) -> None:
        self.number, self.user, self.begin = number, user, _BEGIN + timedelta(days=day)
        self.pages: dict[str, tuple[str, dict[str, int], datetime]] = {}
        self.clicked: set[str] = set()

    def without(self, page: str) -> list[Row]:
        """Forget a page whose number is used again; its row, if nobody has clicked on it."""
        if page not in self.pages:
            return []
        words, _, time = self.pages.pop(page)
        if page in self.clicked:
            self.clicked.discard(page)
            return []
        return [(self.user, words, time, None, None)]

    def time(self, passed: str) -> datetime:
        return self.begin + timedelta(seconds=_whole(passed))


def rows_of(path: Path) -> Iterator[tuple[int, Row | None, str]]:
    """The number of each line with a row, the row, and its text; None for a line that is not of this layout."""
    session: _Session | None = None
    with unpacked(path) as file:
        for number, raw in enumerate(file, start=1):
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace").rstrip("\r\n")
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
        return _Session(parts[0], str(_whole(parts[3])), _whole(parts[2])), _unclicked(session)
    if session is None or parts[0] != session.number:
        raise ValueError("a line of no session")
    if parts[2] in ("Q", "T"):
        words = " ".join(f"t{_whole(term)}" for term in parts[5].split(","))
        shown = {pair.partition(",")[0]: place for place, pair in enumerate(parts[6:], start=1)}
        page = words, shown, session.time(parts[1])  # a line that is none must not change the session
        earlier = session.without(parts[3])
        session.pages[parts[3]] = page
        return session, earlier
    if parts[2] != "C":
        raise ValueError("a line of no kind")
    words, shown, _ = session.pages[parts[3]]
    click = session.user, words, session.time(parts[1]), shown.get(parts[4]), f"u{_whole(parts[4])}"
    session.clicked.add(parts[3])
    return session, [click]


def _whole(text: str) -> int:
    """A whole number as the layout has it; Python also takes signs, blanks, underscores and digits of other scripts for one."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError("no number")
    return int(text)


def _unclicked(session: _Session | None) -> list[Row]:
    """The queries of a session without a click."""
    pages: dict[str, Any] = {} if session is None else session.pages
    return [
        (session.user, words, time, None, None)
        for page, (words, _, time) in pages.items()
        if session is not None and page not in session.clicked
    ]
