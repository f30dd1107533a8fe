"""The command `sfumato`: its subcommands and exit statuses.

Exit 0 done · 1 the data say no · 2 bad input · 130 interrupted. An error is one line on standard error or, with --json, one object
on standard output. The engine, Arrow and numpy are loaded by the commands that need them, so help is fast. Other distributions can add
commands, see `plugins`.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Annotated, NoReturn

import typer

from sfumato._version import __version__
from sfumato.cli import (
    anonymize,
    check,
    data,
    dimensions,
    explore,
    hierarchies,
    keys,
    ledger,
    measure,
    profile,
    publish,
    report,
    sign,
    subsets,
    tradeoff,
    verify,
)
from sfumato.cli.options import joined
from sfumato.cli.plugins import Commands
from sfumato.commit.call import Call, one_call
from sfumato.errors import SfumatoError, visible

BUG = 70
INTERRUPTED = 130

app = typer.Typer(
    name="sfumato",
    cls=Commands,
    help="Publish tables about people: describe them, generalize them, release them with a certificate.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(data.demo)
app.command("data")(data.data)
app.command()(profile.profile)
app.command()(hierarchies.hierarchies)
app.command()(anonymize.anonymize)
app.command()(explore.explore)
app.command()(explore.space)
app.command()(subsets.subsets)
app.command()(tradeoff.tradeoff)
app.command()(publish.publish)
app.command()(verify.verify)
app.command()(sign.sign)
app.command()(check.check)
app.command()(measure.measure)
app.command()(report.report)
app.command()(check.models)
app.command()(measure.compare_metrics)
app.command()(dimensions.dimensions)
app.add_typer(keys.app, name="keys")
app.add_typer(ledger.app, name="ledger")


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"sfumato {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


_received: list[int] = []  # stop signals


def _interrupt(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    signal.default_int_handler(number, frame)


def main() -> NoReturn:
    """The entry point."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:  # nohup ignores it
        signal.signal(hangup, _interrupt)
    _open_streams()
    status = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        sys.stderr.write(f"sfumato: standard output cannot be written: {error.strerror}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = status or 2
    sys.exit(status)


def _open_streams() -> None:
    """Replace closed streams; a stream that cannot encode a character writes a question mark."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; every error is reported in one line."""
    with one_call() as call:
        return _run(arguments, call)


def _run(arguments: Sequence[str], call: Call) -> int:
    try:
        status: int = app(joined(arguments), prog_name="sfumato", standalone_mode=False) or 0
    except SfumatoError as error:
        call.mention_written(error)
        return _report_error(arguments, error.code, *error.in_shell(), error.exit_status)
    except typer.TyperException as error:
        return _usage(arguments, error)
    except SystemExit:  # typer ends this way when nobody reads the output any more
        return 0
    except OSError as error:  # paths are checked before, so this is standard output
        sys.stderr.write(f"sfumato: standard output cannot be written: {error.strerror}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 2
    except Exception as error:
        return _unexpected(arguments, error, call)
    if status == INTERRUPTED:  # typer turns Ctrl-C into this status
        return _report_stop(arguments, call)
    return status


def _report_stop(arguments: Sequence[str], call: Call) -> int:
    stands = call.what_stands()
    message = f"interrupted; what was written before stands: {stands}" if stands else "interrupted; nothing was written"
    return _report_error(arguments, "interrupted", message, None, INTERRUPTED)


def _unexpected(arguments: Sequence[str], error: Exception, call: Call) -> int:
    """A bug, unless the user stopped the command: compiled code may turn Ctrl-C into another error."""
    if _received:
        return _report_stop(arguments, call)
    if "SFUMATO_DEBUG" in os.environ:
        raise error
    # The message of an unexpected error may quote values, so only its type is reported.
    return _report_error(arguments, "bug", f"a bug in sfumato ({type(error).__name__}); SFUMATO_DEBUG=1 shows where", None, BUG)


def _usage(arguments: Sequence[str], error: typer.TyperException) -> int:
    if not arguments:  # the message is the help
        sys.stdout.write(error.format_message() + "\n")
        return 2
    message = error.format_message().replace("\n", " ")
    if not message:  # a group of commands without its second word has shown its help
        return 2
    return _report_error(arguments, "usage", message, None, 2)


def _report_error(arguments: Sequence[str], code: str, message: str, where: str | None, status: int) -> int:
    if "--json" in arguments:
        from sfumato.cli.show import emit

        emit({"error": {"code": code, "message": message, "where": where}})
    else:
        sys.stderr.write(f"sfumato: {visible(f'{where}: {message}' if where else message)}\n")
    return status
