"""The owner's ledger: a local folder with one entry per release, the certificate and what only the owner may know.

The digest of a small table confirms guesses about it, so it is in the owner's copy only. See `chain` for how entries hold together.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sfumato.commit.journal import Decision, flush, flush_folders, put_new
from sfumato.commit.transaction import Step
from sfumato.errors import OutputError, argument
from sfumato.release.chain import NONCE, Entry, locked, make_ledger
from sfumato.release.sealed import Sealed
from sfumato.temporary import TemporaryFolder

Certified = TypeVar("Certified", bound=Sealed)


def default_ledger() -> Path:
    """`$SFUMATO_LEDGER`, else a folder among the user's data."""
    if named := os.environ.get("SFUMATO_LEDGER"):
        return Path(named)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "sfumato" / "ledger"


def require_ledger(ledger: Path) -> None:
    """Make the folder of a ledger if need be."""
    with _writing(ledger):
        make_ledger(ledger)


@contextmanager
def next_entry(
    ledger: Path, finished: Callable[[str], Certified], owner: Mapping[str, Any], nonce: bytes | None
) -> Iterator[tuple[Certified, Entry, Step]]:
    """Enter a release: its certificate, its entry, and the step that enters it. While the block runs, nobody else adds an entry.

    `finished` makes the certificate, given the digest of the entry before, which a certificate carries.
    """
    with ExitStack() as stack:
        with _writing(ledger):
            chain = stack.enter_context(locked(ledger))
            hidden = stack.enter_context(TemporaryFolder(ledger))
        certificate = finished(chain.head)
        kind = certificate.released.name
        content = {"time": certificate.time, "kind": kind, "certificate": certificate.as_dict(), "owner": owner}
        entry = chain.entry(content, nonce or secrets.token_bytes(NONCE))
        yield certificate, entry, _step(entry, hidden / entry.path.name)


def _step(entry: Entry, hidden: Path) -> Step:
    """The entry gets its name when it is on the disk, readable by its owner only."""

    made: list[Path] = []

    def make() -> None:
        with _writing(entry.path.parent):
            hidden.touch(0o600)
            hidden.chmod(0o600)
            hidden.write_text(entry.text(), encoding="utf-8")
            flush(hidden)
            put_new(hidden, entry.path)
            made.append(entry.path)
            flush_folders([entry.path.parent])

    def unmake() -> None:
        for path in made:  # not what another run has put there
            path.unlink(missing_ok=True)
        flush_folders([entry.path.parent])

    return Step(Decision.of(entry.path, entry.text().encode()), make, unmake)


@contextmanager
def _writing(ledger: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"the ledger cannot be written: {error.strerror}; {argument('ledger')} names another folder", where=str(ledger)
        ) from None
