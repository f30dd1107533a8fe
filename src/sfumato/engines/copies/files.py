"""Which files are copied, by what they begin with or how they are called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from sfumato.engines.base import Settings
from sfumato.engines.copies.copied import Copied
from sfumato.engines.copies.database import copied_sqlite
from sfumato.engines.copies.statistics_file import SUFFIXES as STATISTICS
from sfumato.engines.copies.statistics_file import copied_statistics
from sfumato.engines.copies.workbook import copied_sheet, is_workbook
from sfumato.engines.register import DATABASES


def copied_file(path: Path, head: bytes, settings: Settings, folder: Path) -> Copied | None:
    """A copy of the table in a file that engines do not read; None if they do."""
    if head.startswith(b"SQLite format 3\0"):
        return copied_sqlite(path, settings.dialect, folder)
    for place, mark, module, name in DATABASES.values():
        if head.startswith(mark, place):
            copied: Callable[[Path, Settings, Path], Copied] = getattr(import_module(module), name)
            return copied(path, settings, folder)
    if path.suffix.lower() in STATISTICS:
        return copied_statistics(path, settings.dialect, folder)
    return copied_sheet(path, settings, folder) if is_workbook(path, head) else None
