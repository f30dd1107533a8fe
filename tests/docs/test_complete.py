"""Nothing is undocumented: a command, option, key, builder, error or extra that no page tells of fails a test."""

from __future__ import annotations

import dataclasses
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

import sfumato
from sfumato import errors
from sfumato.cli import main
from sfumato.release.certificate import Certificate
from sfumato.vocabulary.kinds import ROLE_SYNONYMS, Kind, Role
from sfumato.vocabulary.schema import Suppressed
from sfumato.vocabulary.toml import ATTRIBUTE_KEYS, BUILDERS, TABLE_KEYS
from tests.docs.fences import PAGES, ROOT, commands, fences

DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "scripts"))
import docs_cli  # noqa: E402  the build of the documentation imports it in the same way

COMMANDS: dict[str, Any] = typer.main.get_command(main.app).commands
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def told(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """What stands below a heading, up to the next one of its rank."""
    marks = title.partition(" ")[0]
    found = re.search(rf"^{re.escape(title)}$\n(.*?)(?=^#{{1,{len(marks)}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no heading {title!r}"
    return found[1]


def rows(text: str) -> set[str]:
    """The first cells of the tables in a text, names without their backticks."""
    return {name for cell in re.findall(r"^\| (.*?) \|", text, re.MULTILINE) for name in re.findall(r"`([^`]*)`", cell)}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_tells_every_option_of_a_command(name: str) -> None:
    found = {words.split()[0] for words in rows(section(docs_cli.reference(), f"## sfumato {name}"))}
    for parameter in COMMANDS[name].params:
        names = [parameter.metavar] if parameter.param_type_name == "argument" else parameter.opts
        assert set(names) <= found
        assert parameter.help, f"{names[0]} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_shown_at_work(name: str) -> None:
    shown = {
        command.line.split()[1]
        for page in PAGES
        for fence in fences(page)
        if fence.language == "console"
        for command in commands(fence.text)
        if command.line.startswith("sfumato ")
    }
    assert name in shown | {"demo"}  # `make demo` in the README is `sfumato demo`


def test_the_example_of_every_command_runs(census: Path, monkeypatch: pytest.MonkeyPatch, sfumato: Callable[..., Any]) -> None:
    monkeypatch.chdir(census)
    Path("patients.csv").write_text("patient_id,age,zip,diagnosis\n1,34,10115,flu\n2,57,10117,asthma\n", encoding="utf-8")
    for name, command in COMMANDS.items():
        program, *arguments = shlex.split(docs_cli.split_help(command.help)[1])
        assert (program, arguments[0]) == ("sfumato", name)
        assert sfumato(*arguments).status == 0, arguments


def test_every_key_of_a_schema_is_documented() -> None:
    page = told("docs/reference/schema.md")
    assert rows(section(page, "## `[table]`")) >= set(TABLE_KEYS)
    assert rows(section(page, "## `[attributes.NAME]`")) >= set(ATTRIBUTE_KEYS)
    for key in (*TABLE_KEYS, *ATTRIBUTE_KEYS):
        assert section(page, f"### `{key}`").strip()


def test_every_choice_of_a_schema_is_documented() -> None:
    page = told("docs/reference/schema.md")
    assert rows(section(page, "### `role`")) == {role.value for role in Role}
    assert all(f"`{synonym}`" in section(page, "### `role`") for synonym in ROLE_SYNONYMS)
    assert rows(section(page, "### `type`")) == {kind.value for kind in Kind}
    assert all(f"`{choice.value}`" in section(page, "### `suppressed`") for choice in Suppressed)


@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_is_documented_with_its_keys_and_an_example(name: str) -> None:
    page, keys = told("docs/reference/schema.md"), set(BUILDERS[name][0])
    below = section(page, f"### `{name}`")
    assert rows(below) == keys
    assert "```toml" in below
    assert name in rows(section(page, "### `hierarchy`"))


def test_every_key_of_a_certificate_is_documented() -> None:
    keys = {field.name for field in dataclasses.fields(Certificate)}
    assert rows(told("docs/reference/certificate.md")) == keys | {"input_sha256", "output"}


def family(parent: type[errors.SfumatoError]) -> Iterator[type[errors.SfumatoError]]:
    for child in parent.__subclasses__():
        yield child
        yield from family(child)


def test_every_error_is_documented_with_its_code() -> None:
    page = told("docs/reference/errors.md")
    for kind in family(errors.SfumatoError):
        assert f"| `{kind.__name__}` | `{kind.code}` |" in page
    for status in (main.BUG, main.INTERRUPTED, *(kind.exit_status for kind in family(errors.SfumatoError))):
        assert f"\n| {status} |" in page


def test_every_public_name_is_documented() -> None:
    page = told("docs/reference/python.md")
    for name in set(sfumato.__all__) - {"__version__"}:
        assert f":: sfumato.{name}" in page, name


def test_the_readme_names_both_commands_and_every_extra() -> None:
    readme = told("README.md")
    assert "make demo" in readme
    assert "make test" in readme
    assert rows(section(readme, "## Install")) == set(PROJECT["project"]["optional-dependencies"])


def test_the_rooms_are_drawn_as_the_linter_checks_them() -> None:
    (contract,) = PROJECT["tool"]["importlinter"]["contracts"]
    assert "```text\n" + "\n".join(contract["layers"]) + "\n```" in told("docs/the-path.md")


def test_every_target_of_make_is_told_to_contributors() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", told("Makefile"), re.MULTILINE)
    assert targets
    for target in set(targets[1].split()) - {"help", "clean"}:
        assert f"`make {target}`" in told("CONTRIBUTING.md"), target


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-n", "-q", "-d", tmp_path / "trees", DOCS, tmp_path / "html"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "html" / "reference" / "cli.html").exists()
