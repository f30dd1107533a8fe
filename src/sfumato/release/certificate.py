"""The certificate of a published table: what was published, from how many, under which recoding. It is public, and says about the
suppressed people no more than `disclosure` allows; the owner's copy says everything.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, ClassVar

from sfumato.errors import DataError, size_of
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Digest, Misshapen, Number, Positive, Whole, one_of
from sfumato.models.base import TOLERANCE
from sfumato.release.kinds import KINDS, FullDomain, Promise
from sfumato.release.sealed import IT, TABLE, ReleaseKind, Sealed
from sfumato.release.shapes import (
    CertifiedVerdict,
    Engine,
    KindName,
    Left,
    Level,
    Method,
    Owners,
    RoleName,
    Searched,
    StatedPeople,
)
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Suppressed


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Sealed):
    """That of a table. Its fields are the shape that one is read by.

    `types` are those of the QIDs and the sensitive attributes; `order` is that of the labels of a column, where they do not suggest it
    by themselves (see `numbering`). No label is named.
    """

    released: ClassVar[ReleaseKind] = TABLE
    largest: ClassVar[int] = 256 * MB  # a certificate with owners has a number for every class and value

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
    seed: Whole
    owners: Owners | None = None
    recoding: Annotated[str, one_of(*KINDS)] = FullDomain.name
    models: Sequence[CertifiedVerdict] | None = None
    method: Method | None = None
    search: Searched | None = None
    tolerance: Number = TOLERANCE
    schema_version: int = Sealed.current

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

    def _covered(self) -> dict[str, Any]:
        covered = Sealed._covered(self)
        return covered | {"prior": {name: value for name, value in covered["prior"].items() if value is not None}}

    def _require_sound(self) -> None:
        if not self.heights:
            raise Misshapen(f"heights must have a QID (at {IT}.heights)")
        for names in (self.columns, self.sensitive):
            if len(set(names)) < len(names):
                raise Misshapen(f"a column is named twice (at {IT})")
        Sealed._require_sound(self)


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
