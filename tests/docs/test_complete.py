"""Nothing is undocumented: a command, option, key, builder, model, loss, error or extra that no page tells of fails a test."""

from __future__ import annotations

import dataclasses
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import sfumato
from sfumato import errors
from sfumato.cli import main
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.models import MECHANISM_MODELS, MODELS
from sfumato.models.register import parameters_of
from sfumato.release.certificate import Certificate
from sfumato.release.chain import SHAPES
from sfumato.signing.signatures import Signature
from sfumato.vocabulary.kinds import ROLE_SYNONYMS, Kind, Role
from sfumato.vocabulary.schema import Suppressed
from sfumato.vocabulary.toml import ATTRIBUTE_KEYS, BUILDERS, SOURCE_KEYS, TABLE_KEYS
from tests.docs.fences import PAGES, ROOT, commands, fences

DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "scripts"))
import docs_api  # noqa: E402  the build of the documentation imports them in the same way
import docs_cli  # noqa: E402
import docs_models  # noqa: E402

COMMANDS: dict[str, Any] = docs_cli.commands()
# A record of an audit log, for the example of `ato import`.
SIGN_IN = (
    '{"Id": "1", "CreationTime": "2026-03-02T08:00:00", "Operation": "UserLoggedIn", "UserId": "ann@a.example", '
    '"OrganizationId": "a", "ClientIP": "192.0.2.7"}\n'
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text_of(page: str) -> str:
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
        command.line.removeprefix("sfumato ")
        for page in PAGES
        for fence in fences(page)
        if fence.language == "console"
        for command in commands(fence.text)
        if command.line.startswith("sfumato ")
    }
    assert any(f"{line} ".startswith(f"{name} ") for line in shown | {"demo"})  # `make demo` in the README is `sfumato demo`


SMALL = """
[attributes.sex]
role = "quasi"
values = ["f", "m"]
[attributes.ill]
role = "sensitive"
values = ["flu", "hiv"]
"""


def _negotiated(name: str, sfumato: Callable[..., Any]) -> None:
    """The record of a negotiation as the example of a command finds it."""
    states = {"answer": [], "reject": ["answer"], "accept": ["answer"], "relax": ["answer"], "terminate": ["answer"]}
    states |= {"deliver": ["answer", "accept"], "show": ["answer"], "verify": ["answer"]}
    move = name.removeprefix("negotiate ")
    if name == move or move not in states:
        return
    pattern = "age,sex" if move == "relax" else "sex > workclass > age"
    asked = ("negotiate", "request", "census.json", "--pattern", pattern, "--key", "ann.key", "-o", "record.json", "--force")
    assert sfumato(*asked).status == 0
    for each in states[move]:
        key = "office.key" if each == "answer" else "ann.key"
        assert sfumato("negotiate", each, "record.json", "--key", key).status == 0


def test_the_example_of_every_command_runs(census: Path, monkeypatch: pytest.MonkeyPatch, sfumato: Callable[..., Any]) -> None:
    monkeypatch.chdir(census)
    Path("patients.csv").write_text("patient_id,age,zip,diagnosis\n1,34,10115,flu\n2,57,10117,asthma\n", encoding="utf-8")
    Path("audit.jsonl").write_text(SIGN_IN, encoding="utf-8")
    Path("answers.csv").write_text("asked,yes,no\nill,3/4,1/4\nwell,1/4,3/4\n", encoding="utf-8")
    Path("merged.csv").write_text("asked,any\nill,1\nwell,1\n", encoding="utf-8")
    Path("losses.csv").write_text("count,0,1\n0,0,1\n1,1,0\n", encoding="utf-8")
    Path("small.toml").write_text(SMALL, encoding="utf-8")
    Path("searches.csv").write_text("User ID,Query,Time\nu1,mail,2026-03-02 08:00\n", encoding="utf-8")
    assert sfumato("keys", "new", "reviewer").status == 0  # somebody else's, who countersigns
    assert sfumato("keys", "new", "ann").status == 0
    explored = ("adult.parquet", "-s", "adult.toml", "--quasi", "age,sex,workclass", "-o", "explored.parquet")
    assert sfumato("explore", *explored).status == 0
    for name, command in COMMANDS.items():
        if name in ("open", "serve"):  # they run until somebody ends them: tests/browser and tests/web/service start them
            continue
        _negotiated(name, sfumato)
        program, *arguments = shlex.split(docs_cli.split_help(command.help)[1])
        assert (program, arguments[: name.count(" ") + 1]) == ("sfumato", name.split())
        # The example of `check` shows a violation: an answer that is "no" is a result.
        assert sfumato(*arguments).status == (1 if name == "check" else 0), arguments


