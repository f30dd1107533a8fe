"""Warnings of the library as lines on standard error, each once, amber on a terminal."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sfumato.errors import PrivacyWarning, SearchWarning, SpellingWarning, TogetherWarning

_OURS = (SpellingWarning, SearchWarning, TogetherWarning, PrivacyWarning)


@contextmanager
def warnings_in_lines() -> Iterator[None]:
    """What the library warns about while a command runs; other warnings are shown as ever."""
    known: set[str] = set()
    with warnings.catch_warnings():
        for ours in _OURS:
            warnings.simplefilter("always", ours)
        as_ever = warnings.showwarning

        def show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, _OURS):
                as_ever(message, category, *place, **more)
            elif (text := message.in_shell() if isinstance(message, SearchWarning) else str(message)) not in known:
                known.add(text)
                from sfumato.cli import show

                show.warning(text)

        warnings.showwarning = show_warning
        yield
