"""What came of publishing a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.searchlog.publishing.private import Privacy


@dataclass(frozen=True, slots=True)
class Published:
    """A published log: the files, and its certificate. `rows` and `people` are those of the log, and for its owner alone; `dropped` says
    why rows are not in the release. `privacy` is None without noise."""

    file: Path
    certificate_file: Path
    owners_file: Path | None
    certificate: Mapping[str, Any]
    rows: int
    people: int
    dropped: Mapping[str, int]
    privacy: Privacy | None

    @property
    def counted(self) -> Mapping[str, int]:
        """What was counted in the written file."""
        return dict(self.certificate["counted"])

    def as_dict(self) -> dict[str, Any]:
        """For machines; what is the owner's alone is under `owner`."""
        files = {"file": self.file, "certificate_file": self.certificate_file, "owners_file": self.owners_file}
        return {
            **{name: None if path is None else str(path) for name, path in files.items()},
            "certificate": dict(self.certificate),
            "owner": {"rows": self.rows, "people": self.people, "dropped": dict(self.dropped)},
        }
