"""The certificate of a published log: what is promised, what was counted in the written file, and what is not stopped.

It holds counts and settings, no query and no URL. That of a private release holds nothing that was read off the log: only settings and what
anybody can count in the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

from sfumato._version import __version__
from sfumato.errors import DataError, raise_alone
from sfumato.inputs import text
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Digest, Misshapen, Number, require_nothing_more, shaped
from sfumato.release.certificate import certificate_path
from sfumato.signing.canonical import digest_of, parsed

THRESHOLDS, PRIVATE = "thresholds", "private"
SAME = "queries are the same in compatible form (NFKC), small letters, without invisible characters and with single blanks"
NOT_STOPPED = {
    THRESHOLDS: [
        "combinations of common queries under one id",
        "that somebody is among those who searched a query, for whoever knows it of all others",
        "the change between two releases whose periods overlap",
    ],
    PRIVATE: ["what is true of many people", "several releases together, whose epsilon and delta add up"],
}


class Shape(TypedDict):
    """A certificate as it is written, without its digest."""

    format: Literal["sfumato-searchlog"]
    version: Literal[1]
    made_by: str
    kind: Literal["thresholds", "private"]
    file: dict[str, str | Count]
    promise: dict[str, str | Count | Number | dict[str, str | Count] | None]
    counted: dict[str, Count]
    dropped: NotRequired[dict[str, Count]]
    same_query: str
    not_stopped: list[str]
    digest: Digest


def certified(
    kind: str, release: Path, name: str, promise: Mapping[str, Any], counted: Mapping[str, int], dropped: Mapping[str, int] | None
) -> dict[str, Any]:
    """The certificate of a written file; `name` is what it will be called."""
    body: dict[str, Any] = {
        "format": "sfumato-searchlog",
        "version": 1,
        "made_by": f"sfumato {__version__}",
        "kind": kind,
        "file": {"name": name, "sha256": sha256(release), "bytes": release.stat().st_size},
        "promise": dict(promise),
        "counted": dict(counted),
        **({} if dropped is None else {"dropped": dict(dropped)}),
        "same_query": SAME,
        "not_stopped": NOT_STOPPED[kind],
    }
    return body | {"digest": digest_of(body)}


def write_certificate(path: Path, certificate: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(certificate, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_certificate(release: Path, certificate: Path | None) -> dict[str, Any]:
    """The certificate beside a release, or the one that is named; its shape is checked, its promises are not."""
    path = certificate or certificate_path(release)
    try:
        document = parsed(text(path, MB, missing="no certificate; name it, or publish the log again"))
        shape = shaped(document, Shape, "certificate")
        require_nothing_more(document, shape, "certificate")
    except Misshapen as error:
        raise_alone(DataError(f"no certificate of a log: {error}", where=str(path)))
    except ValueError as error:
        raise_alone(DataError(f"no certificate of a log: {error}", where=str(path)))
    return dict(document)


def is_whole(certificate: Mapping[str, Any]) -> bool:
    """Whether the digest of a certificate is that of its content."""
    body = {name: value for name, value in certificate.items() if name != "digest"}
    return bool(digest_of(body) == certificate["digest"])


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
