"""`sfumato verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show


def verify(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A published file.", show_default=False)],
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Its certificate.", show_default="NAME.certificate.json beside it")
    ] = None,
    json: options.Json = False,
) -> None:
    """Check a published file against its certificate: digest, rows and classes. Exit 1 if it does not fit.

    Example: `sfumato verify out.parquet`
    """
    from sfumato.verbs.verify import verify as verify_release

    found = verify_release(release, certificate)
    told = found.certificate
    if json:
        show.emit(
            {
                "status": "verified",
                "file": str(found.path),
                "sha256": told.sha256,
                "node": dict(told.node),
                "rows": told.rows,
                "people": told.people,
                "basis": told.basis,
                "classes": found.classes,
                "suppressed": dict(told.suppressed),
            }
        )
    else:
        show.out().print(
            f"{found.path} fits its certificate: {told.size()}, published {told.time} by sfumato {told.version}",
            soft_wrap=True,
        )
