"""Whether a file can be written where it was asked for: told before the work, not after it."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import OutputError


def require_free(path: Path, force: bool) -> None:
    """Refuse a folder, a place in no folder, one that is not writable and, unless `force`, what exists."""
    if path.is_dir():
        raise OutputError("is a folder; name a file in it", where=str(path))
    if not path.parent.is_dir():
        raise OutputError("no such folder; make it first", where=str(path.parent))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise OutputError("the folder is not writable", where=str(path.parent))
    if os.path.lexists(path) and not force:
        raise OutputError("exists already; --force replaces it", where=str(path))


def require_folder(path: Path) -> None:
    """Refuse a place for a folder that is a file, or lies below one."""
    found = next(each for each in (path, *path.absolute().parents) if os.path.lexists(each))
    if not found.is_dir():
        raise OutputError("is a file; name a folder", where=str(found))
