"""Writing a file, or several into one folder. Whatever goes wrong, an error, a full disk or Ctrl-C, nothing new is left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.commit.places import require_folder, unwritable
from sfumato.commit.transaction import Transaction


@contextmanager
def written_whole(path: Path, force: bool) -> Iterator[Path]:
    """The hidden name to write a file to; it takes its place when the block ends."""
    try:
        with Transaction(force=force) as transaction:
            yield transaction.stage(path)
            transaction.commit()
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def written_together(
    folder: Path, names: tuple[str, ...], *, force: bool, mode: int = 0o777, private: tuple[str, ...] = ()
) -> Iterator[list[Path]]:
    """The hidden names to write files of a folder to, which is made if need be; they take their places together when the block ends.
    `mode` is that of folders that are made; only the owner may read those files that are `private`."""
    require_folder(folder)
    targets = [folder / name for name in names]
    made = _missing({target.parent for target in targets})
    try:
        for parent in made:
            parent.mkdir(mode)
        with Transaction(force=force, root=folder) as transaction:
            yield [transaction.stage(target, private=target.name in private) for target in targets]
            transaction.commit()
    except BaseException as error:
        for parent in reversed(made):
            with suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise unwritable(folder, error) from None
        raise


def write_text(path: Path, text: str, *, force: bool) -> None:
    """A text as a file."""
    with written_whole(path, force) as hidden:
        hidden.write_text(text, encoding="utf-8")


def _missing(folders: set[Path]) -> list[Path]:
    """The folders that must be made, each after the one that it lies in."""
    return sorted({each for folder in folders for each in (folder, *folder.parents) if not each.exists()})