def test_every_key_of_a_schema_is_documented() -> None:
    page = text_of("docs/reference/schema.md")
    assert rows(section(page, "## `[source]`")) == set(SOURCE_KEYS)
    assert rows(section(page, "## `[table]`")) >= set(TABLE_KEYS)
    assert rows(section(page, "## `[attributes.NAME]`")) >= set(ATTRIBUTE_KEYS)
    for key in (*TABLE_KEYS, *ATTRIBUTE_KEYS):
        assert section(page, f"### `{key}`").strip()


def test_every_choice_of_a_schema_is_documented() -> None:
    page = text_of("docs/reference/schema.md")
    assert rows(section(page, "### `role`")) == {role.value for role in Role}
    assert all(f"`{synonym}`" in section(page, "### `role`") for synonym in ROLE_SYNONYMS)
    assert rows(section(page, "### `type`")) == {kind.value for kind in Kind}
    assert all(f"`{choice.value}`" in section(page, "### `suppressed`") for choice in Suppressed)


@pytest.mark.parametrize("name", BUILDERS)
def test_every_builder_is_documented_with_its_keys_and_an_example(name: str) -> None:
    page, keys = text_of("docs/reference/schema.md"), set(BUILDERS[name][0])
    below = section(page, f"### `{name}`")
    assert rows(below) == keys
    assert "```toml" in below
    assert name in rows(section(page, "### `hierarchy`"))


def words(text: str) -> str:
    """A text without the marks of emphasis and without its line breaks."""
    return " ".join(text.replace("**", "").split())


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_documented_as_it_says_of_itself(name: str) -> None:
    model, below = MODELS[name], section(docs_models.reference(), f"## {name}")
    assert f"| written | `{name}:{parameters_of(model)}` |" in below
    stops = [letter for letter in model.stops.split(",") if letter]
    assert all(f"{letter} ({docs_models.ATTACKS[letter].partition(':')[0]})" in below for letter in stops)
    assert f"| monotone | {'yes' if model.monotone else 'no'};" in below
    assert words(docs_models.about(model)) in words(below)


@pytest.mark.parametrize("name", MECHANISM_MODELS)
def test_every_model_of_mechanisms_is_documented_as_it_says_of_itself(name: str) -> None:
    model, below = MECHANISM_MODELS[name], section(docs_models.reference(), f"## {name}")
    assert f"| written | `{name}:{parameters_of(model)}` |" in below
    assert all(f"{letter} ({docs_models.ATTACKS[letter].partition(':')[0]})" in below for letter in model.stops.split(","))
    assert f"| needs | {model.needs} |" in below
    assert words(docs_models.about(model)) in words(below)
    assert all(part in docs_models.about(model) for part in ("Blind to: ", "Example: "))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_says_whether_it_is_monotone_and_shows_an_example(name: str) -> None:
    about = docs_models.about(MODELS[name])
    assert re.search(r"\bMonotone\b" if MODELS[name].monotone else r"\bNot monotone\b", about)
    assert "Example: " in about
    assert MODELS[name].stops == "" or "Blind to: " in about  # a bound on utility stops nothing


@pytest.mark.parametrize("name", [*LOSSES, *INFORMATION])
def test_every_loss_is_documented_with_what_it_sees(name: str) -> None:
    page = text_of("docs/reference/losses.md")
    below = section(page, f"### `{name}`")
    assert all(f"**{word}**" in below for word in ("Sees", "Does not see", "Source"))
    assert re.search(rf"^\| \[`{name}`\]\(#{name}\) \|", page, re.MULTILINE)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_told_to_be_monotone_as_the_register_says(name: str) -> None:
    page, monotone = text_of("docs/reference/losses.md"), LOSSES[name].monotone
    row = re.search(rf"^\| \[`{name}`\].*\| (yes|no) \|$", page, re.MULTILINE)
    assert row
    assert row[1] == ("yes" if monotone else "no")
    assert ("**Monotone**" if monotone else "**Not monotone**") in section(page, f"### `{name}`")


