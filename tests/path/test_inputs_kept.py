"""No command overwrites what it reads, whatever --force says, and under whatever name the input goes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import OutputError
from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
[attributes.age.hierarchy]
builder = "intervals"
widths = [10, 40]
[attributes.town]
role = "quasi"
hierarchy = { file = "TOWNS" }
[attributes.ill]
role = "sensitive"
"""
PEOPLE = "age,town,ill\n" + "".join(f"{20 + n % 40},{'AB'[n % 2]},{'abcd'[n % 4]}\n" for n in range(120))
PRIOR = "[[ill]]\nwhen = {}\nshares = { a = 0.25, b = 0.25, c = 0.25, d = 0.25 }\n"
INPUTS = ("table", "schema", "hierarchy", "prior", "population")


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Path]]:
    """Everything that a command reads, under names with an ending that its output may have."""
    monkeypatch.chdir(tmp_path)

    def make(ending: str) -> dict[str, Path]:
        paths = {name: tmp_path / f"{name}{ending}" for name in INPUTS}
        texts = {
            "table": PEOPLE,
            "schema": SCHEMA.replace("TOWNS", paths["hierarchy"].name),
            "hierarchy": "A;*\nB;*\n",
            "prior": PRIOR,
            "population": PEOPLE * 2,
        }
        for name, path in paths.items():
            text = texts[name]
            path.write_text(text if name != "population" else PEOPLE + PEOPLE.split("\n", 1)[1])
        return paths

    return make


def names_of(path: Path, ending: str) -> Iterator[Path]:
    """A file's name, another spelling, a symbolic and a hard link; for pages and pictures, the first is enough."""
    yield Path(str(path))
    if ending != ".csv":
        return
    yield Path("..") / path.parent.name / path.name
    for link, make in (("symbolic", os.symlink), ("hard", os.link)):
        other = path.with_name(f"{link}-{path.name}")
        make(path, other)
        yield other


def asked(paths: dict[str, Path], *more: object) -> list[object]:
    return [paths["table"], "-s", paths["schema"], *more]


def writing(paths: dict[str, Path], target: Path) -> Iterator[list[object]]:
    """The commands that can write to a target, by its ending."""
    judged = ["--prior", paths["prior"], "--population", paths["population"], "-m", "k-map:2"]
    if target.suffix == ".csv":
        yield ["publish", *asked(paths), "--node", "[1,1]", "-o", target]
        yield ["anonymize", *asked(paths, *judged), "-o", target]
        yield ["anonymize", *asked(paths, *judged), "-o", "fine.csv", "--map", target]
        yield ["anonymize", *asked(paths, *judged), "-o", "fine.csv", "--recipe", target]
        yield ["profile", paths["table"], "-o", target]
    if target.suffix == ".parquet":
        yield ["explore", *asked(paths, *judged), "-o", target]
    if target.suffix == ".html":
        yield ["anonymize", *asked(paths, *judged), "-o", "fine.csv", "--report", target]
        yield ["tradeoff", *asked(paths, *judged), "-o", target]
    if target.suffix == ".svg":
        yield ["dimensions", *asked(paths, *judged), "-o", target]


def reads(command: list[object], path: Path) -> bool:
    """Whether a command reads a file: one that it names, or the hierarchy that its schema names."""
    return any(word is path for word in command) or (path.name.startswith("hierarchy") and "-s" in command)


@pytest.mark.parametrize("ending", [".csv", ".html", ".svg"])
def test_no_input_is_overwritten(sfumato: Run, inputs: Callable[[str], dict[str, Path]], ending: str) -> None:
    paths = inputs(ending)
    before = {path: path.read_bytes() for path in paths.values()}
    tried = 0
    for path in paths.values():
        for name in names_of(path, ending):
            for command in writing(paths, name):
                if not reads(command, path):
                    continue
                ended = sfumato(*command, "--force")
                assert ended.status == 2, (command, ended)
                assert "an input of the same command" in ended.err, (command, ended.err)
                assert {each: each.read_bytes() for each in paths.values()} == before, command
                tried += 1
        for link in path.parent.glob("*-*"):
            link.unlink()
    assert tried >= 4


