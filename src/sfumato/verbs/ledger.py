"""The owner's ledger: what is in it, and whether it is complete."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, NotVerified, UsageError, argument
from sfumato.release.chain import START, Entry, prove
from sfumato.release.ledger import default_ledger
from sfumato.release.sealed import RELEASED
from sfumato.results import Printed, Rows

__all__ = ["CompleteLedger", "Releases", "show", "verify"]
_DIGEST = 64


@dataclass(frozen=True, slots=True)
class CompleteLedger:
    """A ledger that is complete: every entry is there, unchanged, in its place.

    `head` is the digest of the last entry; `earlier` counts the entries from before the chain began, which it pins; `after` those that
    came after the head that was asked for.
    """

    path: Path
    entries: int
    head: str
    earlier: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Releases(Printed):
    """The releases in a ledger, in order."""

    path: Path
    entries: tuple[Entry, ...]

    def as_dicts(self) -> list[dict[str, Any]]:
        """For machines: one object per release. Graphs have people and no classes, search logs neither."""
        withdrawn = {entry.withdraws for entry in self.entries}
        return [
            {
                "entry": entry.sequence,
                "time": certificate["time"],
                "of": RELEASED[entry.kind].what,
                "file": certificate["file"],
                "people": certificate.get("people", certificate.get("nodes")),
                "classes": certificate.get("classes"),
                "signed": [each["name"] for each in certificate["signatures"]],
                "withdrawn": entry.digest in withdrawn,
                "digest": entry.digest,
            }
            for entry in self.entries
            if (certificate := entry.certificate) is not None
        ]

    def table(self) -> Rows:
        """One row per release."""
        heads = ("entry", "time", "of", "file", "people", "classes")
        rows = ((*(each[head] for head in heads), _status(each)) for each in self.as_dicts())
        return Rows((*heads, "signed by"), tuple(rows))


def _status(release: dict[str, Any]) -> str:
    signed = ", ".join(release["signed"]) or "nobody"
    return f"{signed}; withdrawn" if release["withdrawn"] else signed


def show(ledger: str | PathLike[str] | None = None) -> Releases:
    """List the releases in a ledger; refuses one that is not complete.

    Parameters
    ----------
    ledger : path, optional
        The folder; yours by default: `$SFUMATO_LEDGER`, or a folder among your data.

    Returns
    -------
    Releases
        The entries in order.
    """
    path = _folder(ledger)
    return Releases(path, tuple(prove(path).entries))


def verify(ledger: str | PathLike[str] | None = None, *, head: str | None = None) -> CompleteLedger:
    """Prove that a ledger is complete: nothing changed, removed, inserted or swapped. Raises `NotVerified` if it is not.

    Entries removed at the end leave a shorter chain that is whole in itself; `head` finds that out.

    Parameters
    ----------
    ledger : path, optional
        The folder; yours by default.
    head : str, optional
        The digest of an entry that must be in it, as `verify` gave it before, or as the key `ledger` of any public certificate has it.

    Returns
    -------
    CompleteLedger
        How many entries there are, and the digest of the last.
    """
    path = _folder(ledger)
    proved = prove(path)
    digests = [START, *(entry.digest for entry in proved.entries)]
    if head is not None and (len(head) != _DIGEST or not set(head) <= set("0123456789abcdef")):
        raise UsageError("a digest: 64 hexadecimal digits, in small letters", where=argument("head"))
    if head is not None and head not in digests:
        raise NotVerified(
            "the head is not in the chain: entries at its end were removed, or it is another ledger's", where=str(path)
        )
    if not proved.entries and not proved.earlier and head is None:
        raise DataError("the ledger is empty", where=str(path))
    after = len(digests) - 1 - digests.index(head) if head is not None else 0
    return CompleteLedger(path, len(proved.entries), proved.head, proved.earlier, after)


def _folder(ledger: str | PathLike[str] | None) -> Path:
    return Path(ledger) if ledger is not None else default_ledger()
