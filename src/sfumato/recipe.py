"""A recipe: everything that made a release, as a TOML file that makes it again with one command.

It records what was asked and how it was searched for, where the table and its schema lie (relative to the recipe), their digests, and
what came out. It names no value of a record, but it is the owner's: it says which files hold the original.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from sfumato.commit.writing import write_text
from sfumato.errors import DataError, NotVerified, UsageError, argument, raise_alone
from sfumato.inputs.address import is_address
from sfumato.inputs.files import MB
from sfumato.inputs.shape import Count, Digest, Misshapen, Positive, Whole, require_nothing_more, shaped
from sfumato.inputs.toml import read_toml
from sfumato.question import Question
from sfumato.release import Output, Release
from sfumato.search.algorithms.search import Search, SearchOptions
from sfumato.table import Source, Table
from sfumato.vocabulary.schema import Schema

VERSION = 1
LARGEST = MB
_IT = "recipe"
_HEAD = "# A recipe of sfumato. `sfumato anonymize --recipe FILE` makes the release again.\n"
_PLAN = "# A recipe of sfumato. `sfumato anonymize --recipe FILE` makes the release.\n"
_PATHS = {"source": ("data", "schema"), "question": ("prior", "population"), "output": ("output", "ledger", "mapping")}
# How much memory and how many threads a run takes, where it puts temporary data, and on which cluster it runs changes nothing about its
# release; who signs it is asked each time.
_LEFT_OUT = {"source": ("memory", "threads", "temp", "master", "conf", "loops"), "output": ("force", "sign", "now", "nonce")}


class _Source(TypedDict):
    """A table that a file can name, and how it is read."""

    data: str
    schema: str
    engine: NotRequired[str]
    encoding: NotRequired[str]
    delimiter: NotRequired[str]
    header: NotRequired[bool]
    decimal: NotRequired[str]
    thousands: NotRequired[str]
    dates: NotRequired[str]
    sheet: NotRequired[str]
    table: NotRequired[str]
    query: NotRequired[str]


class _Question(TypedDict, total=False):
    """What is asked of it."""

    models: list[str]
    suppress: str
    quasi: list[str]
    sensitive: list[str]
    prior: str
    population: str
    population_size: Positive
    floor: Mapping[str, Count]
    cells: Positive


class _Output(TypedDict, total=False):
    """Where the release goes."""

    output: str
    seed: Whole
    ledger: str
    mapping: str


class _Result(TypedDict):
    """What came out."""

    table_sha256: Digest
    schema_sha256: Digest
    recoding: str
    node: Mapping[str, Count]
    classes: Count
    people: Count
    sha256: Digest


@dataclass(frozen=True, slots=True)
class Document:
    """A recipe as its file has it."""

    schema_version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    source: _Source
    question: _Question
    search: SearchOptions
    output: _Output
    result: _Result | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """The source, the question, the search and the output of a release, and the `result` they had; none if it was not made yet."""

    source: Source
    question: Question
    search: Search
    output: Output
    result: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, table: Table, question: Question, search: Search, output: Output, release: Release) -> Recipe:
        """The recipe of a release that was just made."""
        certificate = release.certificate
        result = {
            "table_sha256": table.digest(),
            "schema_sha256": certificate.schema_sha256,
            "recoding": certificate.recoding,
            "node": dict(certificate.node),
            "classes": certificate.classes,
            "people": certificate.people,
            "sha256": certificate.sha256,
        }
        return cls(table.source, question, search, output, result)

    @staticmethod
    def require(table: Table, question: Question, search: Search, output: Output) -> None:
        """Refuse, before the work, what a file cannot name, such as a table in memory."""
        for part, value in (("source", table.source), ("question", question), ("search", search), ("output", output)):
            _declared(part, value, Path.cwd())

    def write(self, path: Path, *, force: bool = False) -> None:
        """The recipe as a file."""
        write_text(path, self.text(path.resolve().parent), force=force)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Recipe:
        """A recipe from its file; the files that it names are relative to it."""
        place = Path(path)
        document = read_toml(place, LARGEST, error=DataError)
        try:
            content = shaped(document, Document, _IT)
            require_nothing_more(document, asdict(content), _IT)
        except Misshapen as wrong:
            raise_alone(DataError(f"not a recipe of this version of sfumato: {wrong}", where=str(place)))
        return _read(content, place.resolve().parent)

    def require_same(self, table: Table) -> None:
        """Refuse another table or schema than the one that the recipe is for; a release that was not made yet takes any."""
        if self.result is None:
            return
        if table.declared.digest() != self.result["schema_sha256"]:
            raise NotVerified("the schema is not the one that the recipe was written for: its digest differs", where="recipe")
        if table.digest() != self.result["table_sha256"]:
            raise NotVerified("the table is not the one that the recipe was written for: its digest differs", where="recipe")

    def text(self, folder: Path, why: Sequence[str] = ()) -> str:
        """The recipe as TOML, for a file in a folder; `why` are comments on what is asked."""
        head = _HEAD if self.result is not None else _PLAN
        lines = [head + "".join(f"# {line}\n" for line in why), f"schema_version = {VERSION}"]
        for name in (*_MADE, *(["result"] if self.result is not None else [])):
            lines += [f"\n[{name}]", *_lines(_declared(name, getattr(self, name), folder))]
        return "\n".join(lines) + "\n"


_MADE = {"source": Source, "question": Question, "search": Search, "output": Output}


def _read(content: Document, folder: Path) -> Recipe:
    made: dict[str, Any] = {name: make(**_found(name, getattr(content, name), folder)) for name, make in _MADE.items()}
    return Recipe(**made, result=content.result)


def _declared(part: str, value: Any, folder: Path) -> dict[str, Any]:
    """The fields of a part that differ from their defaults, as a file can name them."""
    if isinstance(value, Mapping):
        return dict(value)
    default = _MADE[part](**({"data": None} if part == "source" else {}))
    declared = {}
    for field in fields(value):
        given = getattr(value, field.name)
        if field.name in _LEFT_OUT.get(part, ()) or field.name.startswith("_") or given is None:
            continue
        if field.name in _PATHS.get(part, ()):
            declared[field.name] = _path(given, field.name, folder)
        elif given != getattr(default, field.name):
            declared[field.name] = _plain(given)
    return declared


def _path(given: Any, name: str, folder: Path) -> str:
    if isinstance(given, Source):
        given = given.data
    if not isinstance(given, str | PathLike) or isinstance(given, Schema):
        raise UsageError("a recipe names files; give the path of a file", where=argument(name))
    return str(given) if is_address(given) else os.path.relpath(Path(given).resolve(), folder)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [str(each) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    return value if isinstance(value, bool | int | str) else str(value)


def _lines(declared: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_toml(value)}" for name, value in declared.items()]


def _toml(value: Any) -> str:
    """A value as TOML; its texts, lists, whole numbers and truth values are spelled like JSON's."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(each)}" for name, each in value.items()) + " }" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def _found(part: str, declared: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The fields of a part with its paths resolved."""
    located = dict(declared)
    for name in _PATHS.get(part, ()):
        if name in located and not is_address(located[name]):
            located[name] = str(folder / located[name])
    return located
