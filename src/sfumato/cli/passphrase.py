"""Passphrases of private keys: from a file, the environment or a question in the terminal. Never from the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.errors import DataError, UsageError, argument

if TYPE_CHECKING:
    from sfumato.signing.keys import PrivateKey

PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help="A file whose first line is the passphrase of the private key.",
        show_default="$SFUMATO_PASSPHRASE, or asked for",
    ),
]


def private_key(path: Path, passphrase_file: Path | None) -> PrivateKey:
    """A private key; if it needs a passphrase that nobody gave, it is asked for in the terminal."""
    from sfumato.signing.keys import ENVIRONMENT, PrivateKey, has_passphrase

    if passphrase_file is not None:
        return PrivateKey.read(path, first_line(passphrase_file))
    if ENVIRONMENT not in os.environ and sys.stdin is not None and sys.stdin.isatty() and has_passphrase(path):
        return PrivateKey.read(path, ask(f"Passphrase of {path}: "))
    return PrivateKey.read(path)


def new_passphrase(passphrase_file: Path | None, *, asked: bool) -> str | None:
    """The passphrase of a new key; None if none was asked for."""
    from sfumato.signing.keys import ENVIRONMENT

    if passphrase_file is not None:
        return first_line(passphrase_file)
    if not asked:
        return os.environ.get(ENVIRONMENT) or None
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"there is no terminal to ask in; give {argument('passphrase_file')}", where=argument("ask_passphrase"))
    first = ask("Passphrase: ")
    if not first or first != ask("Again: "):
        raise UsageError("the two were not the same, or empty; no key was made", where=argument("ask_passphrase"))
    return first


def ask(prompt: str) -> str:
    """What is typed in the terminal, unseen."""
    from getpass import getpass

    return getpass(prompt)


def first_line(path: Path) -> str:
    from sfumato.inputs.files import KB, text

    line, *_ = [*text(path, 64 * KB, missing="the passphrase cannot be read: no such file").splitlines(), ""]
    if not line:
        raise DataError("its first line is empty; a passphrase is expected there", where=str(path))
    return line
