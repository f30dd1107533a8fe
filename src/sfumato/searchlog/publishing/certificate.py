"""The certificate of a published log: what is promised, what was counted in the written file, and what is not stopped.

It holds settings and what anybody can count in the file: no query, no URL, and nothing else that was read off the log. How many rows were
left out, or how many one person has, would tell of somebody with a thousand rare queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from sfumato._version import __version__
from sfumato.inputs.shape import Count, Number, one_of
from sfumato.release.certificate import sha256
from sfumato.release.sealed import LOG, ReleaseKind, Sealed

THRESHOLDS, PRIVATE = "thresholds", "private"
SAME = "queries are the same in compatible form (NFKC), small letters, without invisible characters and with single blanks"
NOT_STOPPED: Mapping[str, list[str]] = MappingProxyType(
    {
        THRESHOLDS: [
            "combinations of common queries under one id",
            "that somebody is among those who searched a query, for whoever knows it of all others",
            "the change between two releases whose periods overlap",
        ],
        PRIVATE: ["what is true of many people", "several releases together, whose epsilon and delta add up"],
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCertificate(Sealed):
    """That of a search log. `promise` are the settings, declared and not read off the log; `counted` is what anybody counts in the file."""

    released: ClassVar[ReleaseKind] = LOG

    method: Annotated[str, one_of(THRESHOLDS, PRIVATE)]
    promise: Mapping[str, str | Count | Number | Mapping[str, str | Count] | None]
    counted: Mapping[str, Count]
    same_query: str = SAME
    not_stopped: list[str]
    kind: Annotated[str, one_of(LOG.name)] = LOG.name
    schema_version: int = Sealed.current

    @property
    def private(self) -> bool:
        """Whether it has noisy counts and no rows."""
        return self.method == PRIVATE

    @property
    def usual(self) -> bool:
        """Whether it says of queries, and of what is not stopped, what all of its method say."""
        return self.same_query == SAME and self.not_stopped == NOT_STOPPED[self.method]


def certified(
    method: str,
    release: Path,
    name: str,
    promise: Mapping[str, Any],
    counted: Mapping[str, int],
    time: str,
) -> LogCertificate:
    """The certificate of a written file; `name` is what it will be called."""
    return LogCertificate(
        file=name,
        sha256=sha256(release),
        bytes=release.stat().st_size,
        version=__version__,
        time=time,
        method=method,
        promise=dict(promise),
        counted=dict(counted),
        not_stopped=NOT_STOPPED[method],
    )
