"""`sfumato sign`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.passphrase import PassphraseFile, private_key
from sfumato.cli.signers import Key, Role, show_signature


@options.takes(options.reading)
def sign(
    request: options.Request,
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A published file.", show_default=False)],
    key: Key,
    role: Role = "reviewer",
    passphrase_file: PassphraseFile = None,
    certificate: options.CertificateFile = None,
    json: options.Json = False,
) -> None:
    """Countersign a release: verify it, then add your signature to its certificate. Other signatures stay.

    Example: `sfumato sign out.parquet --key reviewer.key`
    """
    from sfumato.verbs.sign import sign as sign_release

    show_signature(release, sign_release(release, private_key(key, passphrase_file), certificate, role=role, **request), json)
