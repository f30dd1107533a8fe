"""The bundled census sample: UCI Adult (Becker and Kohavi 1996, CC BY 4.0), the 30,162 complete records. See README.md here."""

from __future__ import annotations

import shutil
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.release.targets import require_folder
from sfumato.table import Table

_HERE = Path(__file__).parent
FILES = ("adult.parquet", "adult.toml", "hierarchies/education.csv", "hierarchies/native-country.csv", "README.md")


def adult() -> Table:
    """The census sample as an opened table."""
    return Table.open(_HERE / "adult.parquet", _HERE / "adult.toml")


def write_adult(folder: Path, *, force: bool = False) -> list[Path]:
    """Copy the sample, its schema and hierarchies into a folder; nothing that exists is replaced unless `force`."""
    require_folder(folder)
    targets = [folder / name for name in FILES]
    taken = [target for target in targets if target.exists()]
    if taken and not force:
        raise OutputError("exists already; --force replaces it", where=str(taken[0]))
    try:
        (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
        for name, target in zip(FILES, targets, strict=True):
            shutil.copyfile(_HERE / name, target)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    return targets
