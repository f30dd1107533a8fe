"""The certificate of a release: what was published, from how many, under which recoding. It is public, and says about the suppressed
people no more than `disclosure` allows; the owner's copy says everything.

Its digest is that of the canonical JSON of everything else in it but the signatures, which are made of the digest: whatever is
changed in a certificate, its models, its name, its seed, shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from sfumato.commit.journal import settle
from sfumato.errors import DataError, NotVerified, size_of
from sfumato.models.base import TOLERANCE
from sfumato.release.kinds import KINDS, FullDomain, Promise
from sfumato.signing.canonical import digest_of, finite, parsed
from sfumato.signing.keys import PrivateKey, named
from sfumato.signing.signatures import Signature, signed
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Suppressed

VERSION = 2
_APART = ("digest", "signatures")  # what the digest does not cover


class PriorOf(Enum):
    """Whose prior a release is judged against: everybody's, which the file shows where nobody was suppressed, or which stands in the
    certificate, or which only the owner knows."""

    FILE = "file"
    ORIGINAL = "original"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class CertifiedPrior:
    """Whose prior it is and, if the file alone does not show it and others may know it, people per sensitive value of each attribute:
    of those in the file, in order and the missing value last (`shown`), and of `others`, which only the suppressed have."""

    of: str
    people: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """One per release, `NAME.certificate.json` beside the file.

    `types` are those of the QIDs and the sensitive attributes; `order` is that of the labels of a column, where they do not suggest it
    by themselves (see `numbering`). No label is named.
    """

    file: str
    sha256: str
    bytes: int
    schema_sha256: str
    node: Mapping[str, int]
    heights: Mapping[str, int]
    sensitive: Sequence[str]
    columns: Sequence[str]
    withheld: Mapping[str, str]
    basis: str
    people: int
    rows: int
    classes: int
    smallest_class: int
    suppressed: Mapping[str, Any]
    prior: CertifiedPrior
    types: Mapping[str, str]
    order: Mapping[str, Sequence[int]]
    engine: Mapping[str, str]
    version: str
    seed: int
    time: str
    owners: Mapping[str, Any] | None = None
    recoding: str = FullDomain.name
    models: Sequence[Mapping[str, Any]] | None = None
    search: Mapping[str, Any] | None = None
    tolerance: float = TOLERANCE
    ledger: str | None = None
    schema_version: int = field(default=VERSION)
    signatures: tuple[Signature, ...] = ()

    @property
    def quasi(self) -> tuple[str, ...]:
        """The published QIDs."""
        return tuple(self.heights)

    @property
    def promise(self) -> Promise:
        """What the certificate says about its file."""
        starred = int(self.suppressed["rows"]) if self.suppressed["as"] == Suppressed.STAR.value else 0
        types = {name: Kind(kind) for name, kind in self.types.items()}
        return Promise(KINDS[self.recoding], self.node, self.quasi, starred, types)

    def size(self) -> str:
        """`30,162 people in 30,162 rows, 8 classes`"""
        return size_of(self.people, self.rows, self.classes)

    @property
    def digest(self) -> str:
        """The digest of everything but the signatures."""
        return digest_of(self._covered())

    def signed(self, key: PrivateKey, role: str, time: str) -> Certificate:
        """The certificate with one more signature."""
        return replace(self, signatures=(*self.signatures, signed(self.digest, key, role, time)))

    def as_dict(self) -> dict[str, Any]:
        covered = self._covered()
        return {**covered, "digest": digest_of(covered), "signatures": [asdict(each) for each in self.signatures]}

    def _covered(self) -> dict[str, Any]:
        return {key: finite(value) for key, value in _without_none(asdict(self)).items() if key not in _APART}

    def text(self) -> str:
        """The certificate as JSON."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"

    def _checked(self) -> Certificate:
        """Refuse a certificate whose entries are not of their types."""
        left = (self.suppressed["people"], self.suppressed["rows"], self.suppressed["classes"])
        whole = (self.bytes, self.people, self.rows, self.classes, self.smallest_class, self.seed, *left, *_numbers(self))
        names = (*self.node, *self.heights, *self.columns, *self.sensitive, *self.withheld, *self.order)
        texts = all(isinstance(name, str) for name in (*names, self.sha256, self.suppressed["as"]))
        texts = texts and min(left) >= 0 and all(isinstance(entry["model"], str) for entry in self.models or ())
        texts = texts and self.recoding in KINDS and self.promise is not None and PriorOf(self.prior.of) is not None
        texts = texts and named(self.time) and named(self.version)
        if not texts or not all(type(count) is int for count in whole):
            raise TypeError
        return self

    @classmethod
    def read(cls, path: Path) -> Certificate:
        """A certificate from its file; refuses one that was changed, or with a signature that does not hold."""
        settle(path)
        try:
            return _unchanged(parsed(path.read_text(encoding="utf-8")), path)
        except FileNotFoundError:
            raise DataError("no certificate here; a release is complete only with its certificate", where=str(path)) from None
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise DataError("not a certificate of this version of sfumato, or a damaged one", where=str(path)) from None


def _numbers(certificate: Certificate) -> Iterator[object]:
    """Levels, and the counts that stand in lists."""
    yield from (*certificate.node.values(), *certificate.heights.values())
    for places in certificate.order.values():
        yield from places
    if certificate.owners is not None:
        yield from certificate.owners["people_per_class"]
        for classes in certificate.owners.get("people_per_value", {}).values():
            for people in classes:
                yield from people
    for each in (certificate.prior.people or {}).values():
        yield from each["shown"]
        yield from (entry["people"] for entry in each["others"])


def _without_none(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out what does not apply."""
    kept = {name: value for name, value in record.items() if value is not None}
    return kept | {"prior": {name: value for name, value in kept["prior"].items() if value is not None}}


def _unchanged(told: Any, path: Path) -> Certificate:
    covered = {key: value for key, value in told.items() if key not in _APART}
    if covered["schema_version"] != VERSION:
        raise ValueError("another version")
    if told["digest"] != digest_of(covered):
        raise NotVerified("the certificate was changed: its digest differs", where=str(path))
    made = {"prior": CertifiedPrior(**covered["prior"]), "signatures": tuple(map(Signature.of, told["signatures"]))}
    certificate = Certificate(**{**covered, **made})._checked()
    if certificate._covered() != covered or len({each.key for each in certificate.signatures}) < len(certificate.signatures):
        raise ValueError("a key without a value, or somebody who signed twice")
    for signature in certificate.signatures:
        if not signature.holds(certificate.digest):
            raise NotVerified(f"the signature by {signature.name} does not hold: it was made for something else", where=str(path))
    return certificate


def certificate_path(release: Path) -> Path:
    """`out.certificate.json` for `out.parquet`, `out.csv` and `out.csv.gz`."""
    name = release.name.removesuffix(".gz")
    return release.with_name(Path(name).stem + ".certificate.json")


def sha256(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
