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
    """Make a pair of keys for Ed25519: a private one, readable by you alone, and a public one with the ending `.pub` next to it.

    Nothing that exists is replaced.

    Parameters
    ----------
    key : str
        What the keys are called.
    output : path, optional
        The file of the private key; `KEY.key` by default.
    name : str, optional
        Who you are to others; `key` by default.
    passphrase : str, optional
        Encrypts the private key.

    Returns
    -------
    NewKeys
        The two files, the name and the fingerprint.
    """
    path = Path(output) if output is not None else Path(f"{key}.key")
    shown = name if name is not None else Path(key).name
    private, public = new_key(path, shown, passphrase)
    return NewKeys(private, public, shown, PublicKey.read(public).fingerprint)


def show(key: str | PathLike[str]) -> PublicKey:
    """Read a public key: its name and its fingerprint, which people compare.

    Parameters
    ----------
    key : path
        The file of the public key.

    Returns
    -------
    PublicKey
        The key.
    """
    return PublicKey.read(key)


def read(key: str | PathLike[str], passphrase: str | None = None) -> PrivateKey:
    """Read a private key.

    Parameters
    ----------
    key : path
        The file of the private key.
    passphrase : str, optional
        Its passphrase; `$SFUMATO_PASSPHRASE` by default.

    Returns
    -------
    PrivateKey
        The key.
    """
    return PrivateKey.read(key, passphrase)
