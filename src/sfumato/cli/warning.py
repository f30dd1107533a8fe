"""Warnings of the library as lines on standard error, each once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.errors import FloorWarning, SpellingWarning

_OURS = (SpellingWarning, FloorWarning)


@contextmanager
def warnings_in_lines() -> Iterator[None]:
    """What the library warns about while a command runs; other warnings are shown as ever."""
    known: set[str] = set()
    with warnings.catch_warnings():
        for ours in _OURS:
            warnings.simplefilter("always", ours)
        as_ever = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, _OURS):
                as_ever(message, category, *place, **more)
            elif (text := message.in_shell() if isinstance(message, FloorWarning) else str(message)) not in known:
                known.add(text)
                sys.stderr.write(f"sfumato: warning: {text}\n")

        warnings.showwarning = show
        yield
