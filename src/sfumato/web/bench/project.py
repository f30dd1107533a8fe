"""A project: a folder with a schema and a recipe, which the commands read too, so that one can go back and forth between page and shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.commit.locks import held
from sfumato.commit.writing import write_text
from sfumato.engines.base import Engine
from sfumato.errors import SchemaError, UsageError, argument
from sfumato.inputs.address import is_address
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Misshapen, shaped
from sfumato.question import Question
from sfumato.recipe import Recipe
from sfumato.table.source import Source
from sfumato.verbs.init import RECIPE, SCHEMA, init
from sfumato.vocabulary.schema import Schema
from sfumato.vocabulary.toml import LARGEST, schema_text

RELEASES, LOOKED, CHOSEN = "releases", "columns.json", "chosen.json"
FORMATS = {"csv": "release.csv", "parquet": "release.parquet"}
SUFFIX = ".project"


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
    """The folder. Everything is read from its files when it is needed, so that what the shell changes is seen."""

    folder: Path

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


def project_of(
    data: str | PathLike[str] | None,
    folder: str | PathLike[str] | None = None,
    watch: Callable[[str, Engine | None], None] = lambda step, engine: None,
    **source: Any,
) -> Project:
    """The project of a table, begun with what its columns look like if there is none; or the one in a folder.

    Parameters
    ----------
    data : path or address, optional
        The table, or the folder of a project; the folder of this process by default.
    folder : path, optional
        The folder of a project about the table; `NAME.project` by default.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **source
        The fields of `Source`, for a table that has no project yet.
    """
    if data is None or (not is_address(data) and (Path(data) / RECIPE).is_file()):
        return _existing(Path(data or "."))
    place = Path(folder) if folder is not None else Path(Path(str(data)).name.split(".")[0] + SUFFIX)
    if (place / RECIPE).is_file():
        found = _existing(place)
        if not is_address(data) and Path(found.source.data).resolve() != Path(data).resolve():
            raise UsageError(f"this project is about another table; {argument('project')} names another folder", where=str(place))
        return found
    init(data, output=place, watch=watch, **source)
    return Project(place)


def _existing(folder: Path) -> Project:
    project = Project(folder)
    if not project.recipe_file.is_file() or not project.schema_file.is_file():
        raise UsageError(f"no project; 'sfumato open DATA' begins one ({SCHEMA} and {RECIPE})", where=str(folder))
    return project
