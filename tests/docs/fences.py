"""The fenced examples of a page, and how what they show is compared with what happens."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]
# Written by the build, from the commands (test_complete runs their examples), from the models and from the API's description.
MADE = {ROOT / "docs" / "reference" / f"{name}.md" for name in ("api", "cli", "models")}
PAGES = [page for page in PAGES if page not in MADE]

_FENCE = re.compile(r"^(?P<open> *(?:`{3,}|:{3,}))(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=open) *$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^:(?P<key>[\w-]+): *(?P<value>.*)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """One example: its language, the file that its caption names, its text, and the line where it starts."""

    language: str
    file: str | None
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """A line after `$ `, and what the page shows below it."""

    line: str
    shown: str


def fences(page: Path) -> Iterator[Fence]:
    """The examples of a page in order."""
    source = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(source):
        language, body, options = match["info"].strip(), textwrap.dedent(match["body"]), {}
        if language.startswith("{code-block}"):
            language = language.removeprefix("{code-block}").strip()
            while option := _OPTION.match(body):
                options[option["key"]] = option["value"]
                body = body[option.end() :]
            body = body.removeprefix("\n")
        yield Fence(language, options.get("caption"), body, source.count("\n", 0, match.start()) + 1)


def commands(text: str) -> list[Command]:
    """The commands of a console example."""
    first, *others = re.split(r"^\$ ", text, flags=re.MULTILINE)
    if first.strip() or not others:
        raise ValueError(f"a console example begins with a command: {text!r}")
    return [Command(line.strip(), shown) for line, _, shown in (part.partition("\n") for part in others)]


def agrees(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed. `...` alone on a line stands for any lines, `…` within a line for any text.

    >>> agrees("a\\n...\\nd…f\\n", "a\\nb\\nc\\ndef\\n"), agrees("a\\nb\\n", "a\\nc\\n")
    (True, False)
    """
    pattern = "".join(_line(line.rstrip()) for line in shown.strip("\n").split("\n"))
    output = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").split("\n"))
    return re.fullmatch(pattern, output) is not None


def _line(line: str) -> str:
    if line.strip() in ("...", "…"):
        return r"(?:.*\n)*?"
    return ".*".join(map(re.escape, line.split("…"))) + r"\n"
