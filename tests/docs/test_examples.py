"""Every fenced example of the README and the documentation runs and shows what happens."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from sfumato.cli.main import run
from sfumato.losses import LOSSES
from sfumato.models import MODELS
from sfumato.vocabulary.schema import Schema
from tests.docs.fences import PAGES, ROOT, Command, Fence, agrees, commands, fences

# What the examples show without running it: the machinery around the package, what runs until somebody ends it, which
# tests/browser/test_workbench.py and tests/web/service/test_serve.py start, and what needs the files that a service has delivered, which
# test_screenshots.py downloads and verifies.
NOT_RUN = {
    "make test",
    "sfumato open patients.csv",
    "sfumato serve --folder service",
    "sfumato verify release.csv --key owner.pub",
    "sfumato negotiate verify negotiation.json --key owner.pub",
}
# `make demo` sets up and then runs this.
ALIASES = {"make demo": "sfumato demo"}
LANGUAGES = {"console", "python", "toml", "csv", "sh", "text", "{toctree}", "{glossary}", "{eval-rst}", "{include}"}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Reader:
    """Somebody who does what a page says, from top to bottom, in an empty folder."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.names: dict[str, object] = {}
        self.status = 0

    def follow(self, fence: Fence) -> None:
        if fence.file:
            (self.folder / fence.file).write_text(fence.text, encoding="utf-8")
        if fence.language == "console":
            lines = commands(fence.text)
            for command, after in zip(lines, [*lines[1:], None], strict=True):
                self.type(command, fence, status_shown=after is not None and after.line == "echo $?")
        elif fence.language == "python":
            self.evaluate(fence)
        elif fence.language == "toml":
            self.parse(fence)

    def parse(self, fence: Fence) -> None:
        """A schema must be one; stated beliefs are TOML that the commands below read."""
        if "[attributes" in fence.text or "[table]" in fence.text:
            Schema.parse(fence.text, folder=self.folder)
        else:
            assert fence.file, f"{self.page.name}:{fence.line}: neither a schema nor a file that a command reads"
            tomllib.loads(fence.text)

    def type(self, command: Command, fence: Fence, *, status_shown: bool) -> None:
        """Run a line of a console example; a shown error is expected to be one, unless the next line shows the status."""
        if command.line in NOT_RUN:
            return
        printed = self.run(shlex.split(ALIASES.get(command.line, command.line)))
        place = f"{self.page.relative_to(ROOT)}:{fence.line}: $ {command.line}"
        if command.shown.strip() and not agrees(command.shown, printed):
            pytest.fail(f"{place}\n--- shown\n{command.shown}\n--- printed\n{printed}", pytrace=False)
        refused = re.match(r"sfumato: (?!warning: )", command.shown) is not None or '"error"' in command.shown
        if not status_shown and (self.status != 0) != refused:
            pytest.fail(f"{place}: ended with {self.status}\n{printed}", pytrace=False)

    def run(self, words: list[str]) -> str:
        program, *arguments = words
        if program == "cat":
            return "".join((self.folder / name).read_text(encoding="utf-8") for name in arguments)
        if words == ["echo", "$?"]:
            status, self.status = self.status, 0
            return str(status)
        assert program == "sfumato", f"nobody runs this example: {shlex.join(words)}"
        with (self.folder.parent / "printed").open("w+", encoding="utf-8") as printed:
            with redirect_stdout(printed), redirect_stderr(printed):
                self.status = run(arguments)
            printed.seek(0)
            return printed.read()

    def evaluate(self, fence: Fence) -> None:
        example = doctest.DocTestParser().get_doctest(fence.text, self.names, self.page.name, str(self.page), fence.line)
        assert example.examples, f"{self.page.name}:{fence.line}: a Python example is written with >>>"
        output: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
        runner.run(example, out=output.append, clear_globs=False)
        self.names = example.globs
        assert not runner.summarize(verbose=False).failed, "".join(output)


def test_a_page_that_shows_something_else_does_not_agree() -> None:
    printed = "one\ntwo\nthree 4711\n"
    assert agrees("one\ntwo\nthree …\n", printed)
    assert agrees("...\nthree 4711\n", printed)
    assert agrees("one\n...\n", printed)
    assert not agrees("one\ntwo\n", printed)
    assert not agrees("one\n...\nthree 42\n", printed)


@pytest.fixture
def shipped() -> Iterator[None]:
    """What an example registers is gone when its page is read."""
    losses, models = dict(LOSSES), dict(MODELS)
    yield
    LOSSES.clear()
    LOSSES.update(losses)
    MODELS.clear()
    MODELS.update(models)


@pytest.fixture
def reader(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shipped: None) -> Reader:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SFUMATO_LEDGER", str(tmp_path / "sfumato" / "ledger"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    return Reader(request.param, folder)


@pytest.mark.parametrize("reader", PAGES, indirect=True, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_example_of_a_page_shows_what_happens(reader: Reader) -> None:
    for fence in fences(reader.page):
        assert fence.language.partition(" ")[0] in LANGUAGES, f"{reader.page.name}:{fence.line}: what is {fence.language!r}?"
        reader.follow(fence)
