"""scipy, which the extra `channel` installs: loaded when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sfumato.errors import UsageError


def scipy_part(name: str) -> Any:
    """A module of scipy, such as `sparse`."""
    try:
        return import_module(f"scipy.{name}")
    except ModuleNotFoundError:
        raise UsageError('a channel needs scipy: pip install "sfumato[channel]"', where="channel") from None
