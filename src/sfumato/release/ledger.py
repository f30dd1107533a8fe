"""The owner's ledger: a local folder with one entry per release, the certificate and what only the owner may know.

The digest of a small table confirms guesses about it, so it is in the owner's copy only. See `chain` for how entries hold together.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sfumato.errors import OutputError, argument
from sfumato.release.certificate import Certificate
from sfumato.release.chain import NONCE, RELEASE, Entry, locked, take_back


def default_ledger() -> Path:
    """`$SFUMATO_LEDGER`, else a folder among the user's data."""
    if named := os.environ.get("SFUMATO_LEDGER"):
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "sfumato" / "ledger"


def new_entry(
    ledger: Path, finished: Callable[[str], Certificate], owner: Mapping[str, Any], nonce: bytes | None
) -> tuple[Certificate, Entry]:
    """Enter a release. `finished` makes its certificate, given the digest of the entry before, which a certificate carries."""
    try:
        with locked(ledger) as chain:
            certificate = finished(chain.head)
            content = {"time": certificate.time, "kind": RELEASE, "certificate": certificate.as_dict(), "owner": owner}
            return certificate, chain.append(content, nonce or secrets.token_bytes(NONCE))
    except OSError as error:
        raise OutputError(
            f"the ledger cannot be written: {error.strerror}; {argument('ledger')} names another folder", where=str(ledger)
        ) from None


def undo_entry(entry: Entry, time: str) -> None:
    """Take an entry back. If even that fails it stays: better a release in the ledger that is nowhere than the other way round."""
    with suppress(OSError):
        take_back(entry, time, secrets.token_bytes(NONCE))
