"""Who signed a release: checking that those have who must, and adding a further signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

from sfumato.commit.call import may_be_changed
from sfumato.commit.locks import held
from sfumato.commit.places import unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import NotVerified, UsageError
from sfumato.release.sealed import Sealed
from sfumato.signing.keys import PrivateKey, PublicKey
from sfumato.signing.signatures import Signature

Key = str | PathLike[str] | PublicKey


@dataclass(frozen=True, slots=True)
class Signed:
    """Somebody who signed. The name is what they say; it is `compared` if the key was one of those to verify with."""

    name: str
    role: str
    time: str
    fingerprint: str
    compared: bool


def signers_of(certificate: Sealed, key: Key | Sequence[Key], where: str) -> tuple[Signed, ...]:
    """Who signed, each signature being valid; refuses a certificate that somebody has not signed who must have."""
    keys = [key] if isinstance(key, str | PathLike | PublicKey) else list(key)
    wanted = [each if isinstance(each, PublicKey) else PublicKey.read(each) for each in keys]
    signed_with = {signature.public.raw for signature in certificate.signatures}
    for each in wanted:
        if each.raw not in signed_with:
            raise NotVerified(f"not signed by {each.name} ({each.fingerprint})", where=where)
    compared = {each.raw for each in wanted}
    return tuple(
        Signed(each.name, each.role, each.time, each.fingerprint, each.public.raw in compared) for each in certificate.signatures
    )


def countersigned(path: Path, verified: Sealed, signer: PrivateKey, role: str, now: datetime | None = None) -> Signature:
    """Add a signature to the certificate at a path, which was verified just now. The signatures that it has stay."""
    try:
        with held(path.parent, path.resolve().parent):
            certified = type(verified).read(path)
            if certified.digest != verified.digest:
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
