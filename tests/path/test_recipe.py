"""A recipe makes a release again with one command, from the same table and schema only."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataError, NotVerified, UsageError
from tests.conftest import Ended

Run = Callable[..., Ended]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def made(sfumato: Run, census: Path) -> Path:
    """The census folder with a release of it and the recipe."""
    ended = sfumato(
        "anonymize", census / "adult.parquet", "-s", census / "adult.toml", "--quasi", "age,education,sex", "-m", "k-anonymity:5",
        "-m", "t-closeness:0.4,equal", "--suppress", "5%", "--seed", "7", "-o", census / "out.parquet",
        "--ledger", census / "ledger", "--recipe", census / "recipe.toml",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    return census


def test_one_command_makes_the_same_file_again(sfumato: Run, made: Path) -> None:
    first = digest(made / "out.parquet")
    ended = sfumato("anonymize", "--recipe", made / "recipe.toml", "--force", "--json")
    assert (ended.status, ended.json["status"]) == (0, "found")
    assert digest(made / "out.parquet") == first
    assert sf.verify(made / "out.parquet").certificate.sha256 == first


def test_the_recipe_says_all_that_was_asked_and_what_came_out(made: Path) -> None:
    recipe = tomllib.loads((made / "recipe.toml").read_text())
    assert recipe["source"] == {"data": "adult.parquet", "schema": "adult.toml"}
    assert recipe["question"]["models"] == ["k-anonymity:5", "t-closeness:0.4,equal"]
    assert (recipe["question"]["suppress"], recipe["question"]["quasi"]) == ("0.05", ["age", "education", "sex"])
    assert (recipe["output"]["output"], recipe["output"]["seed"]) == ("out.parquet", 7)
    assert recipe["result"]["sha256"] == digest(made / "out.parquet")
    assert recipe["result"]["node"] == sf.Certificate.read(made / "out.parquet.certificate.json").node


def test_a_folder_that_moved_still_makes_its_release(sfumato: Run, made: Path, tmp_path: Path) -> None:
    first = digest(made / "out.parquet")
    shutil.move(made, tmp_path / "elsewhere")
    ended = sfumato("anonymize", "--recipe", tmp_path / "elsewhere" / "recipe.toml", "-o", tmp_path / "again.parquet")
    assert (ended.status, digest(tmp_path / "again.parquet")) == (0, first)


def test_python_repeats_what_the_shell_wrote_and_the_other_way_round(sfumato: Run, made: Path) -> None:
    again = sf.anonymize(recipe=made / "recipe.toml", output=made / "python.parquet")
    assert digest(made / "python.parquet") == digest(made / "out.parquet")
    assert again.release.certificate.seed == 7
    sf.anonymize(
        made / "adult.parquet", made / "adult.toml", models="k-anonymity:50", quasi="age", algorithm="mondrian",
        output=made / "local.csv", recipe=made / "local.toml",
    )  # fmt: skip
    first = digest(made / "local.csv")
    assert sfumato("anonymize", "--recipe", made / "local.toml", "--force").status == 0
    assert digest(made / "local.csv") == first


def test_another_table_or_schema_is_refused_and_nothing_is_written(sfumato: Run, made: Path) -> None:
    before = digest(made / "out.parquet")
    frame = pd.read_parquet(made / "adult.parquet")
    frame.iloc[1:].to_parquet(made / "adult.parquet")
    ended = sfumato("anonymize", "--recipe", made / "recipe.toml", "--force")
    assert (ended.status, "the table is not the one" in ended.err) == (1, True)
    frame.to_parquet(made / "adult.parquet")
    schema = (made / "adult.toml").read_text()
    (made / "adult.toml").write_text(schema.replace('role = "sensitive"', 'role = "plain"'))
    with pytest.raises(NotVerified, match="the schema is not the one"):
        sf.anonymize(recipe=made / "recipe.toml", force=True)
    assert digest(made / "out.parquet") == before


def test_a_recipe_that_lies_about_its_node_publishes_nothing(made: Path) -> None:
    text = (made / "recipe.toml").read_text()
    (made / "recipe.toml").write_text(text.replace('"sex" = ', '"sex" = 1'))
    with pytest.raises(NotVerified, match="another recoding than the recipe records"):
        sf.anonymize(recipe=made / "recipe.toml", output=made / "other.parquet")
    assert not (made / "other.parquet").exists()


@pytest.mark.parametrize("text", ["", "schema_version = 2", "[source]\ndata = 1", "not toml ="])
def test_what_is_no_recipe_is_refused_in_one_line(sfumato: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "recipe.toml").write_text(text)
    ended = sfumato("anonymize", "--recipe", tmp_path / "recipe.toml")
    assert (ended.status, ended.err.count("\n"), "not a recipe" in ended.err or "not TOML" in ended.err) == (2, 1, True)
    with pytest.raises(DataError, match="no such file"):
        sf.anonymize(recipe=tmp_path / "none.toml")


def test_what_the_recipe_says_is_not_said_again(sfumato: Run, made: Path) -> None:
    ended = sfumato("anonymize", "--recipe", made / "recipe.toml", "-m", "k-anonymity:2")
    assert (ended.status, "leave --model out" in ended.err) == (2, True)
    ended = sfumato("anonymize")
    assert (ended.status, "name a table" in ended.err) == (2, True)


def test_a_recipe_names_files(made: Path) -> None:
    frame = pd.read_parquet(made / "adult.parquet")
    with pytest.raises(UsageError, match="give the path of a file"):
        sf.anonymize(frame, made / "adult.toml", models="k-anonymity:5", quasi="sex", recipe=made / "memory.toml")
    assert not (made / "memory.toml").exists()


def test_a_recipe_that_names_no_output_needs_one_from_the_shell(sfumato: Run, made: Path) -> None:
    sf.anonymize(made / "adult.parquet", made / "adult.toml", models="k-anonymity:5", quasi="sex", recipe=made / "memory.toml")
    ended = sfumato("anonymize", "--recipe", made / "memory.toml")
    assert (ended.status, "name the file to write" in ended.err) == (2, True)
    assert sfumato("anonymize", "--recipe", made / "memory.toml", "-o", made / "named.csv").status == 0
