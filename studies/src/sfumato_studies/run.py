"""Make exhibits, count what agrees, and write them: every figure, a summary to read and one for machines.

The rule: a folder gets all files or none, and what it holds is replaced only if asked.
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

from sfumato.errors import OutputError, several
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
        """What differs, and nobody knows why."""
        return tuple(row for row in self.values if not row.explained)

    def counts(self) -> str:
        """How many values agree, in one line."""
        agree = sum(row.agrees for row in self.values)
        differ = len(self.values) - agree
        open_ones = len(self.unexplained)
        told = f" ({open_ones:,} without explanation)" if open_ones else " (all explained)" if differ else ""
        return f"{several(len(self.values), 'value')}: {agree:,} agree, {differ:,} differ{told}"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        agree = sum(row.agrees for row in self.values)
        told = {"values": len(self.values), "agree": agree, "differ": len(self.values) - agree}
        return {**told, "unexplained": len(self.unexplained), "exhibits": [exhibit.as_dict() for exhibit in self.exhibits]}


def reproduce(only: Sequence[str] = (), *, progress: Progress | None = None) -> Reproduction:
    """Make all exhibits, or those with these names."""
    entries, made = chosen(only), []
    for entry in entries:
        made.append(entry.make())
        if progress:
            progress(len(made), len(entries))
    return Reproduction(tuple(made))


def require_place(folder: Path, force: bool) -> None:
    """Refuse, before the work, a place that is no folder, or one that holds something unless it may be replaced."""
    require_folder(folder)
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise OutputError("the folder is not empty; --force replaces what is written anew", where=str(folder))


def write(found: Reproduction, folder: Path, *, force: bool = False, png: bool = False) -> list[Path]:
    """Write figures and summaries into a folder, which is made if there is none; the files that were written."""
    require_place(folder, force)
    with _whole(folder) as hidden:
        for exhibit in found.exhibits:
            for ending in (".svg", ".png")[: 1 + png] if exhibit.chart else ():
                write_chart(exhibit.chart or {}, hidden / f"{exhibit.name}{ending}")
        (hidden / "summary.md").write_text(summary(found.exhibits, found.counts()), encoding="utf-8")
        (hidden / "summary.json").write_text(json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        names = sorted(path.name for path in hidden.iterdir())
    return [folder / name for name in names]


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A hidden folder beside the target whose files are moved into place at the end; whatever goes wrong, it is removed."""
    hidden = folder.absolute().parent / f".{folder.absolute().name}-{os.getpid()}"
    try:
        hidden.mkdir(parents=True)
        yield hidden
        folder.mkdir(parents=True, exist_ok=True)
        made = sorted(hidden.iterdir())
        if taken := next((folder / path.name for path in made if (folder / path.name).is_dir()), None):
            raise OutputError("is a folder; move it away", where=str(taken))
        for path in made:
            path.replace(folder / path.name)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
