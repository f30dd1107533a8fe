"""The bundled census sample: UCI Adult (Becker and Kohavi 1996, CC BY 4.0), the 30,162 complete records. See README.md here.

Also the codes of countries (M49 of the United Nations), which the hierarchies of countries are made of.
"""

from __future__ import annotations

import shutil
from os import PathLike
from pathlib import Path

from sfumato.commit.writing import written_together
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.vocabulary.m49 import code_of

_HERE = Path(__file__).parent
FILES = ("adult.parquet", "adult.toml", "hierarchies/education.csv", "hierarchies/native-country.csv", "README.md")


def adult() -> Table:
    """The census sample as an opened table."""
    return Source(_HERE / "adult.parquet", _HERE / "adult.toml").open()


def write_adult(folder: str | PathLike[str], *, force: bool = False) -> list[Path]:
    """Copy the sample, its schema and hierarchies into a folder.

    Parameters
    ----------
    folder : path
        Where to.
    force : bool
        Replace what exists.

    Returns
    -------
    list of Path
        The files.
    """
    with written_together(Path(folder), FILES, force=force) as hidden:
        for name, place in zip(FILES, hidden, strict=True):
            shutil.copyfile(_HERE / name, place)
    return [Path(folder) / name for name in FILES]


def country_code(country: str) -> str | None:
    """The code of two letters of a country.

    Parameters
    ----------
    country : str
        A code of two or three letters, or a name in English.

    Returns
    -------
    str or None
        None if the country is not known.

    >>> country_code("DEU"), country_code("United States"), country_code("Atlantis")
    ('DE', 'US', None)
    """
    return code_of(country)
