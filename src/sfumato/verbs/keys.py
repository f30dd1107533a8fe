"""Keys to sign with: make a new pair, show one, read one for `sign=`."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from sfumato.signing.keys import PrivateKey, PublicKey, new_key

__all__ = ["NewKeys", "PrivateKey", "PublicKey", "new", "read", "show"]


@dataclass(frozen=True, slots=True)
class NewKeys:
    """A pair of keys that was just written."""

    private: Path
    public: Path
    name: str
    fingerprint: str


def new(
    key: str, output: str | PathLike[str] | None = None, *, name: str | None = None, passphrase: str | None = None
) -> NewKeys:
    """Make a pair of keys for Ed25519: the private one `output` (`KEY.key` by default), readable by you alone, and the public one
    beside it with the ending `.pub`.

    `name` is who you are to others (`key` by default); a `passphrase` encrypts the private key. Nothing that exists is replaced.
    """
    path = Path(output) if output is not None else Path(f"{key}.key")
    shown = name if name is not None else Path(key).name
    private, public = new_key(path, shown, passphrase)
    return NewKeys(private, public, shown, PublicKey.read(public).fingerprint)


def show(key: str | PathLike[str]) -> PublicKey:
    """A public key from its file: its name and its fingerprint, which people compare."""
    return PublicKey.read(key)


def read(key: str | PathLike[str], passphrase: str | None = None) -> PrivateKey:
    """A private key from its file; `$SFUMATO_PASSPHRASE` is its passphrase unless one is given."""
    return PrivateKey.read(key, passphrase)
