"""The owner's ledger: a local folder with one entry per release, the certificate and the digest of the input.

The digest of a small table confirms guesses about it, so it is in the owner's copy only.
"""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.release.certificate import Certificate


def default_ledger() -> Path:
    """`$SFUMATO_LEDGER`, else a folder among the user's data."""
    if named := os.environ.get("SFUMATO_LEDGER"):
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "sfumato" / "ledger"


def entry_name(certificate: Certificate) -> str:
    """A name that sorts by time and differs for every release."""
    stamp = certificate.time.replace(":", "").replace("-", "")
    return f"{stamp}-{certificate.sha256[:12]}.json"
