"""`searchlog verify`: does a published log fit its certificate, and keep its promise? Anybody counts ids; the owner counts people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.commit.call import one_call
from sfumato.errors import NotVerified, several
from sfumato.inputs import opened
from sfumato.release.certificate import certificate_path, sha256
from sfumato.release.signers import Key, Signed, countersigned, signers_of
from sfumato.searchlog.publishing.arrangement import misplaced, misplaced_counts
from sfumato.searchlog.publishing.certificate import LogCertificate
from sfumato.searchlog.publishing.container import besides
from sfumato.searchlog.publishing.promises import broken, broken_private, no_promise, periods_of_promise
from sfumato.searchlog.publishing.reading import (
    counted,
    counted_counts,
    counted_people,
    foreign_owners,
    opened_release,
    read_counts,
    read_release,
)
from sfumato.signing.keys import PrivateKey
from sfumato.signing.signatures import REVIEWER, Signature
from sfumato.table.queries import Queries

_OTHER = "; or the owners are those of another release"


@dataclass(frozen=True, slots=True)
class LogVerified:
    """A release that fits its certificate. `people` says whether people were counted, which needs the owners; otherwise ids were."""

    file: Path
    certificate: LogCertificate
    counted: Mapping[str, int]
    people: bool
    signatures: tuple[Signed, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "verified": True,
            "method": self.certificate.method,
            "promise": dict(self.certificate.promise),
            "counted": dict(self.counted),
            "people": self.people,
            "digest": self.certificate.digest,
            "signatures": [asdict(each) for each in self.signatures],
        }


def verify(
    release: str | PathLike[str],
    certificate: str | PathLike[str] | None = None,
    *,
    owners: str | PathLike[str] | None = None,
    key: Key | Sequence[Key] = (),
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
    key : PublicKey, path, or a list of them
        The public keys of those who must have signed. Without it, `signatures` of the result say who claims to have signed.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    path, place = Path(release), Path(certificate) if certificate else certificate_path(Path(release))
    with one_call():
        with opened(path):
            found = LogCertificate.read(place)
        signatures = signers_of(found, key, str(path))
        if sha256(path) != found.sha256:
            raise NotVerified("the file is not the one that was certified: its digest differs", where=str(path))
        counts, people = _counted_again(path, found, None if owners is None else Path(owners), options, str(place))
        if path.stat().st_size != found.bytes:
            raise NotVerified("the file is not the one that was certified: its size differs", where=str(path))
        return LogVerified(path, found, counts | (people or {}), people is not None, signatures)


def _counted_again(
    path: Path, certificate: LogCertificate, owners: Path | None, options: Mapping[str, Any], where: str
) -> tuple[dict[str, int], dict[str, int] | None]:
    """What is counted in the file, and of people if their owners are known; refuses a file that does not keep its promise."""
    promise = certificate.promise
    if wrong := no_promise(promise, private=certificate.private):
        raise NotVerified(wrong, where=where)
    if not certificate.usual:
        raise NotVerified(
            "says otherwise than such releases do what counts as the same query, or what is not stopped", where=where
        )
    if certificate.private:
        table = read_counts(path)
        counts = counted_counts(table)
        _require_kept(certificate, counts, list(broken_private(promise, counts)), path)
        _require_arranged(misplaced_counts(table), path)
        _require_alone(table, path)
        return counts, None
    periods = periods_of_promise(promise)
    if periods is None:
        raise NotVerified("does not keep its promise: its settings are none that a release can have", where=str(path))
    table = read_release(path)
    with opened_release(table, options, owners) as queries:
        counts = counted(queries, str(promise["times"]), periods)
        people = None if owners is None else _people(queries, owners)
    broken_ones = list(broken(promise, counts, None)) or [f"{each}{_OTHER}" for each in broken(promise, counts, people)]
    _require_kept(certificate, counts, broken_ones, path)
    _require_arranged(misplaced(table), path)
    _require_alone(table, path)
    return counts, people


def _people(queries: Queries, owners: Path) -> dict[str, int]:
    """What is counted of people; refuses owners of ids that are not in the release, with whom other people would be counted."""
    if foreign := foreign_owners(queries):
        whose = f"{several(foreign, 'owner is', 'owners are')} of no id in it, or of one that has an owner already"
        raise NotVerified(f"{whose}: they are those of another release", where=str(owners))
    return counted_people(queries)


@one_call()
def sign(
    release: str | PathLike[str],
    key: str | PathLike[str] | PrivateKey,
    certificate: str | PathLike[str] | None = None,
    *,
    role: str = REVIEWER,
    owners: str | PathLike[str] | None = None,
    now: datetime | None = None,
    **options: Any,
) -> Signature:
    """Add a signature to the certificate of a published log, after verifying it. The signatures that it has stay.

    Parameters
    ----------
    release : path
        The published file.
    key : PrivateKey or path
        The key to sign with.
    certificate : path, optional
        Its certificate, if it is not beside it.
    role : str
        In what capacity one signs.
    owners : path, optional
        Whose the ids are: then people are counted and not ids.
    now : datetime, optional
        The time that the signature states.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.

    Returns
    -------
    Signature
        The signature that was added.
    """
    signer = key if isinstance(key, PrivateKey) else PrivateKey.read(key)
    place = Path(certificate) if certificate else certificate_path(Path(release))
    return countersigned(place, verify(release, place, owners=owners, **options).certificate, signer, role, now)


def _require_kept(certificate: LogCertificate, counts: Mapping[str, int], wrong: list[str], path: Path) -> None:
    if wrong:
        raise NotVerified(f"does not keep its promise: {wrong[0]}", where=str(path))
    for name in sorted({*counts, *certificate.counted}):
        if certificate.counted.get(name) != counts.get(name):
            raise NotVerified(f"does not fit its certificate, which counts otherwise: {name.replace('_', ' ')}", where=str(path))


def _require_arranged(wrong: Iterator[str], path: Path) -> None:
    for each in wrong:
        raise NotVerified(f"is not as releases are written: {each}", where=str(path))


def _require_alone(table: pa.Table, path: Path) -> None:
    for each in besides(path, table):
        raise NotVerified(f"has more in it than its rows: {each}; do not pass it on", where=str(path))
