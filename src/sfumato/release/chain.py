"""The owner's ledger as a chain: every entry names the digest of the one before it, so nothing can be changed, removed, inserted or
swapped without breaking a digest that a later entry, or a public certificate, carries.

An entry is random in 128 bits, so its digest, which is public, confirms no guess about what it holds. Entries are added under a lock
of the folder. Earlier versions withdrew a release that came to nothing by a further entry; such entries are still read.
Entries of the time before the chain stay as they are; the first one of the chain pins them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from sfumato import inputs
from sfumato.commit.journal import flush_folders
from sfumato.commit.locks import held
from sfumato.errors import DataError, NotVerified, raise_alone, several
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Digest, Misshapen, Positive, one_of, require_nothing_more, shaped
from sfumato.release.sealed import RELEASED, TABLE
from sfumato.signing.canonical import digest_of, finite, parsed

START = "0" * 64  # what the first entry has as its predecessor
WITHDRAWN = "withdrawn"
NONCE = 16  # bytes
_NAME = re.compile(r"(\d{8})\.json")
_EARLIER = re.compile(r"\d{8}T\d{6}\+0000-[0-9a-f]{12}(-\d+)?\.json")
LARGEST = 512 * MB  # the certificate, and what only the owner knows
_IT = "entry"


class Earlier(TypedDict):
    """The entries of the time before the chain."""

    entries: Positive
    digest: Digest


class _Linked(TypedDict):
    """What every entry has."""

    sequence: Positive
    previous: Digest
    nonce: Annotated[str, Meta(pattern=f"^[0-9a-f]{{{2 * NONCE}}}$")]
    time: str
    digest: Digest
    earlier: NotRequired[Earlier]


class Released(_Linked):
    """The entry of a release, of a table or of another kind of data."""

    kind: Annotated[str, one_of(*RELEASED)]
    certificate: Mapping[str, Any]
    owner: Mapping[str, Any]


class Withdrawal(_Linked):
    """The entry that withdraws another."""

    kind: Annotated[str, one_of(*RELEASED, WITHDRAWN)]
    withdraws: Digest


SHAPES: Mapping[str, type[Released] | type[Withdrawal]] = {**dict.fromkeys(RELEASED, Released), WITHDRAWN: Withdrawal}


class Listed(TypedDict):
    """What a list of releases says of a certificate, of whatever version it is."""

    file: str
    time: str
    signatures: Sequence[Signer]
    people: NotRequired[Count]
    classes: NotRequired[Count]


class Signer(TypedDict):
    """Who signed."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a ledger, and the file that holds it."""

    path: Path
    content: Mapping[str, Any]

    def text(self) -> str:
        """The content of its file."""
        return _text(self.content)

    @property
    def sequence(self) -> int:
        return int(self.content["sequence"])

    @property
    def digest(self) -> str:
        return str(self.content["digest"])

    @property
    def previous(self) -> str:
        return str(self.content["previous"])

    @property
    def kind(self) -> str:
        """Of what it is the release, or that it withdraws one."""
        return str(self.content["kind"])

    @property
    def of_table(self) -> bool:
        """Whether it is the entry of a release of a table."""
        return self.kind == TABLE.name

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """The certificate of the release, as it was published."""
        return self.content.get("certificate")

    @property
    def withdraws(self) -> str | None:
        """The digest of the entry that this one withdraws."""
        return self.content.get("withdraws")

    @classmethod
    def read(cls, path: Path) -> Entry:
        """An entry from its file; refuses one of which a single byte was changed."""
        text = inputs.content(path, LARGEST)
        try:
            record = parsed(text.decode())
            unchanged = isinstance(record, dict) and _text(record).encode() == text and record.get("digest") == _digest(record)
            if unchanged:
                shape = SHAPES.get(str(record.get("kind")), Withdrawal)
                require_nothing_more(record, shaped(record, shape, _IT), _IT)
        except ValueError as wrong:
            raise_alone(NotVerified(f"not an entry of a ledger, or a damaged one: {wrong}", where=str(path)))
        if not unchanged or not _certified(record):
            raise NotVerified("this entry of the ledger was changed: its digest differs", where=str(path))
        return cls(path, record)


@dataclass(frozen=True, slots=True)
class Chain:
    """The end of a chain, held so that nobody else adds to it."""

    folder: Path
    last: Entry | None

    @property
    def head(self) -> str:
        """The digest of the last entry."""
        return self.last.digest if self.last else START

    def entry(self, content: Mapping[str, Any], nonce: bytes) -> Entry:
        """The next entry, which is not in the ledger yet."""
        sequence = self.last.sequence + 1 if self.last else 1
        covered = {"sequence": sequence, "previous": self.head, "nonce": nonce.hex(), **finite(content)}
        if self.last is None and (earlier := _earlier(self.folder)):
            covered["earlier"] = {"entries": len(earlier), "digest": _pinned(earlier)}
        return Entry(self.folder / f"{sequence:08d}.json", {**covered, "digest": digest_of(covered)})


