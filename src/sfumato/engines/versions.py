"""Folders in which a table keeps its earlier versions: some of their Parquet files hold rows that were deleted since, and only a log knows
which. So the files of such a folder are not read as a table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sfumato.errors import DataError, argument

DELTA = "Delta"


def kept_by(folder: Path) -> str | None:
    """The format that keeps versions of a table in a folder."""
    if (folder / "_delta_log").is_dir():
        return DELTA
    if (folder / ".hoodie").is_dir():
        return "Hudi"
    return "Iceberg" if any((folder / "metadata").glob("*.metadata.json")) else None


def require_no_versions(root: Path, files: Iterable[Path]) -> None:
    """Refuse the files of such a folder: the one that was given, or one between it and a file."""
    between = {folder for file in files for folder in file.parents if folder.is_relative_to(root)}
    for folder in sorted({root, *between}):
        if kind := kept_by(folder):
            how = f"{argument('engine', 'spark')} reads it if Spark has its package" if kind == DELTA else "give a frame of Spark"
            raise DataError(
                f"a table of {kind}, whose files may hold rows that were deleted since; {how}, or write its rows to Parquet first",
                where=str(folder),
            )
