"""Countersign a release: a second person puts their name to what they have verified."""

from __future__ import annotations

from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Unpack

from sfumato.commit.call import may_be_changed, one_call
from sfumato.commit.locks import held
from sfumato.commit.places import unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import UsageError
from sfumato.release.certificate import Certificate, certificate_beside
from sfumato.signing.keys import PrivateKey
from sfumato.signing.signatures import REVIEWER, Signature
from sfumato.table.source import SourceOptions
from sfumato.verbs.verify import verify


@one_call()
def sign(
    published: str | PathLike[str],
    key: str | PathLike[str] | PrivateKey,
    certificate: str | PathLike[str] | None = None,
    *,
    role: str = REVIEWER,
    now: datetime | None = None,
    **options: Unpack[SourceOptions],
) -> Signature:
    """Add a signature to the certificate of a release, after verifying the release. The signatures that it has stay.

    Parameters
    ----------
    published : path
        The published file.
    key : PrivateKey or path
        The key to sign with.
    certificate : path, optional
        Its certificate; the one beside the file by default.
    role : str
        In what capacity one signs.
    now : datetime, optional
        The time that the signature states.
    **options
        The fields of `Source`, for the published file.

    Returns
    -------
    Signature
        The signature that was added.
    """
    signer = key if isinstance(key, PrivateKey) else PrivateKey.read(key)
    path = Path(certificate) if certificate is not None else certificate_beside(Path(published))
    verified = verify(published, path, **options)
    try:
        with held(path.parent, path.resolve().parent):
            certified = Certificate.read(path)
            if certified.digest != verified.certificate.digest:
                raise UsageError("the certificate was replaced while it was verified; sign again", where=str(path))
            if signer.public.raw in {each.public.raw for each in certified.signatures}:
                raise UsageError("this key has signed the certificate already", where=str(path))
            time = (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
            signed = certified.signed(signer, role, time)
            may_be_changed(path)
            write_text(path, signed.text(), force=True)
    except OSError as error:
        raise unwritable(path, error) from None
    return signed.signatures[-1]
