"""Where the files of a service lie: in its folder, each thing in a folder with its id. Only the service reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sfumato.web.bench.project import Project

SCHEMA, SPACE, RELEASE = "schema.toml", "space.parquet", "release.csv"
ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class Places:
    """The folder of a service."""

    folder: Path

    def table(self, dataset: str) -> Path:
        """The project folder of a table, with the table that was uploaded."""
        return self.folder / "tables" / dataset

    def project(self, dataset: str) -> Project:
        """The project of a table."""
        return Project(self.table(dataset))

    def original(self, dataset: str) -> Path:
        """The table that was uploaded, in whichever format."""
        return next(self.table(dataset).glob(f"{ORIGINAL}.*"))

    def listing(self, identity: str) -> Path:
        """The schema that was offered, and the explored space."""
        return self.folder / "offers" / identity

    def delivery(self, negotiation: str) -> Path:
        """What the user of a negotiation may fetch when it is delivered."""
        return self.folder / "deliveries" / negotiation

    @property
    def ledger(self) -> Path:
        """Where releases are recorded."""
        return self.folder / "ledger"

    def unplaced(self, text: str) -> str:
        """A text for people, in which files of the service have their names only: where they lie is nobody's business.

        >>> Places(Path("/srv/service")).unplaced("/srv/service/tables/4f2a/original.csv: it is empty")
        'original.csv: it is empty'
        """
        for folder in {str(self.folder), str(self.folder.resolve())}:
            text = re.sub(rf"{re.escape(folder)}/(?:[\w.-]+/)*", "", text)
        return text
