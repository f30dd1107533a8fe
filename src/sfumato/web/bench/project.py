"""A project: a folder with a schema and a recipe, which the commands read too, so that one can go back and forth between page and shell."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from glob import has_magic
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.commit.locks import held
from sfumato.commit.places import require_folder, require_free
from sfumato.commit.writing import write_text
from sfumato.errors import OutputError, SchemaError, SfumatoError, UsageError, argument
from sfumato.inputs.address import is_address
from sfumato.inputs.files import MB, opened
from sfumato.inputs.shape import Misshapen, shaped
from sfumato.question import Question
from sfumato.recipe import Recipe
from sfumato.table.source import Source
from sfumato.verbs.init import RECIPE, SCHEMA
from sfumato.vocabulary.schema import Schema
from sfumato.vocabulary.toml import LARGEST, schema_text

RELEASES, LOOKED, CHOSEN = "releases", "columns.json", "chosen.json"
FORMATS = {"csv": "release.csv", "parquet": "release.parquet"}
SUFFIX = ".project"
LIMITS = ("memory", "threads", "temp", "loops")  # how a table is read, not what is in it


@dataclass(frozen=True, slots=True)
class Chosen:
    """A node that was chosen to be published: a level for each column, and how it looks, in words."""

    node: dict[str, int]
    words: str

    @property
    def written(self) -> str:
        return f"[{','.join(map(str, self.node.values()))}]"


@dataclass(frozen=True, slots=True)
class Project:
    """The folder. Everything is read from its files when it is needed, so that what the shell changes is seen. `table` is what a project
    that has no files yet will be about."""

    folder: Path
    table: Source | None = None

    @property
    def begun(self) -> bool:
        """Whether it is there: until its table was looked at, nothing is written."""
        return self.recipe_file.is_file()

    @property
    def title(self) -> str:
        """The name of its table; of its folder, if its recipe cannot be read."""
        try:
            return self.source.name if self.begun or self.table is None else self.table.name
        except SfumatoError:
            return self.folder.resolve().name

    @property
    def schema_file(self) -> Path:
        return self.folder / SCHEMA

    @property
    def recipe_file(self) -> Path:
        return self.folder / RECIPE

    @property
    def looked_file(self) -> Path:
        """What was found in each column, for the pages."""
        return self.folder / LOOKED

    @property
    def recipe(self) -> Recipe:
        return Recipe.read(self.recipe_file)

    @property
    def source(self) -> Source:
        return self.recipe.source

    @property
    def schema(self) -> Schema:
        return Schema.read(self.schema_file)

    @property
    def stamp(self) -> tuple[int, int]:
        """Changes when the schema or the recipe does."""
        return self.schema_file.stat().st_mtime_ns, self.recipe_file.stat().st_mtime_ns

    def write_schema(self, schema: Schema, comments: dict[str, str] | None = None) -> None:
        """Another schema in the place of the last one; refuses one that could not be read again."""
        text = schema_text(schema, comments)
        if len(text.encode()) > LARGEST:
            raise SchemaError(f"with this, the schema would be larger than {LARGEST // MB} MB, the most that can be read")
        Schema.parse(text, folder=self.folder)
        with held(self.folder):
            write_text(self.schema_file, text, force=True)

    def ask(self, question: Question, release: str | None = None) -> None:
        """Another question in the recipe and, if it is given, another file name of the release."""
        known = self.recipe
        output = known.output if release is None else replace(known.output, output=self.folder / release)
        made = replace(known, question=question, output=output, result=None)
        with held(self.folder):
            write_text(self.recipe_file, made.text(self.folder.resolve()), force=True)

    @property
    def release_name(self) -> str:
        """The file name of the next release."""
        path = self.recipe.output.path
        return FORMATS["csv"] if path is None else path.name

    @property
    def chosen(self) -> Chosen | None:
        """The node that was chosen to be published; None if none was."""
        try:
            return shaped(json.loads((self.folder / CHOSEN).read_text(encoding="utf-8")), Chosen, CHOSEN)
        except (FileNotFoundError, ValueError, Misshapen):
            return None

    def choose(self, chosen: Chosen) -> None:
        """Keep a node that was chosen to be published."""
        with held(self.folder):
            write_text(self.folder / CHOSEN, json.dumps(asdict(chosen), ensure_ascii=False), force=True)

    def next_release(self) -> Path:
        """The folder of the next release: the first number that is free."""
        taken = {path.name for path in (self.folder / RELEASES).glob("*")}
        number = next(number for number in range(1, len(taken) + 2) if f"{number:03}" not in taken)
        return self.folder / RELEASES / f"{number:03}"


def project_of(data: str | PathLike[str] | None, folder: str | PathLike[str] | None = None, **source: Any) -> Project:
    """The project of a table, or the one in a folder. One that there is not yet begins when its table is looked at.

    Parameters
    ----------
    data : path or address, optional
        The table, or the folder of a project; the folder of this process by default.
    folder : path, optional
        The folder of a project about the table; `NAME.project` by default.
    **source
        The fields of `Source`, for a table that has no project yet.
    """
    if data is None or (not is_address(data) and (Path(data) / RECIPE).is_file()):
        return _existing(Path(data or "."), source)
    place = Path(folder) if folder is not None else Path(Path(str(data)).name.split(".")[0] + SUFFIX)
    if (place / RECIPE).is_file():
        found = _existing(place, source)
        if not is_address(data) and Path(found.source.data).resolve() != Path(data).resolve():
            raise UsageError(f"this project is about another table; {argument('project')} names another folder", where=str(place))
        return found
    _require_place(place)
    return Project(place, _there(Source(data, **source)))


def _existing(folder: Path, source: Mapping[str, Any]) -> Project:
    project = Project(folder)
    if not project.begun or not project.schema_file.is_file():
        raise UsageError(f"no project; 'sfumato open DATA' begins one ({SCHEMA} and {RECIPE})", where=str(folder))
    known, default = project.source, Source(None)
    for name, given in source.items():
        if name not in LIMITS and given not in (getattr(default, name), getattr(known, name)):
            raise UsageError(f"this project is begun; change it in {project.recipe_file}", where=argument(name))
    return project


def _there(source: Source) -> Source:
    """A table that can be opened, as far as that is seen at once."""
    data = source.data
    if not is_address(data) and not Path(data).is_dir() and not has_magic(str(data)):
        with opened(Path(data)):
            pass
    return source


def _require_place(folder: Path) -> None:
    """Refuse, before the work, a folder that cannot be written to."""
    require_folder(folder)
    if folder.is_dir():
        require_free(folder / SCHEMA, force=False)
    nearest = next(each for each in (folder, *folder.absolute().parents) if each.is_dir())
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise OutputError(f"the folder is not writable; {argument('project')} names another one", where=str(nearest))
