"""`sfumato verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


@options.takes(options.reading)
def verify(
    request: options.Request,
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A published file.", show_default=False)],
    certificate: options.CertificateFile = None,
    key: Annotated[
        list[Path] | None,
        typer.Option("--key", help="The public key of somebody who must have signed. Repeatable.", show_default=False),
    ] = None,
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
        for each in verified.signatures:
            show.line(f"signed by {each.name}, {each.role}, {each.time} (fingerprint {each.fingerprint})")
        if not verified.signatures:
            show.line("not signed: it does not show who made it")
        elif not all(each.compared for each in verified.signatures):
            several = "" if any(each.compared for each in verified.signatures) else " no key was compared:"
            show.line(f"warning:{several} anybody can sign in any name; --key PUB requires the signature of that key")
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
