"""`sfumato graph verify` and `sign`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.passphrase import PassphraseFile, private_key
from sfumato.cli.signers import Key, Keys, Role, show_signature, show_signers
from sfumato.errors import several

Published = Annotated[Path, typer.Argument(metavar="RELEASE", help="A published graph.", show_default=False)]


def verify(
    published: Published, certificate: options.CertificateFile = None, key: Keys = None, json: options.Json = False
) -> None:
    """Does a published graph fit its certificate? Everything that is promised is counted again, and nothing else may be in the file.
    Exit 1 if not.

    Without --key, it shows who claims to have signed: a name in a signature is only as good as the key that you compare.

    Example: `sfumato graph verify public.csv`
    """
    from sfumato.graph import verify as verified

    found = verified(published, certificate, key=key or ())
    if json:
        signed = [asdict(each) for each in found.signatures]
        counted = {"nodes_not_in_file": found.nodes_not_in_file}
        show.emit({"verified": True, **counted, "certificate": found.certificate.as_dict(), "signatures": signed})
        return
    certified = found.certificate
    size = f"{several(certified.nodes, 'node')}, {several(certified.edges, 'edge')}"
    show.line(f"{published} fits its certificate: {size}, {certified.method}, degrees shared by at least {certified.alike:,}")
    if found.nodes_not_in_file:
        stated = several(found.nodes_not_in_file, "node without an edge is", "nodes without an edge are")
        show.line(f"{stated} stated and not in the file: this cannot be checked")
    show_signers(found.signatures)


def sign(
    published: Published,
    key: Key,
    role: Role = "reviewer",
    passphrase_file: PassphraseFile = None,
    certificate: options.CertificateFile = None,
    json: options.Json = False,
) -> None:
    """Countersign a published graph: verify it, then add your signature to its certificate. Other signatures stay.

    Example: `sfumato graph sign public.csv --key reviewer.key`
    """
    from sfumato.graph import sign as sign_graph

    show_signature(published, sign_graph(published, private_key(key, passphrase_file), certificate, role=role), json)