def make_ledger(folder: Path) -> None:
    """The folder, its owner's alone."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        flush_folders([folder.parent])


def is_entry(name: str) -> bool:
    """Whether a file in a ledger that has this name is an entry."""
    return bool(_NAME.fullmatch(name) or _EARLIER.fullmatch(name))


@contextmanager
def locked(folder: Path) -> Iterator[Chain]:
    """The end of the chain in a folder, which is made if need be and is its owner's alone."""
    make_ledger(folder)
    with held(folder):
        names = [path.name for path in folder.iterdir()]
        if all(_NAME.fullmatch(name) or _EARLIER.fullmatch(name) or name.startswith(".") for name in names):
            _tighten(folder)
        numbered = sorted(name for name in names if _NAME.fullmatch(name))
        last = Entry.read(folder / numbered[-1]) if numbered else None
        if last is not None:
            _require_name(last)
        yield Chain(folder, last)


@dataclass(frozen=True, slots=True)
class Proved:
    """A chain that is complete, and how many entries lie before it in the form of earlier versions."""

    entries: Sequence[Entry]
    earlier: int

    @property
    def head(self) -> str:
        return self.entries[-1].digest if self.entries else START


def prove(folder: Path) -> Proved:
    """Read a whole ledger; refuses it unless every entry is there, unchanged and in its place."""
    if not folder.is_dir():
        raise DataError("no ledger here", where=str(folder))
    entries: list[Entry] = []
    for path in sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name)):
        entries.append(_next(path, entries))
    for path in sorted(folder.glob("*.json")):
        if not _NAME.fullmatch(path.name) and _claims_to_be_an_entry(path):
            raise NotVerified("this entry is not in the chain: it has another name than its number", where=str(path))
    earlier = _earlier(folder)
    if entries and (pinned := entries[0].content.get("earlier")) != (
        {"entries": len(earlier), "digest": _pinned(earlier)} if earlier else None
    ):
        count = several(pinned["entries"] if pinned else 0, "entry", "entries")
        raise NotVerified(
            f"the chain began after {count} of an earlier version, and these are no longer what they were", where=str(folder)
        )
    return Proved(tuple(entries), len(earlier))


def _require_name(entry: Entry) -> None:
    if entry.path.name != f"{entry.sequence:08d}.json":
        raise NotVerified(f"this is entry {entry.sequence}, under the name of another", where=str(entry.path))


def _next(path: Path, before: Sequence[Entry]) -> Entry:
    """The entry that follows others."""
    entry, number = Entry.read(path), len(before) + 1
    _require_name(entry)
    if entry.sequence != number:
        raise NotVerified(f"entry {number} is missing", where=str(path.parent))
    if entry.previous != (before[-1].digest if before else START):
        raise NotVerified(f"entry {number} follows another entry than the one before it: that one was replaced", where=str(path))
    if ("earlier" in entry.content and before) or (entry.withdraws and entry.withdraws not in {each.digest for each in before}):
        raise NotVerified("this entry does not belong here", where=str(path))
    return entry


def _certified(content: Mapping[str, Any]) -> bool:
    """Whether the certificate in an entry is whole, and pins the entries before it."""
    if content["kind"] == WITHDRAWN:
        return True
    certificate = content["certificate"]
    covered = {key: value for key, value in certificate.items() if key not in ("digest", "signatures")}
    try:
        shaped(certificate, Listed, f"{_IT}.certificate")
    except Misshapen:
        return False
    return bool(certificate.get("digest") == digest_of(covered) and certificate.get("ledger") == content["previous"])


def _digest(content: Mapping[str, Any]) -> str:
    return digest_of({key: value for key, value in content.items() if key != "digest"})


def _claims_to_be_an_entry(path: Path) -> bool:
    try:
        record = parsed(inputs.content(path, LARGEST).decode())
    except (DataError, ValueError):
        return False
    return isinstance(record, dict) and {"previous", "nonce"} <= set(record)


def _earlier(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if _EARLIER.fullmatch(path.name))


def _pinned(paths: Sequence[Path]) -> str:
    return digest_of([[path.name, hashlib.sha256(inputs.content(path, LARGEST)).hexdigest()] for path in paths])


def _tighten(folder: Path) -> None:
    """A folder that holds a ledger and nothing else is its owner's alone, however it was made."""
    try:
        folder.chmod(0o700)
    except PermissionError:  # it is somebody else's; the entries are closed all the same
        return


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
