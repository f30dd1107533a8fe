"""What the source of a checkout is made of: rooms, who imports whom, and the figures that the team watches.

Everything is read from the syntax trees of `src/sfumato`; nothing is imported, so that an older checkout can be counted too. A *room*
is a package or module right below `sfumato`. An import counts wherever it stands, in a function or for the type checker too.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

PACKAGE = "sfumato"
MOST_LINES = 400  # of a file, see CONTRIBUTING.md
MOST_PARAMETERS = 8
ENGINE = "duckdb"
Tree = ast.Module
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file; `place` is its path below the package."""

    place: Path
    text: str

    @cached_property
    def tree(self) -> Tree:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        return self.place.parts[0].removesuffix(".py")

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def imports(self, rooms: set[str]) -> Iterator[str]:
        """The other rooms that its import statements name, once per statement."""
        for node in ast.walk(self.tree):
            found = {name.split(".")[1] for name in _imported(node) if name.startswith(f"{PACKAGE}.")}
            yield from found & rooms - {self.room}

    def wide(self, options: set[str]) -> Iterator[tuple[str, int]]:
        """Functions with too many parameters, and how many; those in `options` have one per option of a command."""
        for node in ast.walk(self.tree):
            if isinstance(node, Function) and (count := _parameters(node)) > MOST_PARAMETERS:
                place = f"{self.place.as_posix()}:{node.name}"
                if place not in options:
                    yield place, count

    def names(self, word: str) -> bool:
        """Whether its code says this word: in an import, a name or a text, not in a docstring or comment."""
        ignored = {id(node.value) for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        return any(
            isinstance(value, str) and word in value.lower()
            for node in ast.walk(self.tree)
            if id(node) not in ignored
            for _, value in ast.iter_fields(node)
        )


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _parameters(function: Function) -> int:
    """Without `self` and `cls`."""
    arguments = function.args
    names = [
        each.arg
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        if each
    ]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def sources(folder: Path) -> list[Source]:
    """Every file below a folder, in order."""
    return [Source(path.relative_to(folder), path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))]


def commands(files: list[Source]) -> set[str]:
    """The functions that `cli/main.py` makes commands, `app.command(…)(module.function)`, as places."""
    calls = [
        node for each in files if each.place == Path("cli/main.py") for node in ast.walk(each.tree) if isinstance(node, ast.Call)
    ]
    made = [call.args[0] for call in calls if ast.unparse(call.func).startswith("app.command(") and call.args]
    return {re.sub(r"^(\w+)\.(\w+)$", r"cli/\1.py:\2", ast.unparse(each)) for each in made}


def layers(root: Path) -> list[list[str]]:
    """The layers of the house, from the top, as import-linter checks them; a room in parentheses is not built yet."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(each for each in project["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    return [[room.strip() for room in line.split("|")] for line in contract["layers"]]


def house(root: Path, engine: str = ENGINE) -> dict[str, Any]:
    """The whole count, ready for JSON: layers of built rooms, each room, and what the team watches."""
    files = sources(root / "src" / PACKAGE)
    inside = [each for each in files if each.place.parts[0] != "__init__.py"]
    names = {each.room for each in inside}
    built = [[room for room in layer if room in names] for layer in layers(root)]
    order = [room for layer in built for room in layer]
    if missing := names - set(order):
        raise SystemExit(f"not in the layers of pyproject.toml: {', '.join(sorted(missing))}")
    return {
        "layers": [layer for layer in built if layer],
        "rooms": {room: _room(room, [each for each in inside if each.room == room], order) for room in order},
        "watched": {**_watched(files, engine), "next_door": sum(each.lines for each in sources(root / "studies" / "src"))},
    }


def _room(room: str, files: list[Source], order: list[str]) -> dict[str, Any]:
    used = Counter(name for each in files for name in each.imports(set(order)))
    return {
        "files": len(files),
        "lines": sum(each.lines for each in files),
        "imports": {name: used[name] for name in order if used[name]},
    }


def _watched(files: list[Source], engine: str) -> dict[str, Any]:
    options = commands(files)
    below = Counter(each.place.parts[1] for each in files if each.room == "search" and len(each.place.parts) > 2)
    return {
        "lines": sum(each.lines for each in files),
        "files": len(files),
        "long_files": {each.place.as_posix(): each.lines for each in files if each.lines > MOST_LINES},
        "wide_functions": dict(pair for each in files for pair in each.wide(options)),
        "engine": engine,
        "engine_files": [each.place.as_posix() for each in files if each.names(engine)],
        "search": {"below": dict(below), "beside": sum(each.room == "search" and len(each.place.parts) == 2 for each in files)},
    }
