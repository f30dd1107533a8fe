"""Words that nobody guesses. The store has their digests only."""

from __future__ import annotations

from hashlib import sha256
from secrets import token_hex, token_urlsafe


def new_id() -> str:
    """A name for something new; no two are the same."""
    return token_hex(16)


def new_secret(prefix: str = "") -> str:
    """256 random bits in letters that an address can have."""
    return prefix + token_urlsafe(32)


def digest(secret: str) -> str:
    """What the store keeps of a secret. One that is random needs neither salt nor slowness."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()
