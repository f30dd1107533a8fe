"""Passwords, as argon2 keeps them. Each takes 64 MB for a moment, so only a few are looked at at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sfumato.web.service.refusals import TooMany

_HASHER = PasswordHasher()
_AT_ONCE = threading.BoundedSemaphore(2)
_PATIENCE = 10  # seconds


def hashed(password: str) -> str:
    """What is kept of a password, with its salt and the parameters."""
    with _turn():
        return _HASHER.hash(password)


def fits(stored: str | None, password: str) -> bool:
    """Whether a password is the one that was kept. Where none was, it takes as long: nobody learns from that which names there are."""
    with _turn():
        try:
            _HASHER.verify(_nobody() if stored is None else stored, password)
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None


def outdated(stored: str) -> bool:
    """Whether a password was kept with other parameters than today's."""
    return _HASHER.check_needs_rehash(stored)


@cache
def _nobody() -> str:
    return _HASHER.hash("the password of nobody")


@contextmanager
def _turn() -> Iterator[None]:
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        raise TooMany("too many people sign in at this moment; try again", _PATIENCE)
    try:
        yield
    finally:
        _AT_ONCE.release()
