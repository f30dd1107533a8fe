"""Warnings of the library as lines on standard error, each once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.errors import SpellingWarning


@contextmanager
def warnings_in_lines() -> Iterator[None]:
    """What the library warns about while a command runs; other warnings are shown as ever."""
    known: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", SpellingWarning)
        as_ever = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, SpellingWarning):
                as_ever(message, category, *place, **more)
            elif str(message) not in known:
                known.add(str(message))
                sys.stderr.write(f"sfumato: warning: {message}\n")

        warnings.showwarning = show
        yield
