"""Writing files. A place is looked at before the work; a file appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import OutputError, argument


def taken(path: Path) -> OutputError:
    """The refusal to replace what exists."""
    return OutputError(f"exists already; {argument('force', 'True')} replaces it", where=str(path))


def unwritable(path: Path, error: OSError) -> OutputError:
    """What the system says, in one line."""
    return OutputError(f"cannot be written: {error.strerror}", where=str(path))


def require_free(path: Path, force: bool) -> None:
    """Refuse a folder, a place in no folder, one that is not writable and, unless `force`, what exists."""
    if path.is_dir():
        raise OutputError("is a folder; name a file in it", where=str(path))
    if not path.parent.is_dir():
        raise OutputError("no such folder; make it first", where=str(path.parent))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise OutputError("the folder is not writable", where=str(path.parent))
    if os.path.lexists(path) and not force:
        raise taken(path)


def require_folder(path: Path) -> None:
    """Refuse a place for a folder that is a file, or lies below one."""
    nearest = next(each for each in (path, *path.absolute().parents) if os.path.lexists(each))
    if not nearest.is_dir():
        raise OutputError("is a file; name a folder", where=str(nearest))


@contextmanager
def folder_for(folder: Path, names: tuple[str, ...], *, force: bool) -> Iterator[list[Path]]:
    """The places of several files in a folder that is made if need be; nothing that exists is replaced unless `force`."""
    require_folder(folder)
    targets = [folder / name for name in names]
    for target in targets:
        if target.exists() and not force:
            raise taken(target)
    try:
        for parent in {target.parent for target in targets}:
            parent.mkdir(parents=True, exist_ok=True)
        yield targets
    except OSError as error:
        raise unwritable(folder, error) from None


@contextmanager
def written_whole(path: Path, force: bool) -> Iterator[Path]:
    """The hidden name to write to; whatever goes wrong, an error or Ctrl-C, nothing new is left."""
    require_free(path, force)
    hidden = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        yield hidden
        require_free(path, force)
        hidden.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        hidden.unlink(missing_ok=True)


def write_text(path: Path, text: str, *, force: bool) -> None:
    """A text as a file."""
    with written_whole(path, force) as hidden:
        hidden.write_text(text, encoding="utf-8")


def give_rights_of_new_files(path: Path) -> None:
    """Let others read a file as the umask says: it was made where everything is its owner's alone."""
    umask = os.umask(0o077)  # there is no way to ask without setting it; meanwhile it is strict
    os.umask(umask)
    path.chmod(0o666 & ~umask)


def flush(path: Path) -> None:
    """Wait until a file is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
