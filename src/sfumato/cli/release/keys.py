"""`sfumato keys`: keys to sign with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.passphrase import PassphraseFile, new_passphrase
from sfumato.cli.plugins import Group

app = typer.Typer(cls=Group, help="Keys to sign releases with: make a pair, show a public one.", no_args_is_help=True)


@app.command("new")
def new(
    key: Annotated[str, typer.Argument(metavar="NAME", help="The name of the key, and of its files.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The private key's file; the public one ends in .pub.", show_default="NAME.key"),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Who you are to others, as in 'Statistics office'.", show_default="NAME")
    ] = None,
    ask_passphrase: Annotated[bool, typer.Option("--ask-passphrase", help="Ask for a passphrase in the terminal.")] = False,
    passphrase_file: PassphraseFile = None,
    json: options.Json = False,
) -> None:
    """Make a pair of keys (Ed25519): a private one to sign with, and a public one for those who verify.

    The private key is readable by you alone. A passphrase encrypts it. Nothing that exists is replaced.

    Example: `sfumato keys new office --name "Statistics office"`
    """
    from sfumato.verbs import keys

    made = keys.new(key, output, name=name, passphrase=new_passphrase(passphrase_file, asked=ask_passphrase))
    if json:
        show.emit({"private": str(made.private), "public": str(made.public), "name": made.name, "fingerprint": made.fingerprint})
        return
    show.line(f"private key: {made.private} (keep it)")
    show.line(f"public key:  {made.public} (give it to those who verify)")
    show.line(f"fingerprint: {made.fingerprint}")


@app.command("show")
def show_key(
    key: Annotated[Path, typer.Argument(metavar="FILE", help="A public key, FILE.pub.", show_default=False)],
    json: options.Json = False,
) -> None:
    """Show a public key: its name, and its fingerprint, which is compared by telephone or on paper.

    Example: `sfumato keys show office.pub`
    """
    from sfumato.verbs import keys

    shown = keys.show(key)
    if json:
        show.emit({"file": str(key), "name": shown.name, "fingerprint": shown.fingerprint})
    else:
        show.line(f"{shown.name} {shown.fingerprint}")
