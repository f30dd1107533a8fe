"""`searchlog verify`: does a published log fit its certificate, and keep its promise? Anybody counts ids; the owner counts people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.commit.call import one_call
from sfumato.errors import NotVerified
from sfumato.inputs import opened
from sfumato.release.certificate import certificate_path
from sfumato.searchlog.publishing.certificate import PRIVATE, is_whole, read_certificate, sha256
from sfumato.searchlog.publishing.limits import UNITS
from sfumato.searchlog.publishing.promises import broken, broken_private
from sfumato.searchlog.publishing.reading import counted, counted_counts, counted_people, opened_release, read_counts

_OTHER = "; or the owners are those of another release"
_OF_PROMISES = {"threshold", "per_person", "bundle", "times", "urls"}
_OF_PRIVATE = {"least", "period_count", "epsilon", "delta_spent"}


@dataclass(frozen=True, slots=True)
class LogVerified:
    """A release that fits its certificate. `people` says whether people were counted, which needs the owners; otherwise ids were."""

    file: Path
    certificate: Mapping[str, Any]
    counted: Mapping[str, int]
    people: bool

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "verified": True,
            "kind": self.certificate["kind"],
            "promise": dict(self.certificate["promise"]),
            "counted": dict(self.counted),
            "people": self.people,
        }


def verify(
    release: str | PathLike[str],
    certificate: str | PathLike[str] | None = None,
    *,
    owners: str | PathLike[str] | None = None,
    **options: Any,
) -> LogVerified:
    """Verify a published log; `NotVerified` says what does not fit.

    Parameters
    ----------
    release : path
        The published file.
    certificate : path, optional
        Its certificate, if it is not beside it.
    owners : path, optional
        Whose the ids are: then people are counted and not ids.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    path = Path(release)
    with one_call():
        with opened(path):
            found = read_certificate(path, None if certificate is None else Path(certificate))
        where = str(certificate or certificate_path(path))
        if not is_whole(found):
            raise NotVerified("was edited: its digest is that of something else", where=where)
        if sha256(path) != found["file"].get("sha256"):
            raise NotVerified("is not the file that was certified: its digest is another", where=str(path))
        promise = found["promise"]
        if found["kind"] == PRIVATE:
            _require(promise, _OF_PRIVATE, where)
            counts = counted_counts(read_counts(path))
            _require_kept(found, counts, list(broken_private(promise, counts)), path)
            return LogVerified(path, found, counts, people=False)
        _require(promise, _OF_PROMISES, where)
        if promise["times"] not in UNITS:
            raise NotVerified("promises times in a unit that is none", where=where)
        with opened_release(path, options, None if owners is None else Path(owners)) as queries:
            counts = counted(queries, promise["times"])
            people = None if owners is None else counted_people(queries)
        wrong = list(broken(promise, counts, None)) or [f"{each}{_OTHER}" for each in broken(promise, counts, people)]
        _require_kept(found, counts | (people or {}), wrong, path)
        return LogVerified(path, found, counts | (people or {}), people is not None)


def _require(promise: Mapping[str, Any], names: set[str], where: str) -> None:
    if not names <= set(promise):
        raise NotVerified("promises too little to be verified", where=where)


def _require_kept(certificate: Mapping[str, Any], counts: Mapping[str, int], wrong: list[str], path: Path) -> None:
    if wrong:
        raise NotVerified(f"does not keep its promise: {wrong[0]}", where=str(path))
    for name, count in counts.items():
        if certificate["counted"].get(name) != count:
            raise NotVerified(f"does not fit its certificate, which counts otherwise: {name.replace('_', ' ')}", where=str(path))
