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
    json: options.Json = False,
) -> None:
    """Check a published file against its certificate: digest, rows and classes. Exit 1 if it does not match.

    Example: `sfumato verify out.parquet`
    """
    from sfumato.verbs.verify import verify as verify_release

    verified = verify_release(release, certificate, **request)
    certified = verified.certificate
    if not json:
        show.line(
            f"{verified.path} fits its certificate: {certified.size()}, published {certified.time} by sfumato {certified.version}"
        )
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
        }
    )
