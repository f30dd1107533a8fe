"""One call, of a command or of a verb: the files that it has read, which it must not overwrite, and those that it has written, which
stand even if a later step fails."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import SfumatoError, visible


@dataclass(frozen=True, slots=True)
class Call:
    """What a call has read and written. A file is known by its number on its device, so under every name that it has."""

    inputs: set[tuple[int, int]] = field(default_factory=set)
    written: list[Path] = field(default_factory=list)

    def mention(self) -> str:
        """What to add to the message of an error: what was written before it and was not removed again stands."""
        stands = ", ".join(visible(str(path)) for path in self.written if path.exists())
        return f"; what was written before stands: {stands}" if stands else ""


_current: ContextVar[Call | None] = ContextVar("call", default=None)


@contextmanager
def one_call() -> Iterator[Call]:
    """A call; one within another is part of it. An error that ends it says what was written before."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    call = Call()
    token = _current.set(call)
    try:
        yield call
    except SfumatoError as error:
        error.add(call.mention())
        raise
    finally:
        _current.reset(token)


def note_inputs(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Say that the current call reads files."""
    call = _current.get()
    if call is not None:
        call.inputs.update(number for path in paths if (number := _number(path)) is not None)


@contextmanager
def read_aside() -> Iterator[None]:
    """What is read meanwhile is no input of the current call: it may be replaced."""
    call = _current.get()
    before = None if call is None else set(call.inputs)
    try:
        yield
    finally:
        if call is not None and before is not None:
            call.inputs.intersection_update(before)


def was_written(path: Path) -> bool:
    """Whether the current call has written this file."""
    call, number = _current.get(), _number(path)
    return call is not None and number is not None and number in {_number(each) for each in call.written}


def may_be_changed(path: Path) -> None:
    """Say that the current call is there to change a file that it has read."""
    call = _current.get()
    if call is not None and (number := _number(path)) is not None:
        call.inputs.discard(number)


def note_written(paths: Iterable[Path]) -> None:
    """Say that the current call has written files."""
    call = _current.get()
    if call is not None:
        call.written.extend(paths)


def is_input(path: Path) -> bool:
    """Whether the current call has read this file, under whatever name."""
    call = _current.get()
    return call is not None and _number(path) in call.inputs


def note_numbers(numbers: Iterable[tuple[int, int]]) -> None:
    """Say that what the current call was given comes from these files."""
    call = _current.get()
    if call is not None:
        call.inputs.update(numbers)


def _number(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    try:
        about = os.stat(path)  # noqa: PTH116  a name that no path can have is no file
    except (OSError, ValueError):
        return None
    return about.st_dev, about.st_ino
