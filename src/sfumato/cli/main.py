"""The command `sfumato`: its subcommands and exit statuses.

Exit 0 done · 1 the data say no · 2 bad input · 130 interrupted. An error is one line on standard error or, with --json, one object
on standard output. A command is loaded when it is called, and the engine, Arrow and numpy by those that need them, so help is fast. Other
distributions can add commands, see `plugins`.
"""

from __future__ import annotations

import atexit
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import typer

from sfumato.cli import entry
from sfumato.cli.arguments import joined
from sfumato.cli.commands import application
from sfumato.cli.entry import INTERRUPTED, STOPPED
from sfumato.commit.call import Call, one_call
from sfumato.errors import SfumatoError, UsageError, raise_alone, visible

BUG = 70


class _Unwritable(Exception):
    """Standard output cannot be written."""


class _Stream(io.TextIOWrapper):
    """Standard output: an error in writing to it is known as one. That nobody reads it any more is for typer to handle."""

    def write(self, text: str) -> int:
        return int(self._tried(super().write, text))

    def flush(self) -> None:
        self._tried(super().flush)

    def _tried(self, act: Callable[..., Any], *given: Any) -> Any:
        try:
            return act(*given)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise_alone(_Unwritable(error.strerror))


def main() -> NoReturn:
    """Run the command of this process. The entry point is `entry.main`, which has listened to signals since before this was loaded."""
    entry.listen()
    _open_streams()
    entry.run_begins()
    status = run(sys.argv[1:])
    entry.run_ends()
    if not entry.received:  # after a signal, threads and half-loaded modules of others may not end in an orderly way
        atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _no_more_output()
    except _Unwritable as error:
        failure = _unwritable(error)
        status = status or failure
    sys.stderr.flush()
    os._exit(status)  # nothing is left to do: taking all modules apart takes as long as a small search


def _open_streams() -> None:
    """Replace closed streams; a stream that cannot encode a character writes a question mark."""
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="replace")
    out = sys.stdout
    if out is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    elif isinstance(out, io.TextIOWrapper):
        lines = out.line_buffering
        sys.stdout = _Stream(out.detach(), encoding=out.encoding, errors="replace", line_buffering=lines)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; every error is reported in one line."""
    with one_call() as call:
        return _run(arguments, call)


def _run(arguments: Sequence[str], call: Call) -> int:
    try:
        _require_text(arguments)
        words = joined(arguments)
        status: int = application(words)(words, prog_name="sfumato", standalone_mode=False) or 0
        sys.stdout.flush()
    except SfumatoError as error:
        error.add(call.mention())
        return _report_error(arguments, error.code, *error.in_shell(), error.exit_status)
    except typer.TyperException as error:
        return _usage(arguments, error)
    except SystemExit:  # typer ends this way when nobody reads the output any more
        return 0
    except _Unwritable as error:
        return _unwritable(error, call.mention())
    except BaseException as error:
        return _unexpected(arguments, error, call)
    if status == INTERRUPTED:  # typer turns Ctrl-C into this status
        return _report_stop(arguments, call)
    return status


def _report_stop(arguments: Sequence[str], call: Call) -> int:
    message = f"interrupted{call.mention()}" if call.written else STOPPED
    return _report_error(arguments, "interrupted", message, None, INTERRUPTED)


def _require_text(arguments: Sequence[str]) -> None:
    """Refuse words that no file and no column can be named by: the bytes of a command line may be any."""
    for place, word in enumerate(arguments, start=1):
        if "\0" in word or (not word.isascii() and word.encode(errors="replace").decode() != word):
            raise UsageError("not a text in UTF-8; rename the file, or set the encoding of the terminal", where=f"word {place}")


def _unexpected(arguments: Sequence[str], error: BaseException, call: Call) -> int:
    """A bug, unless the user stopped the command (compiled code may turn Ctrl-C into another error) or the machine has no more."""
    if entry.received or isinstance(error, KeyboardInterrupt):
        return _report_stop(arguments, call)
    if "SFUMATO_DEBUG" in os.environ:
        raise error
    match error:
        case MemoryError():
            message = "not enough memory; give it fewer columns (--quasi), a coarser table or a larger machine"
        case RecursionError():
            message = "something in the input is nested too deeply to be read"
        case OSError(filename=str() | bytes() as name):
            return _report_error(arguments, "system", (error.strerror or "cannot be used") + call.mention(), os.fsdecode(name), 2)
        case OSError():
            message = f"the system refuses to go on: {error.strerror or type(error).__name__}"
        case ValueError() if "embedded null" in str(error):
            message = "a name with a zero byte, which no file has"
        case _:  # its message may quote values, so only its type is reported
            message = f"a bug in sfumato ({type(error).__name__}); SFUMATO_DEBUG=1 shows where"
            return _report_error(arguments, "bug", message + call.mention(), None, BUG)
    return _report_error(arguments, "system", message + call.mention(), None, 2)


def _unwritable(error: _Unwritable, more: str = "") -> int:
    sys.stderr.write(f"sfumato: standard output cannot be written: {error}{more}\n")
    _no_more_output()
    return 2


def _no_more_output() -> None:
    """What is still to be written to standard output goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


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