def test_no_loss_is_documented_that_does_not_exist() -> None:
    headings = set(re.findall(r"^### `(.*)`$", text_of("docs/reference/losses.md"), re.MULTILINE))
    assert headings == {*LOSSES, *INFORMATION}


def test_every_key_of_a_certificate_is_documented() -> None:
    keys = {field.name for field in dataclasses.fields(Certificate)} | {"digest"}
    page = text_of("docs/reference/certificate.md")
    assert rows(page.partition("\n## ")[0]) == keys
    assert rows(section(page, "## Signatures")) == {field.name for field in dataclasses.fields(Signature)}
    assert rows(section(page, "## The ledger")) == {key for shape in SHAPES.values() for key in get_type_hints(shape)}


def family(parent: type[errors.SfumatoError]) -> Iterator[type[errors.SfumatoError]]:
    for child in parent.__subclasses__():
        yield child
        yield from family(child)


def test_every_error_is_documented_with_its_code() -> None:
    page = text_of("docs/reference/errors.md")
    for kind in family(errors.SfumatoError):
        assert f"| `{kind.__name__}` | `{kind.code}` |" in page
    for status in (main.BUG, main.INTERRUPTED, *(kind.exit_status for kind in family(errors.SfumatoError))):
        assert f"\n| {status} |" in page


def test_every_public_name_is_documented() -> None:
    page = text_of("docs/reference/python.md")
    for name in set(sfumato.__all__) - {"__version__"}:
        assert f":: sfumato.{name}" in page, name


def test_the_readme_names_both_commands_and_every_extra() -> None:
    readme = text_of("README.md")
    assert "make demo" in readme
    assert "make test" in readme
    assert rows(section(readme, "## Install")) == set(PROJECT["project"]["optional-dependencies"])


def test_the_rooms_are_drawn_as_the_linter_checks_them() -> None:
    contract = next(each for each in PROJECT["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    assert "```text\n" + "\n".join(contract["layers"]) + "\n```" in text_of("docs/the-path.md")


def test_what_applications_may_import_is_documented_and_everything_else_is_forbidden() -> None:
    contract = PROJECT["tool"]["importlinter"]["contracts"][-1]
    documented = rows(section(text_of("docs/the-path.md"), "### What applications are built on"))
    kit = {name for name in documented if "." in name}
    assert {f"sfumato.applications.** -> sfumato.{name}" for name in kit} == set(contract["ignore_imports"])
    rooms = {path.stem for path in Path(sfumato.__file__).parent.glob("[!_]*") if path.is_dir() or path.suffix == ".py"}
    forbidden = {name.removeprefix("sfumato.") for name in contract["forbidden_modules"]}
    above = {"cli", "web", "applications"}  # the house forbids these
    assert (documented - kit) | forbidden == (rooms - above) | {"_version"}
    assert not (documented - kit) & forbidden


def test_every_target_of_make_is_told_to_contributors() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", text_of("Makefile"), re.MULTILINE)
    assert targets
    for target in set(targets[1].split()) - {"help", "clean"}:
        assert f"`make {target}`" in text_of("CONTRIBUTING.md"), target


def test_the_reference_of_the_api_has_every_operation_and_object_of_its_description() -> None:
    page, document = docs_api.reference(), docs_api.described()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            below = section(page, f"### {method.upper()} {path}")
            assert operation["description"] in below
            assert {each["name"] for each in operation.get("parameters", ())} <= rows(below)
    for name, schema in document["components"]["schemas"].items():
        assert rows(section(page, f"### {name}")) == set(schema.get("properties", {}))
    assert set(docs_api.TAGS) == {tag for each in document["paths"].values() for one in each.values() for tag in one["tags"]}


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
    assert (tmp_path / "html" / "reference" / "models.html").exists()