def test_a_space_is_not_overwritten_by_what_is_made_of_it(sfumato: Run, inputs: Callable[[str], dict[str, Path]]) -> None:
    paths = inputs(".csv")
    assert sfumato("explore", *asked(paths, "-m", "k-anonymity:5"), "-o", "space.parquet").status == 0
    Path("space.parquet").rename("space.svg")
    before = Path("space.svg").read_bytes()
    ended = sfumato("space", "space.svg", "-o", "space.svg", "--force")
    assert (ended.status, Path("space.svg").read_bytes()) == (2, before)
    assert "an input of the same command" in ended.err


def test_hierarchies_are_not_written_over_the_file_that_one_comes_from(
    sfumato: Run, inputs: Callable[[str], dict[str, Path]]
) -> None:
    paths = inputs(".csv")
    paths["hierarchy"].rename("town.csv")
    paths["schema"].write_text(SCHEMA.replace("TOWNS", "town.csv"))
    ended = sfumato("hierarchies", *asked(paths), "-o", ".", "--force")
    assert (ended.status, Path("town.csv").read_text()) == (2, "A;*\nB;*\n")
    assert not Path("age.csv").exists()


def test_a_release_is_not_written_into_the_folder_that_is_the_table(
    inputs: Callable[[str], dict[str, Path]], tmp_path: Path
) -> None:
    paths = inputs(".csv")
    (tmp_path / "parts").mkdir()
    schema = sf.Schema.read(paths["schema"])
    sf.publish(paths["table"], schema, node=[0, 0], output="first.parquet")
    Path("first.parquet").rename("parts/one.parquet")
    with pytest.raises(OutputError, match="the table is this folder"):
        sf.publish("parts", schema, node=[1, 1], output="parts/out.parquet")


def test_a_table_that_was_opened_before_is_an_input_too(inputs: Callable[[str], dict[str, Path]]) -> None:
    paths = inputs(".csv")
    with sf.Table.open(paths["table"], paths["schema"]) as table:
        for path in (paths["table"], paths["schema"], paths["hierarchy"]):
            with pytest.raises(OutputError, match="an input of the same command"):
                sf.publish(table, node=[1, 1], output=path, force=True)


def test_what_one_call_has_read_another_may_replace(inputs: Callable[[str], dict[str, Path]]) -> None:
    paths = inputs(".csv")
    for _ in range(2):
        sf.publish(paths["table"], paths["schema"], node=[1, 1], output="out.csv", force=True)
        assert sf.verify("out.csv").classes == 4


def test_every_verb_that_writes_is_one_call() -> None:
    """So that none forgets: whatever takes `output` keeps its inputs."""
    verbs = [getattr(sf, name) for name in sf.__all__ if callable(getattr(sf, name)) and not inspect.isclass(getattr(sf, name))]
    writers = [verb for verb in verbs if "output" in str(inspect.signature(verb))]
    assert {verb.__name__ for verb in writers} >= {"explore", "hierarchies", "report"}
    for verb in [*writers, sf.publish, sf.anonymize]:
        assert hasattr(verb, "__wrapped__"), verb.__name__


def test_a_report_that_fails_leaves_the_release_and_says_so(
    sfumato: Run, inputs: Callable[[str], dict[str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **more: object) -> None:
        raise OutputError("cannot be written: No space left on device", where="page.html")

    monkeypatch.setattr("sfumato.reporting.writing.write_text", full)
    ended = sfumato("anonymize", *asked(inputs(".csv"), "-m", "k-anonymity:5"), "-o", "out.csv", "--report", "page.html")
    assert (ended.status, ended.err) == (
        2,
        "sfumato: page.html: cannot be written: No space left on device; "
        "what was written before stands: out.csv, out.csv.certificate.json\n",
    )
    assert sf.verify("out.csv").classes > 0


def test_a_recipe_that_fails_leaves_the_release_and_says_so_in_python(
    inputs: Callable[[str], dict[str, Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **more: object) -> None:
        raise OutputError("cannot be written: No space left on device", where="r.toml")

    monkeypatch.setattr("sfumato.recipe.write_text", full)
    paths = inputs(".csv")
    with pytest.raises(OutputError, match=r"what was written before stands: out\.csv, out\.csv\.certificate\.json"):
        sf.anonymize(paths["table"], paths["schema"], models=["k-anonymity:5"], output="out.csv", recipe="r.toml")
