"""Does a published file fit its certificate?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Unpack

from sfumato.commit.journal import settle
from sfumato.errors import DataError, NotVerified, SchemaError, raise_alone
from sfumato.options import divided
from sfumato.release.certificate import Certificate, certificate_beside, sha256, size
from sfumato.release.grouped import require_groups
from sfumato.release.invariant import require_invariant
from sfumato.release.reading import Published, Reading, read_classes, with_certificate
from sfumato.release.signers import Key, Signed, signers_of
from sfumato.table.source import SOURCE_OPTIONS, Source, SourceOptions
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute, Schema


@dataclass(frozen=True, slots=True)
class Verified:
    """What was counted again in the file and agrees with the certificate."""

    path: Path
    certificate: Certificate
    rows: int
    classes: int
    signatures: tuple[Signed, ...] = ()


def verify(
    published: str | PathLike[str],
    certificate: str | PathLike[str] | None = None,
    *,
    key: Key | Sequence[Key] = (),
    **options: Unpack[SourceOptions],
) -> Verified:
    """Check a published file against its certificate: digests, signatures, columns, rows and classes.

    Raises `NotVerified` if it does not fit.

    Parameters
    ----------
    published : path
        The published file.
    certificate : path, optional
        Its certificate; the one beside the file by default.
    key : PublicKey, path, or a list of them
        The public keys of those who must have signed. Without it, `signatures` of the result say who claims to have signed.
    **options
        The fields of `Source`, for the published file.

    Returns
    -------
    Verified
        What was counted again and agrees.
    """
    (settings,) = divided(options, SOURCE_OPTIONS)
    path = Path(published)
    settle(path)
    if not path.exists():
        raise DataError("no such file", where=str(path))
    certified = Certificate.read(Path(certificate) if certificate else certificate_beside(path))
    signatures = signers_of(certified, key, str(path))
    if size(path) != certified.bytes or sha256(path) != certified.sha256:
        raise NotVerified("the file is not the one that was certified: its digest differs", where=str(path))
    reading = _read(Source(path, **settings), certified)
    starred = certified.promise.starred
    counted = (reading.counts.total_rows + starred, reading.counts.classes)
    if counted != (certified.rows + starred, certified.classes):
        raise NotVerified(
            f"the file holds {counted[0]:,} rows in {counted[1]:,} classes, the certificate says "
            f"{certified.rows + starred:,} in {certified.classes:,}",
            where=str(path),
        )
    with_certificate(reading, certified)
    require_groups(Source(path, **settings), certified)
    require_invariant(Source(path, **settings), certified)
    return Verified(path, certified, *counted, signatures=signatures)


def _read(source: Source, certificate: Certificate) -> Reading:
    other = NotVerified("the file does not have the columns that the certificate names", where=str(source.data))
    try:
        reading = read_classes(source, _schema(certificate), certificate.promise)
    except SchemaError:
        raise other from None
    except DataError:  # the file is the certified one, so what does not fit it is the certificate
        raise_alone(NotVerified("the certificate contradicts the file: its types", where=str(source.data)))
    if reading.columns != tuple(certificate.columns):
        raise other
    return reading


def _schema(certificate: Certificate) -> Schema:
    """What is known of the columns without the owner's schema: which are QIDs and which are sensitive."""
    return Schema(tuple(_attribute(name, certificate) for name in certificate.columns), missing=())


def _attribute(name: str, certificate: Certificate) -> Attribute:
    role = Role.QUASI if name in certificate.quasi else Role.SENSITIVE if name in certificate.sensitive else Role.PLAIN
    return Attribute(name, role, certificate.promise.types.get(name), Published())
