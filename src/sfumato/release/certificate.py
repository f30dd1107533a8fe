"""The certificate of a release: what was published, from how many, under which recoding. It holds no value of a record.

A sensitive value held by fewer than five people is listed without its name, at its place in the order of the attribute; the file
shows which values occur, so that a reader can still put the prior together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, several
from sfumato.models.base import TOLERANCE
from sfumato.release.kinds import KINDS, FullDomain, Promise
from sfumato.vocabulary.schema import Suppressed

VERSION = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """One per release, `NAME.certificate.json` beside the file."""

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
    prior: Mapping[str, Any]
    engine: Mapping[str, str]
    version: str
    seed: int
    time: str
    owners: Mapping[str, Any] | None = None
    recoding: str = FullDomain.name
    models: Sequence[Mapping[str, Any]] | None = None
    search: Mapping[str, Any] | None = None
    tolerance: float = TOLERANCE
    schema_version: int = field(default=VERSION)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The published QIDs."""
        return tuple(self.heights)

    @property
    def promise(self) -> Promise:
        """What the certificate says about its file."""
        starred = int(self.suppressed["rows"]) if self.suppressed["as"] == Suppressed.STAR.value else 0
        return Promise(KINDS[self.recoding], self.node, starred)

    def size(self) -> str:
        """`30,162 people in 30,162 rows, 8 classes`"""
        people = several(self.people, "person", "people")
        return f"{people} in {several(self.rows, 'row')}, {several(self.classes, 'class', 'classes')}"

    def as_dict(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value is not None}

    def text(self, **more: Any) -> str:
        """The certificate as JSON; `more` is what only the owner's copy holds."""
        return json.dumps({**self.as_dict(), **more}, indent=2, ensure_ascii=False) + "\n"

    def _checked(self) -> Certificate:
        """Refuse a certificate whose entries are not of their types."""
        whole = (self.bytes, self.people, self.rows, self.classes, self.smallest_class, self.seed, self.suppressed["rows"])
        named = all(
            isinstance(name, str) for name in (*self.node, *self.heights, *self.columns, self.sha256, self.suppressed["as"])
        )
        named = named and self.recoding in KINDS
        if not named or not all(type(count) is int for count in whole) or self.schema_version != VERSION:
            raise TypeError
        return self

    @classmethod
    def read(cls, path: Path) -> Certificate:
        """A certificate from its file."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))._checked()
        except FileNotFoundError:
            raise DataError("no certificate here; a release is complete only with its certificate", where=str(path)) from None
        except (OSError, ValueError, TypeError, KeyError):
            raise DataError("not a certificate of this version of sfumato, or a damaged one", where=str(path)) from None


def certificate_path(release: Path) -> Path:
    """`out.certificate.json` for `out.parquet`, `out.csv` and `out.csv.gz`."""
    name = release.name.removesuffix(".gz")
    return release.with_name(Path(name).stem + ".certificate.json")


def sha256(path: Path) -> str:
    """The digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
