"""Signatures in commands: who must have signed, who did, and signing what was verified."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import show

if TYPE_CHECKING:
    from sfumato.release.sealed import Sealed
    from sfumato.release.signers import Signed
    from sfumato.signing.signatures import Signature

Keys = Annotated[
    list[Path] | None,
    typer.Option("--key", help="The public key of somebody who must have signed. Repeatable.", show_default=False),
]
Key = Annotated[Path, typer.Option("--key", help="Your private key.", show_default=False)]
Role = Annotated[str, typer.Option("--role", help="In what capacity you sign.")]


def show_signers(signers: Sequence[Signed]) -> None:
    """Who claims to have signed, and what that is worth."""
    for each in signers:
        show.line(f"signed by {each.name}, {each.role}, {each.time} (fingerprint {each.fingerprint})")
    if not signers:
        show.line("not signed: it does not show who made it")
    elif not all(each.compared for each in signers):
        several = "" if any(each.compared for each in signers) else " no key was compared:"
        show.line(f"warning:{several} anybody can sign in any name; --key PUB requires the signature of that key")


def show_kept(certificate: Sealed, ledger: Path | None) -> None:
    """Where the owner's copy is, and who signed what was just published."""
    show.line(f"your copy: {ledger}")
    for each in certificate.signatures:
        show.line(f"signed by: {each.name} ({each.fingerprint})")


def show_signature(release: Path, made: Signature, json: bool) -> None:
    """A signature that was added just now."""
    if json:
        signature: dict[str, Any] = {"name": made.name, "role": made.role, "time": made.time, "fingerprint": made.fingerprint}
        show.emit({"status": "signed", "file": str(release), **signature})
    else:
        show.line(f"{release} fits its certificate; signed by {made.name}, {made.role}, {made.time} ({made.fingerprint})")
