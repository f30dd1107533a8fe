"""The commands as a new user meets them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

import sfumato as sf
from sfumato.cli import commands
from sfumato.cli.commands import application
from sfumato.cli.words import read_plainly
from sfumato.vocabulary import arx
from tests.conftest import Ended

Run = Callable[..., Ended]
COMMANDS = [
    command.name or command.callback.__name__.replace("_", "-")
    for command in application().registered_commands
    if command.callback
]


def test_help_lists_every_command(sfumato: Run) -> None:
    ended = sfumato("--help")
    assert ended.status == 0
    assert all(f"│ {name}" in ended.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(sfumato: Run, command: str) -> None:
    ended = sfumato(command, "-h")
    assert ended.status == 0
    assert f"Example: sfumato {command}" in ended.out
    assert "--json" in ended.out


def test_help_groups_the_commands_by_purpose(sfumato: Run) -> None:
    output = sfumato("--help").out
    panels = [line.split("─")[1].strip() for line in output.splitlines() if line.startswith("╭")]
    begun = ["Options", "Prepare a table", "Release it", "Judge a release", "Research"]
    assert panels == [*begun, "Negotiate it", "Beyond one table", "Apply it", "From other packages"]
    assert output.index(" profile ") < output.index("Release it") < output.index(" anonymize ") < output.index("Judge a release")


@pytest.mark.parametrize("words", [(), ("anonymize",), ("keys",), ("keys", "new"), ("ledger", "verify")], ids=" ".join)
def test_a_flag_has_no_type_in_the_help(sfumato: Run, words: tuple[str, ...]) -> None:
    output = sfumato(*words, "--help").out
    assert "--help" in output
    assert "<bool>" not in output


@pytest.mark.parametrize(
    ("words", "wanted"), [("sfumato anon", "anonymize"), ("sfumato anonymize --mini", "--minimize"), ("sfumato keys n", "new")]
)
def test_the_shell_completes_words(words: str, wanted: str) -> None:
    script = Path(sys.executable).parent / "sfumato"
    asked = {"_SFUMATO_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    ended = subprocess.run([script], env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == [wanted]


def test_no_command_shows_the_help_and_fails(sfumato: Run) -> None:
    ended = sfumato()
    assert ended.status == 2
    assert "Usage: sfumato" in ended.out


@pytest.mark.parametrize("group", ["keys", "ledger"])
def test_the_first_of_two_words_shows_the_help_and_fails(sfumato: Run, group: str) -> None:
    ended = sfumato(group)
    assert (ended.status, ended.err) == (2, "")
    assert f"Usage: sfumato {group}" in ended.out


def test_the_version_is_the_packages(sfumato: Run) -> None:
    assert sfumato("--version").out == f"sfumato {sf.__version__}\n"


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys\nfrom sfumato.cli.main import run\nrun(['--help'])\n"
        "print([name for name in ('duckdb', 'pyarrow', 'numpy', 'pandas', 'polars') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("[]\n")


def test_a_command_loads_no_other() -> None:
    code = (
        "import sys\nfrom sfumato.cli.main import run\nfrom sfumato.cli.commands import COMMANDS\nrun(['verify', 'nothing.csv'])\n"
        "print({module for _, module, _ in COMMANDS.values() if 'sfumato.cli.' + module in sys.modules})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("{'judge.verify'}\n")


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_a_command_by_itself_is_the_one_among_all(name: str) -> None:
    alone, every = (get_command(application(words)).commands for words in ([name], []))  # type: ignore[attr-defined]
    assert list(alone) == [name]
    assert [each.opts for each in alone[name].params] == [each.opts for each in every[name].params]


def test_what_must_be_done_at_the_end_is_done() -> None:
    code = "import atexit\nfrom sfumato.cli.entry import main\natexit.register(print, 'the end')\nmain()"
    ended = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout == f"sfumato {sf.__version__}\nthe end\n"


@pytest.mark.parametrize("k", [2, 9], ids=["found", "infeasible"])
def test_a_small_search_from_the_shell_does_not_load_the_compiled_loops(tmp_path: Path, k: int) -> None:
    (tmp_path / "t.csv").write_text("age,illness\n" + "".join(f"{20 + n % 3},{'ab'[n % 2]}\n" for n in range(8)))
    (tmp_path / "t.toml").write_text('[attributes.age]\nrole = "quasi"\n[attributes.illness]\nrole = "sensitive"\n')
    asked = ["anonymize", "t.csv", "-s", "t.toml", "-m", f"k-anonymity:{k}", "-o", "out.csv"]
    code = f"import sys\nfrom sfumato.cli.main import run\nstatus = run({asked})\nprint(status, 'numba' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ended.stdout.endswith(f"{int(k > 8)} False\n")


def test_a_release_from_the_shell_loads_neither_validators_nor_documented_kernels(tmp_path: Path) -> None:
    """Together they take longer than the search."""
    (tmp_path / "t.csv").write_text("age,illness\n" + "".join(f"{20 + n % 3},{'ab'[n % 2]}\n" for n in range(8)))
    (tmp_path / "t.toml").write_text('[attributes.age]\nrole = "quasi"\n[attributes.illness]\nrole = "sensitive"\n')
    asked = ["anonymize", "t.csv", "-s", "t.toml", "-m", "k-anonymity:2", "-o", "out.csv"]
    code = (
        f"import sys\nfrom sfumato.cli.main import run\nstatus = run({asked})\n"
        "print(status, [name for name in ('pydantic', 'pyarrow.compute') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ended.stdout.endswith("0 []\n")


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_words_are_read_as_typer_reads_them(name: str) -> None:
    """Plainly or by its validators: the same values of the same types, and the same words are refused."""
    command = get_command(application([name])).commands[name]  # type: ignore[attr-defined]
    for each in [one for leaf in getattr(command, "commands", {"": command}).values() for one in leaf.params]:
        context = typer.Context(command)
        for word in (None, "x", "a/b c", "7", "-1", ""):
            value = (word,) if each.multiple and word is not None else word
            plain, converted = (_read(process, context, value) for process in (read_plainly([copy(each)])[0], each))
            assert (type(plain), plain) == (type(converted), converted), each.name


def _read(parameter: Any, context: Any, value: Any) -> Any:
    try:
        return parameter.process_value(context, value)
    except typer.TyperException as error:
        return f"refused: {error.format_message()}"


def test_publishing_loads_neither_pandas_nor_polars(census: Path) -> None:
    words = [
        "publish",
        census / "adult.parquet",
        "-s",
        census / "adult.toml",
        "--node",
        "[2,1,3,2,2,1,1]",
        "-o",
        census / "out.csv",
    ]
    code = (
        f"import sys\nfrom sfumato.cli.main import run\nrun({[str(word) for word in words]!r})\n"
        "print([name for name in ('pandas', 'polars') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("[]\n")


def test_a_closed_pipe_is_no_error(census: Path) -> None:
    script = f"{sys.executable} -c 'from sfumato.cli.main import main; main()' hierarchies {census}/adult.parquet -s {census}/adult.toml"
    ended = subprocess.run(["bash", "-c", f"set -o pipefail; {script} | true"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_profile_writes_a_schema_that_publish_takes(sfumato: Run, tmp_path: Path) -> None:
    chance = random.Random(1)
    values = (range(20, 80), range(10000, 10090), "mf", ("flu", "cold", "gout"))
    rows = "".join(f"P{number},{','.join(str(chance.choice(each)) for each in values)}\n" for number in range(3000))
    (tmp_path / "patients.csv").write_text("patient_id,age,zip,sex,diagnosis\n" + rows)
    ended = sfumato("profile", tmp_path / "patients.csv", "-o", tmp_path / "schema.toml")
    assert ended.status == 0
    assert "read every line of it" in ended.out
    schema = sf.Schema.read(tmp_path / "schema.toml")
    roles = {attribute.name: attribute.role.value for attribute in schema.attributes}
    assert roles == {"patient_id": "identifier", "age": "quasi", "zip": "quasi", "sex": "quasi", "diagnosis": "sensitive"}
    node = ",".join(f"{name}={schema[name].height()}" for name in schema.quasi)
    where = ["-s", tmp_path / "schema.toml", "--node", node, "-o", tmp_path / "out.csv"]
    assert sfumato("publish", tmp_path / "patients.csv", *where).status == 0
    assert sfumato("profile", tmp_path / "patients.csv", "-o", tmp_path / "schema.toml").status == 2


def test_profile_for_machines(sfumato: Run, census: Path) -> None:
    ended = sfumato("profile", census / "adult.parquet", "--json")
    found = {entry["name"]: entry for entry in ended.json["attributes"]}
    assert ended.json["rows"] == 30162
    assert (found["occupation"]["role"], found["age"]["role"], found["age"]["type"]) == ("sensitive", "quasi", "integer")
    assert found["sex"]["distinct"] == 2
    assert "-o schema.toml writes this" in sfumato("profile", census / "adult.parquet").out


def test_profile_of_a_header_only(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("a,b\n")
    ended = sfumato("profile", tmp_path / "empty.csv")
    assert (ended.status, ended.err) == (2, f"sfumato: {tmp_path / 'empty.csv'}: no row of data below the header\n")


def test_hierarchies_are_shown_and_written_in_arx_format(sfumato: Run, census: Path, tmp_path: Path) -> None:
    where = [census / "adult.parquet", "-s", census / "adult.toml"]
    ended = sfumato("hierarchies", *where, "-o", tmp_path / "levels")
    assert ended.status == 0
    assert "wrote 7 files" in ended.out
    paths = arx.read_paths(tmp_path / "levels" / "age.csv")
    assert ("39", "[35, 40)", "[25, 50)", "[0, 50)", "*") in paths
    assert sfumato("hierarchies", *where, "-o", tmp_path / "levels").status == 2
    record = sfumato("hierarchies", *where, "--quasi", "age,sex", "--json").json
    assert record["hierarchies"] == {"age": [101, 20, 4, 2, 1], "sex": [2, 1]}


def test_a_hierarchy_written_by_the_command_can_be_declared(sfumato: Run, census: Path, tmp_path: Path) -> None:
    sfumato("hierarchies", census / "adult.parquet", "-s", census / "adult.toml", "-o", census / "levels")
    text = (census / "adult.toml").read_text()
    inline = 'hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [5, 25, 50] }'
    (census / "other.toml").write_text(text.replace(inline, 'hierarchy = { file = "levels/age.csv" }'))
    with (
        sf.Table.open(census / "adult.parquet", census / "adult.toml") as one,
        sf.Table.open(census / "adult.parquet", census / "other.toml") as other,
    ):
        assert one.count().same_as(other.count())
