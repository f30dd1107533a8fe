"""Places to write to: each is looked at before the work starts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sfumato.commit.call import is_input, was_written
from sfumato.commit.journal import settle
from sfumato.errors import OutputError, argument


def taken(path: Path) -> OutputError:
    """The refusal to replace what exists."""
    return OutputError(f"exists already; {argument('force', 'True')} replaces it", where=str(path))


def unwritable(path: Path, error: OSError) -> OutputError:
    """What the system says, in one line."""
    return OutputError(f"cannot be written: {error.strerror or type(error).__name__}", where=str(path))


def require_free(path: Path, force: bool) -> None:
    """Refuse a folder, a place in no folder, one that is not writable, an input of this call and, unless `force`, what exists."""
    if path.is_dir():
        raise OutputError("is a folder; name a file in it", where=str(path))
    if not path.parent.is_dir():
        raise OutputError("no such folder; make it first", where=str(path.parent))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise OutputError("the folder is not writable", where=str(path.parent))
    settle(path)
    if _exists(path) and not force:
        raise taken(path)
    require_no_input(path)


def require_free_folder(path: Path) -> None:
    """Refuse a place for a new folder that is taken, in no folder, or not writable. A folder is never replaced: what else may be in it?"""
    if _exists(path):
        raise OutputError("exists already, and a folder is not replaced; remove it, or choose another name", where=str(path))
    require_free(path, force=False)


def require_different(paths: Iterable[Path]) -> None:
    """Refuse, before the work, two outputs of one call at one place."""
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise OutputError("two outputs have this name; each needs its own", where=str(path))
        seen.add(path.resolve())


def require_no_input(path: Path) -> None:
    """Refuse to write over what this call reads, or has just written."""
    if was_written(path):
        raise OutputError("this was written by the same command; choose another name", where=str(path))
    if is_input(path):
        raise OutputError("this is an input of the same command; choose another name", where=str(path))


def require_folder(path: Path) -> None:
    """Refuse a place for a folder that is a file, or lies below one."""
    nearest = next(each for each in (path, *path.absolute().parents) if os.path.lexists(each))
    if not nearest.is_dir():
        raise OutputError("is a file; name a folder", where=str(nearest))


def made_folder(path: Path) -> Path:
    """A folder that is made if it does not exist."""
    require_folder(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made: {error.strerror}", where=str(path)) from None
    return path


def _exists(path: Path) -> bool:
    """Whether something has this name, a link that leads nowhere included; refuses a name that no file can have."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise unwritable(path, error) from None
    return True
