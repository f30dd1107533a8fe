"""What the certificates of all kinds of releases share: a digest of everything in them but the signatures, which are made of the digest.
Whatever is changed in one, its promises, its name, its time, shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

from sfumato.errors import DataError, NotVerified, raise_alone
from sfumato.inputs.files import MB, text
from sfumato.inputs.shape import Count, Digest, Misshapen, require_nothing_more, shaped
from sfumato.release.shapes import Name
from sfumato.signing.canonical import digest_of, finite, parsed
from sfumato.signing.keys import PrivateKey, named
from sfumato.signing.signatures import Signature, signed

IT = "certificate"
_APART = ("digest", "signatures")  # what the digest does not cover


@dataclass(frozen=True, slots=True)
class ReleaseKind:
    """A kind of data that is released: its name in certificates and ledgers, what it is, and the command that verifies it."""

    name: str
    what: str
    command: str


TABLE = ReleaseKind("release", "table", "sfumato verify")
GRAPH = ReleaseKind("graph", "graph", "sfumato graph verify")
LOG = ReleaseKind("searchlog", "search log", "sfumato searchlog verify")
RELEASED: Mapping[str, ReleaseKind] = MappingProxyType({kind.name: kind for kind in (TABLE, GRAPH, LOG)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One per release, `out.csv.certificate.json` beside `out.csv`. `ledger` is the digest of the entry before its own in the owner's
    ledger; None for a release that has no place.
    """

    released: ClassVar[ReleaseKind]
    current: ClassVar[int] = 2  # the version of the list of its keys
    largest: ClassVar[int] = MB

    file: Name
    sha256: Digest
    bytes: Count
    version: str
    time: str
    ledger: Digest | None = None
    signatures: tuple[Signature, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of everything but the signatures."""
        return digest_of(self._covered())

    def signed(self, key: PrivateKey, role: str, time: str) -> Self:
        """The certificate with one more signature."""
        return replace(self, signatures=(*self.signatures, signed(self.digest, key, role, time)))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        covered = self._covered()
        return {**covered, "digest": digest_of(covered), "signatures": [asdict(each) for each in self.signatures]}

    def text(self) -> str:
        """The certificate as JSON."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"

    def _covered(self) -> dict[str, Any]:
        stated = {name: value for name, value in asdict(self).items() if value is not None and name not in _APART}
        return {name: finite(value) for name, value in stated.items()}

    def _require_sound(self) -> None:
        """Refuse what its types allow and no release of ours says."""
        if len({each.key for each in self.signatures}) < len(self.signatures):
            raise Misshapen(f"somebody signed twice (at {IT})")
        for name in ("time", "version"):
            if not named(getattr(self, name)):
                raise Misshapen(f"{name} must be a text of one short line (at {IT}.{name})")

    @classmethod
    def read(cls, path: Path) -> Self:
        """A certificate from its file; refuses one that was changed, or with a signature that does not hold."""
        content = text(path, cls.largest, missing="no certificate here; a release is complete only with its certificate")
        return cls.parse(content, path)

    @classmethod
    def parse(cls, content: str, path: Path) -> Self:
        """A certificate from its text; `path` is for messages."""
        try:
            return cls._unchanged(parsed(content), path)
        except Misshapen as wrong:
            raise_alone(DataError(str(wrong), where=str(path)))
        except ValueError as wrong:
            raise_alone(DataError(f"not a certificate: {wrong}", where=str(path)))

    @classmethod
    def _unchanged(cls, record: Any, path: Path) -> Self:
        if not isinstance(record, dict):
            raise Misshapen(f"not the certificate of a {cls.released.what}")
        kind = RELEASED.get(str(record.get("kind", TABLE.name)))
        if kind not in (None, cls.released):
            raise Misshapen(f"the certificate of a {kind.what}; {kind.command!r} checks it")
        if kind is None or record.get("schema_version") != cls.current:
            raise Misshapen(
                f"not the certificate of a {cls.released.what} of this version of sfumato: schema_version must be {cls.current}"
            )
        covered = {key: value for key, value in record.items() if key not in _APART}
        if record.get("digest") != digest_of(covered):
            raise NotVerified("the certificate was changed: its digest differs", where=str(path))
        certificate = replace(shaped(covered, cls, IT), signatures=_signatures(record.get("signatures")))
        certificate._require_sound()
        require_nothing_more(covered, certificate._covered(), IT)
        for signature in certificate.signatures:
            if not signature.holds(certificate.digest):
                raise NotVerified(
                    f"the signature by {signature.name} does not hold: it was made for something else", where=str(path)
                )
        return certificate


def _signatures(listed: Any) -> tuple[Signature, ...]:
    entries = shaped(listed, list[Any], f"{IT}.signatures")
    return tuple(Signature.of(entry, f"{IT}.signatures[{place}]") for place, entry in enumerate(entries))
