"""Names in the source keep to the page of words: what it says we avoid as names of values does not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.docs.fences import ROOT

SOURCE = ROOT / "src" / "sfumato"
AVOIDED = {"told", "gone"}


def defined(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module defines, with its line: values, parameters, functions, classes, imports and attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.alias(asname=str(name)):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield node.lineno, name


def avoided(text: str) -> list[tuple[int, str]]:
    return [(line, name) for line, name in defined(ast.parse(text)) if AVOIDED & set(name.lower().split("_"))]


def test_no_value_has_a_name_that_we_avoid() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, name in avoided(path.read_text(encoding="utf-8"))
    ]
    assert not found, "docs/words.md says what to call them instead:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "told = 1",
        "for _, gone in (): pass",
        "def told(): pass",
        "def _told(): pass",
        "def f(*, told): pass",
        "class Told: pass",
        "a.told = 1",
        "[1 for told in ()]",
        "if (told := 1): pass",
        "import a as told",
        "try: pass\nexcept E as told: pass",
        "match a:\n case [told, *gone]: pass",
        "told_cells = _GONE = 1",
    ],
)
def test_such_a_name_is_found_wherever_it_is_defined(code: str) -> None:
    assert avoided(code)


def test_other_words_and_texts_are_left_alone() -> None:
    assert avoided("polygone = f(told='gone')  # told") == []


def test_the_page_of_words_has_each_of_them() -> None:
    page = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (\w+) \|", page, re.MULTILINE)) >= AVOIDED
