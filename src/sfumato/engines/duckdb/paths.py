"""File names as DuckDB takes them: it reads a name as a pattern, and looks for columns in the folders on the way.

A name in which nothing is special is given as it is. Any other gets a plain one: a link in the engine's own temporary folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sfumato.engines.csvfile import CsvFile
from sfumato.engines.duckdb.sql import SQL, unescaped
from sfumato.engines.sources import ParquetFiles
from sfumato.errors import UsageError, argument, raise_alone
from sfumato.temporary import TemporaryFolder

_LONGEST_LINE = 4 << 20  # records are counted in blocks that are shorter
_PATTERN = frozenset("*?[" + "\\" * (os.sep == "/"))


class Links:
    """Makes the links of one engine: in its temporary folder or, if the way there is not plain, in one of the system's."""

    def __init__(self, spill: Path) -> None:
        self._spill = spill.absolute()
        self._own: TemporaryFolder | None = None
        self._made = 0

    def literal(self, file: Path) -> str:
        """A file as an SQL literal that means this file and no other."""
        path = file.absolute()
        return SQL.literal(str(path) if _is_plain(path) else self._linked(path, ()))

    def csv(self, file: CsvFile) -> str:
        """The name of a CSV file, and how it is to be taken."""
        return f"{self.literal(file.readable)}, hive_partitioning=false"

    def parquet(self, source: ParquetFiles) -> str:
        """The names of Parquet files, and how they are to be taken: with the partitions below the folder that was given."""
        if not source.partitions or source.root is None:
            return f"[{', '.join(map(self.literal, source.files))}], hive_partitioning=false"
        names = [str(file.absolute()) for file in source.files]
        if "=" in str(source.root.absolute()) or not all(_is_plain(file.absolute()) for file in source.files):
            names = [self._linked(file.absolute(), source.below(file)) for file in source.files]
        return f"[{', '.join(map(SQL.literal, names))}], hive_partitioning=true"

    def remove(self) -> None:
        """Remove what is not in the engine's folder."""
        if self._own is not None:
            self._own.remove()

    def _linked(self, path: Path, below: Sequence[str]) -> str:
        """A link to a file, in folders of our own that have its partitions and no others; as a pattern that fits the link alone."""
        self._made += 1
        folder = self._place().joinpath("table", *(part for part in below if "=" in part))
        link = folder / f"source-{self._made}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
        except OSError as error:
            raise_alone(UsageError(f"cannot hold a link to a file: {error.strerror}", where=argument("temp")))
        return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(link))

    def _place(self) -> Path:
        if _is_plain(self._spill) and "=" not in str(self._spill):
            return self._spill
        self._own = self._own or TemporaryFolder()
        return self._own.path.absolute()


def _is_plain(path: Path) -> bool:
    """Whether a name stands for itself."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return _PATTERN.isdisjoint(text)


def read_csv(file: CsvFile, name: str) -> str:
    """The relation of a CSV file. A line end that is not given is that of the first line, even if it is in quotes; CRLF cannot be given."""
    places = [f"c{place}" for place in range(len(file.columns))]
    columns = ", ".join(f"'{place}': 'VARCHAR'" for place in places)
    line_end = {"\n": "new_line='\\n', ", "\r": "new_line='\\r', "}.get(file.records.line_end, "")
    longest = max(file.records.longest + 2, _LONGEST_LINE)
    return (
        f"(SELECT {', '.join(f'{unescaped(place)} AS {place}' for place in places)} FROM "
        f"read_csv({name}, auto_detect=false, header={str(file.header).lower()}, strict_mode=true, nullstr='', {line_end}"
        f"max_line_size={longest}, buffer_size={2 * longest}, "
        f"allow_quoted_nulls=false, delim={SQL.literal(file.delimiter)}, quote='\"', escape='\"', "
        f"compression='{'gzip' if file.gzipped else 'none'}', columns={{{columns}}}))"
    )
