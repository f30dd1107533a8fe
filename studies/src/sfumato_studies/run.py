"""Make exhibits, count the values that agree, and write every figure, a summary to read and one for machines.

The rule: a folder gets all files or none, and existing files are replaced only on request.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import OutputError, argument, several
from sfumato.progress import Progress
from sfumato.release.files import require_folder
from sfumato.reporting.charts import write_chart
from sfumato_studies.exhibit import Compared, Exhibit
from sfumato_studies.registry import chosen
from sfumato_studies.summary import summary


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Exhibits that were made."""

    exhibits: tuple[Exhibit, ...]

    @property
    def values(self) -> tuple[Compared, ...]:
        """Every compared value of every exhibit."""
        return tuple(row for exhibit in self.exhibits for row in exhibit.rows)

    @property
    def unexplained(self) -> tuple[Compared, ...]:
        """The differences without an explanation."""
        return tuple(row for row in self.values if not row.explained)

    def counts(self) -> str:
        """How many values agree, in one line."""
        agree = sum(row.agrees for row in self.values)
        differ = len(self.values) - agree
        unexplained = len(self.unexplained)
        explained = f" ({unexplained:,} without explanation)" if unexplained else " (all explained)" if differ else ""
        return f"{several(len(self.values), 'value')}: {agree:,} agree, {differ:,} differ{explained}"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        agree = sum(row.agrees for row in self.values)
        counts = {"values": len(self.values), "agree": agree, "differ": len(self.values) - agree}
        return {**counts, "unexplained": len(self.unexplained), "exhibits": [exhibit.as_dict() for exhibit in self.exhibits]}


def reproduce(only: Sequence[str] = (), *, progress: Progress | None = None) -> Reproduction:
    """Make all exhibits, or those with these names."""
    entries, made = chosen(only), []
    for entry in entries:
        made.append(entry.make())
        if progress:
            progress(len(made), len(entries))
    return Reproduction(tuple(made))


def require_place(folder: Path, force: bool) -> None:
    """Refuse, before any work, a path that is not a folder, or a folder that is not empty unless it may be overwritten."""
    require_folder(folder)
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise OutputError(
            f"the folder is not empty; {argument('force', 'True')} replaces files of the same name", where=str(folder)
        )


def write(result: Reproduction, folder: Path, *, force: bool = False, png: bool = False) -> list[Path]:
    """Write figures and summaries into a folder, which is created if it does not exist; returns the written files."""
    require_place(folder, force)
    with _staged(folder) as hidden:
        for exhibit in result.exhibits:
            for ending in (".svg", ".png")[: 1 + png] if exhibit.chart else ():
                write_chart(exhibit.chart or {}, hidden / f"{exhibit.name}{ending}")
        (hidden / "summary.md").write_text(summary(result.exhibits, result.counts()), encoding="utf-8")
        (hidden / "summary.json").write_text(json.dumps(result.as_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        names = sorted(path.name for path in hidden.iterdir())
    return [folder / name for name in names]


@contextmanager
def _staged(folder: Path) -> Iterator[Path]:
    """A hidden folder beside the target; its files are moved into place at the end, and it is removed in any case."""
    hidden = folder.absolute().parent / f".{folder.absolute().name}-{os.getpid()}"
    try:
        hidden.mkdir(parents=True)
        yield hidden
        folder.mkdir(parents=True, exist_ok=True)
        made = sorted(hidden.iterdir())
        if taken := next((folder / path.name for path in made if (folder / path.name).is_dir()), None):
            raise OutputError("is a folder; move it elsewhere", where=str(taken))
        for path in made:
            path.replace(folder / path.name)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
