"""What every release has besides its file: an entry in the owner's ledger, which is the step that decides whether there is a release, and
the owner's signature if it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from sfumato.commit.locks import held
from sfumato.commit.places import require_different
from sfumato.commit.transaction import Step
from sfumato.errors import OutputError, UsageError, argument
from sfumato.release.budget import budget_of
from sfumato.release.certificate import certificate_path
from sfumato.release.chain import NONCE, Entry, is_entry, prove
from sfumato.release.ledger import default_ledger, next_entry, require_ledger
from sfumato.release.sealed import Sealed
from sfumato.signing.keys import PrivateKey
from sfumato.signing.signatures import OWNER

Place = str | PathLike[str]
Certified = TypeVar("Certified", bound=Sealed)


class EnteringOptions(TypedDict, total=False):
    """The fields of `Entering` that verbs take as keyword arguments."""

    ledger: Place | None
    sign: Place | PrivateKey | None
    now: datetime | None
    nonce: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entering:
    """The ledger that a release enters, and who signs it.

    Parameters
    ----------
    ledger : path, optional
        The folder for the owner's copy of the certificate.
    sign : PrivateKey or path, optional
        The private key to sign with, or its file.
    now : datetime, optional
        The time that the certificate states; the system's unless it is given.
    nonce : bytes, optional
        The 16 bytes that make the ledger's entry unguessable; from the system unless they are given.
    """

    ledger: Place | None = None
    sign: Place | PrivateKey | None = None
    now: datetime | None = None
    nonce: bytes | None = None

    @property
    def folder(self) -> Path:
        """The ledger."""
        return Path(self.ledger) if self.ledger else default_ledger()

    def time(self) -> str:
        """The time that the certificate states."""
        return (self.now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")

    def signer(self) -> PrivateKey | None:
        """The key to sign with."""
        return self.sign if isinstance(self.sign, PrivateKey | None) else PrivateKey.read(self.sign)

    def require_usable(self) -> None:
        """Refuse, before the work, a ledger without a name, a key that cannot sign, and random bytes of another length."""
        if self.nonce is not None and len(self.nonce) != NONCE:
            raise UsageError(f"{NONCE} random bytes", where=argument("nonce"))
        if self.ledger is not None and not str(self.ledger):
            raise OutputError("the ledger needs the name of a folder", where=argument("ledger"))
        self.signer()

    def require_apart_from_it(self, targets: Sequence[Path]) -> None:
        """Refuse two outputs at one place, and one in the place of an entry of the ledger."""
        require_different(targets)
        for target in targets:
            if is_entry(target.name) and target.resolve().parent == self.folder.resolve():
                raise OutputError("this is the place of an entry of the ledger; choose another name", where=str(target))

    @contextmanager
    def entered(
        self, certificate: Certified, output: Path, owner: Mapping[str, Any], targets: Sequence[Path]
    ) -> Iterator[tuple[Certified, Entry, Step]]:
        """The certificate with the head of the ledger and signed if that was asked for, its entry, and the step that enters it: hand it to
        the transaction that puts the files in place. `owner` is what only the owner may know, `targets` all that is written. Nobody else
        enters a release while the block runs. Of a ledger that is not complete nobody knows what was spent, so nothing that spends more
        enters it."""
        require_ledger(self.folder)  # before it is locked: all folders are locked at once
        with (
            held(self.folder, *{path.parent for path in targets}),
            next_entry(self.folder, partial(self.finished, certificate), owner, self.nonce) as (finished, entry, step),
        ):
            type(finished).parse(finished.text(), certificate_path(output))  # nothing is published that nobody could read
            if budget_of(entry.content) is not None:
                prove(self.folder)
            yield finished, entry, step

    def finished(self, certificate: Certified, head: str | None) -> Certified:
        """The certificate with the head of the ledger before it, and signed if that was asked for."""
        pinned, key = replace(certificate, ledger=head), self.signer()
        return pinned if key is None else pinned.signed(key, OWNER, certificate.time)


ENTERING_OPTIONS: Sequence[str] = tuple(each.name for each in fields(Entering))
