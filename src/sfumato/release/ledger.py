"""The owner's ledger: a local folder with one entry per release, the certificate and the digest of the input.

The digest of a small table confirms guesses about it, so it is in the owner's copy only.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from sfumato.release.certificate import Certificate


def default_ledger() -> Path:
    """`$SFUMATO_LEDGER`, else a folder among the user's data."""
    if named := os.environ.get("SFUMATO_LEDGER"):
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "sfumato" / "ledger"


def new_entry(ledger: Path, certificate: Certificate, text: str) -> Path:
    """Write an entry under a name that sorts by time and that no other entry has."""
    stamp = certificate.time.replace(":", "").replace("-", "")
    numbers = itertools.count()
    while True:
        number = next(numbers)
        path = ledger / f"{stamp}-{certificate.sha256[:12]}{f'-{number}' if number else ''}.json"
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            continue
        return path
