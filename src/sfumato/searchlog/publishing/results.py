"""What came of publishing a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.release.budget import Spent
from sfumato.searchlog.publishing.certificate import LogCertificate
from sfumato.searchlog.publishing.private import Privacy


@dataclass(frozen=True, slots=True)
class Published:
    """A published log: the files, its certificate, and the entry of the owner's ledger. For the owner alone are the `rows` and `people` of
    the log, what was counted of people in the file (`of_people`), and why rows are not in the release (`dropped`). Without noise `privacy`
    is None, and so is `spent`, what the private releases of this log in the ledger have spent together."""

    file: Path
    certificate_file: Path
    owners_file: Path | None
    certificate: LogCertificate
    ledger: Path
    rows: int
    people: int
    dropped: Mapping[str, int]
    of_people: Mapping[str, int]
    privacy: Privacy | None
    spent: Spent | None

    @property
    def counted(self) -> Mapping[str, int]:
        """What was counted in the written file, of people, too."""
        return {**self.certificate.counted, **self.of_people}

    def as_dict(self) -> dict[str, Any]:
        """For machines; what is the owner's alone is under `owner`."""
        files = {"file": self.file, "certificate_file": self.certificate_file, "owners_file": self.owners_file}
        return {
            **{name: None if path is None else str(path) for name, path in files.items()},
            "certificate": self.certificate.as_dict(),
            "ledger": str(self.ledger),
            "budget": None if self.spent is None else asdict(self.spent),
            "owner": {"rows": self.rows, "people": self.people, "dropped": dict(self.dropped), "of_people": dict(self.of_people)},
        }
