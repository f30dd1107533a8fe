"""Countersign a release: a second person puts their name to what they have verified."""

from __future__ import annotations

from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Unpack

from sfumato.commit.call import one_call
from sfumato.release.certificate import certificate_beside
from sfumato.release.signers import countersigned
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
    return countersigned(path, verify(published, path, **options).certificate, signer, role, now)
