"""The certificate of a release: what was published, from how many, under which recoding. It is public, and says about the suppressed
people no more than `disclosure` allows; the owner's copy says everything.

Its digest is that of the canonical JSON of everything else in it but the signatures, which are made of the digest: whatever is
changed in a certificate, its models, its name, its seed, shows.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

from sfumato.errors import DataError, NotVerified, raise_alone, size_of
from sfumato.inputs.files import MB, text
from sfumato.inputs.shape import Count, Digest, Misshapen, Number, Positive, Whole, one_of, require_nothing_more, shaped
from sfumato.models.base import TOLERANCE
from sfumato.release.kinds import KINDS, FullDomain, Promise
from sfumato.release.shapes import (
    CertifiedVerdict,
    Engine,
    KindName,
    Left,
    Level,
    Method,
    Name,
    Owners,
    RoleName,
    Searched,
    StatedPeople,
)
from sfumato.signing.canonical import digest_of, finite, parsed
from sfumato.signing.keys import PrivateKey, named
from sfumato.signing.signatures import Signature, signed
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Suppressed

VERSION = 2
LARGEST = 256 * MB  # a certificate with owners has a number for every class and value
_IT = "certificate"
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

    of: Annotated[str, one_of(*(whose.value for whose in PriorOf))]
    people: Mapping[str, StatedPeople] | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """One per release, `out.csv.certificate.json` beside `out.csv`. Its fields are the shape that one is read by.

    `types` are those of the QIDs and the sensitive attributes; `order` is that of the labels of a column, where they do not suggest it
    by themselves (see `numbering`). No label is named.
    """

    file: Name
    sha256: Digest
    bytes: Count
    schema_sha256: Digest
    node: Mapping[str, Level]
    heights: Mapping[str, Level]
    sensitive: Sequence[str]
    columns: Sequence[str]
    withheld: Mapping[str, RoleName]
    basis: Annotated[str, one_of("row", "owner")]
    people: Positive
    rows: Positive
    classes: Positive
    smallest_class: Positive
    suppressed: Left
    prior: CertifiedPrior
    types: Mapping[str, KindName]
    order: Mapping[str, Sequence[Count]]
    engine: Engine
    version: str
    seed: Whole
    time: str
    owners: Owners | None = None
    recoding: Annotated[str, one_of(*KINDS)] = FullDomain.name
    models: Sequence[CertifiedVerdict] | None = None
    method: Method | None = None
    search: Searched | None = None
    tolerance: Number = TOLERANCE
    ledger: Digest | None = None
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

    def _require_sound(self) -> None:
        """Refuse what its types allow and no release of ours says."""
        if not self.heights:
            raise Misshapen(f"heights must have a QID (at {_IT}.heights)")
        for names in (self.columns, self.sensitive, [each.key for each in self.signatures]):
            if len(set(names)) < len(names):
                raise Misshapen(f"a column is named twice, or somebody signed twice (at {_IT})")
        for name in ("time", "version"):
            if not named(getattr(self, name)):
                raise Misshapen(f"{name} must be a text of one short line (at {_IT}.{name})")

    @classmethod
    def read(cls, path: Path) -> Certificate:
        """A certificate from its file; refuses one that was changed, or with a signature that does not hold."""
        told = text(path, LARGEST, missing="no certificate here; a release is complete only with its certificate")
        return cls.parse(told, path)

    @classmethod
    def parse(cls, told: str, path: Path) -> Certificate:
        """A certificate from its text; `path` is for messages."""
        try:
            return _unchanged(parsed(told), path)
        except Misshapen as wrong:
            raise_alone(DataError(str(wrong), where=str(path)))
        except ValueError as wrong:
            raise_alone(DataError(f"not a certificate: {wrong}", where=str(path)))


def _without_none(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out what does not apply."""
    kept = {name: value for name, value in record.items() if value is not None}
    return kept | {"prior": {name: value for name, value in kept["prior"].items() if value is not None}}


def _unchanged(told: Any, path: Path) -> Certificate:
    if not isinstance(told, dict) or told.get("schema_version") != VERSION:
        raise Misshapen(f"not a certificate of this version of sfumato: schema_version must be {VERSION}")
    covered = {key: value for key, value in told.items() if key not in _APART}
    if told.get("digest") != digest_of(covered):
        raise NotVerified("the certificate was changed: its digest differs", where=str(path))
    certificate = replace(shaped(covered, Certificate, _IT), signatures=_signatures(told.get("signatures")))
    certificate._require_sound()
    require_nothing_more(covered, certificate._covered(), _IT)
    for signature in certificate.signatures:
        if not signature.holds(certificate.digest):
            raise NotVerified(f"the signature by {signature.name} does not hold: it was made for something else", where=str(path))
    return certificate


def _signatures(told: Any) -> tuple[Signature, ...]:
    entries = shaped(told, list[Any], f"{_IT}.signatures")
    return tuple(Signature.of(entry, f"{_IT}.signatures[{place}]") for place, entry in enumerate(entries))


def certificate_path(release: Path) -> Path:
    """Where the certificate of a release is written: `out.csv.certificate.json` for `out.csv`."""
    return release.with_name(f"{release.name}.certificate.json")


def certificate_beside(release: Path) -> Path:
    """Where the certificate of a release is found. Earlier versions named it without the ending of the release."""
    if not release.name:
        raise DataError("a folder; name one file", where=str(release))
    path = certificate_path(release)
    earlier = release.with_name(Path(release.name.removesuffix(".gz")).stem + ".certificate.json")
    # A link that leads nowhere is not the same as no certificate.
    return earlier if os.path.lexists(earlier) and not os.path.lexists(path) else path


def sha256(path: Path) -> str:
    """The digest of a file, or of a folder: that of the names and digests of all files in it, in the order of their names."""
    if path.is_dir():
        listed = (f"{file.relative_to(path).as_posix()}\0{sha256(file)}\n" for file in _files_in(path))
        return hashlib.sha256("".join(listed).encode(errors="surrogateescape")).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    return sum(file.stat().st_size for file in (_files_in(path) if path.is_dir() else [path]))


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if not path.is_dir())
