"""`sfumato sign`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.passphrase import PassphraseFile, private_key


@options.takes(options.reading)
def sign(
    request: options.Request,
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A published file.", show_default=False)],
    key: Annotated[Path, typer.Option("--key", help="Your private key.", show_default=False)],
    role: Annotated[str, typer.Option("--role", help="In what capacity you sign.")] = "reviewer",
    passphrase_file: PassphraseFile = None,
    certificate: options.CertificateFile = None,
    json: options.Json = False,
) -> None:
    """Countersign a release: verify it, then add your signature to its certificate. Other signatures stay.

    Example: `sfumato sign out.parquet --key reviewer.key`
    """
    from sfumato.verbs.sign import sign as sign_release

    made = sign_release(release, private_key(key, passphrase_file), certificate, role=role, **request)
    if json:
        told = {"name": made.name, "role": made.role, "time": made.time, "fingerprint": made.fingerprint}
        show.emit({"status": "signed", "file": str(release), **told})
    else:
        show.line(f"{release} fits its certificate; signed by {made.name}, {made.role}, {made.time} ({made.fingerprint})")
