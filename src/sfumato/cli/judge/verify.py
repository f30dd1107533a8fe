"""`sfumato verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.signers import Keys, show_signers


@options.takes(options.reading)
def verify(
    request: options.Request,
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A published file.", show_default=False)],
    certificate: options.CertificateFile = None,
    key: Keys = None,
    json: options.Json = False,
) -> None:
    """Check a published file against its certificate: digests, signatures, rows and classes. Exit 1 if it does not match.

    Without --key, it shows who claims to have signed: a name in a signature is only as good as the key that you compare.

    Example: `sfumato verify out.parquet`
    """
    from dataclasses import asdict

    from sfumato.verbs.verify import verify as verify_release

    verified = verify_release(release, certificate, key=key or (), **request)
    certified = verified.certificate
    if not json:
        show.line(
            f"{verified.path} fits its certificate: {certified.size()}, published {certified.time} by sfumato {certified.version}"
        )
        show_signers(verified.signatures)
        return
    show.emit(
        {
            "status": "verified",
            "file": str(verified.path),
            "sha256": certified.sha256,
            "node": dict(certified.node),
            "rows": certified.rows,
            "people": certified.people,
            "basis": certified.basis,
            "classes": verified.classes,
            "suppressed": dict(certified.suppressed),
            "digest": certified.digest,
            "signatures": [asdict(each) for each in verified.signatures],
        }
    )
