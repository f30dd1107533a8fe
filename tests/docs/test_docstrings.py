"""Every parameter of every public function, and of the values that requests consist of, is documented in the NumPy style."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import sfumato as sf
from tests.docs.fences import ROOT

PAGE = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


def named(path: str) -> Any:
    """A public name by its path."""
    first, *rest = path.split(".")
    value, home = import_module(first), first
    for part in rest:
        home = f"{home}.{part}"
        value = getattr(value, part) if hasattr(value, part) else import_module(home)
    return value


FUNCTIONS = {path: named(path) for path in re.findall(r"autofunction:: (\S+)", PAGE)}
METHODS = {f"Schema.{name}": getattr(sf.Schema, name) for name in ("read", "parse", "of", "with_role", "with_hierarchy")} | {
    "PolicySpace.plot": sf.PolicySpace.plot
}
VALUES = {kind.__name__: kind for kind in (sf.Source, sf.Question, sf.Search, sf.Output, sf.Bounds, sf.attacks.Holdings)}


def documented(function: Callable[..., Any]) -> list[str]:
    """The parameters that a docstring lists."""
    text = inspect.getdoc(function) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^(\*{0,2}\w[\w, ]*)(?: : .*)?\n    \S", section[1] if section else "", re.MULTILINE)
    return [name.strip() for line in lines for name in line.split(",")]


def parameters(function: Callable[..., Any]) -> list[str]:
    marks = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    found = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    return [marks.get(each.kind, "") + each.name for each in found if not each.name.startswith("_")]


def test_all_public_functions_are_looked_at() -> None:
    functions = [name for name in sf.__all__ if inspect.isfunction(getattr(sf, name))]
    assert {f"sfumato.{name}" for name in functions} <= set(FUNCTIONS)
    assert len(FUNCTIONS) > 30


@pytest.mark.parametrize("path", [*FUNCTIONS, *VALUES])
def test_every_parameter_is_documented(path: str) -> None:
    function = (FUNCTIONS | VALUES)[path]
    assert documented(function) == parameters(function)


@pytest.mark.parametrize("path", METHODS)
def test_every_parameter_of_a_method_is_documented(path: str) -> None:
    given = [name for name in parameters(METHODS[path]) if name != "**named"]
    assert set(given) <= set(documented(METHODS[path]))


def test_schema_of_documents_what_it_passes_on() -> None:
    from sfumato.verbs.describe import describe

    assert documented(sf.Schema.of) == parameters(describe)


def test_a_parameter_that_is_not_documented_is_found() -> None:
    def function(one: int, two: int) -> None:
        """Do it.

        Parameters
        ----------
        one : int
            The first.
        """

    assert documented(function) == ["one"]
    assert parameters(function) == ["one", "two"]
