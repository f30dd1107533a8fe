"""The certificate of a published graph: what the file is, and what is promised about it. Everything in it but the time can be counted again
in the file. It has neither a name nor the seed, with which whoever knows the order of the people could number them alike.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import DataError, NotVerified, raise_alone
from sfumato.inputs.files import MB, text
from sfumato.inputs.shape import Count, Digest, Misshapen, Positive, require_nothing_more, shaped
from sfumato.signing.canonical import digest_of, parsed

VERSION = 1
KIND = "graph"
_MOST = MB


@dataclass(frozen=True, slots=True)
class GraphCertificate:
    """One per published graph, `out.csv.certificate.json` beside `out.csv`.

    `alike` is the smallest number of people with the same number of neighbors; `attribute` the name of what is published with the nodes.
    """

    kind: str
    file: str
    sha256: Digest
    bytes: Count
    nodes: Positive
    edges: Count
    method: str
    alike: Positive
    version: str
    time: str
    attribute: str | None = None
    schema_version: int = VERSION

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        covered = self._covered()
        return {**covered, "digest": digest_of(covered)}

    def _covered(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}

    def text(self) -> str:
        """The certificate as JSON."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> GraphCertificate:
        """A certificate from its file; refuses one that was changed."""
        told = text(path, _MOST, missing="no certificate here; a release is complete only with its certificate")
        try:
            return _unchanged(parsed(told), path)
        except Misshapen as wrong:
            raise_alone(DataError(str(wrong), where=str(path)))
        except ValueError as wrong:
            raise_alone(DataError(f"not a certificate: {wrong}", where=str(path)))


def _unchanged(told: Any, path: Path) -> GraphCertificate:
    if not isinstance(told, dict) or told.get("kind") != KIND or told.get("schema_version") != VERSION:
        raise Misshapen("not the certificate of a graph of this version of sfumato")
    covered = {key: value for key, value in told.items() if key != "digest"}
    if told.get("digest") != digest_of(covered):
        raise NotVerified("the certificate was changed: its digest differs", where=str(path))
    certificate = shaped(covered, GraphCertificate, "certificate")
    require_nothing_more(covered, certificate._covered(), "certificate")
    return certificate
