"""Refusals that have a status of their own on the web."""

from __future__ import annotations

from sfumato.errors import UsageError


class GoTo(Exception):
    """The page is not there yet; another one says why."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place


class NoSuch(UsageError):
    """There is nothing of that name, or not for this account: the answer is the same for both."""

    code = "not_found"


class Taken(UsageError):
    """Somebody else was faster, or it was done already."""

    code = "taken"


class TooMany(UsageError):
    """Too much at once; the same would work after `seconds`."""

    code = "too_many"

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds
