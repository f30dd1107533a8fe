"""What the package can do without, and training cannot."""

from __future__ import annotations

from importlib import import_module

from sfumato.errors import UsageError


def require_learn(where: str) -> None:
    """Say in one line that the extra is not installed, before the work."""
    try:
        import_module("sklearn")
    except ImportError:
        raise UsageError("needs the extra 'learn': pip install 'sfumato[learn]'", where=where) from None
