"""Make exhibits, count the values that agree, and write every figure, a summary to read and one for machines.

The rule: a folder gets all files or none, and existing files are replaced only on request.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.commit.places import require_folder
from sfumato.commit.writing import written_together
from sfumato.errors import OutputError, argument, several
from sfumato.progress import Progress
from sfumato.reporting.charts import chart_image
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
    figures = {
        f"{exhibit.name}{ending}": exhibit.chart
        for exhibit in result.exhibits
        for ending in ((".svg", ".png")[: 1 + png] if exhibit.chart else ())
    }
    texts = {
        "summary.md": summary(result.exhibits, result.counts()),
        "summary.json": json.dumps(result.as_dict(), indent=2, ensure_ascii=False) + "\n",
    }
    names = (*figures, *texts)
    with written_together(folder, names, force=force) as places:
        for name, place in zip(names, places, strict=True):
            place.write_bytes(texts[name].encode() if name in texts else chart_image(figures[name] or {}, place.suffix))
    return [folder / name for name in sorted(names)]
