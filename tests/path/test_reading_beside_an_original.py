"""What is said about reading is about the original, where one is given: a release of ours is plain, whatever the table was."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import sfumato as sf
from tests.conftest import Ended

Run = Callable[..., Ended]

SCHEMA = """
[attributes]
"größe" = { role = "quasi", type = "decimal", hierarchy = { builder = "intervals", lower = 140, upper = 220, widths = [10, 40] } }
"straße" = { role = "quasi" }
krankheit = { role = "sensitive" }
"""
READING = ("--encoding", "windows-1252", "--delimiter", ";", "--decimal", ",")


@pytest.fixture
def folder(sfumato: Run, tmp_path: Path) -> Path:
    """An export of an office: Windows-1252, semicolons, decimal commas; and two releases of it."""
    rng = random.Random(1)
    lines = ["größe;straße;krankheit"]
    for _ in range(80):
        size, street, ill = rng.randint(1500, 1999) / 10, rng.choice(["Müllerweg", "Façade"]), rng.choice(["Grippe", "Übelkeit"])
        lines.append(f"{size};{street};{ill}".replace(".", ","))
    (tmp_path / "data.csv").write_bytes("\n".join(lines).encode("windows-1252"))
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    words = (tmp_path / "data.csv", "-s", tmp_path / "schema.toml", *READING)
    published = sfumato("publish", *words, "--node", "[2,0]", "-o", tmp_path / "out.csv")
    sanitized = sfumato("sanitize", *words, "--method", "rank-swap:5%", "--seed", "3", "-o", tmp_path / "swapped.parquet")
    assert (published.status, sanitized.status) == (0, 0)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (("check", "-m", "k-anonymity:2"), ["out.csv"]),
        (("measure",), ["out.csv"]),
        (("report", "-o", "report.html"), ["out.csv"]),
        (("compare",), ["out.csv", "out.csv"]),
        (("attack", "-a", "homogeneity"), ["out.csv"]),
        (("attack", "-a", "homogeneity"), ["swapped.parquet"]),
    ],
)
def test_a_plain_release_is_read_beside_an_original_that_is_not(
    sfumato: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], files: list[str]
) -> None:
    monkeypatch.chdir(folder)
    ended = sfumato(command[0], *files, *command[1:], "-s", "schema.toml", "--original", "data.csv", *READING)
    assert (ended.status, ended.err) == (0, "")


def test_what_is_measured_is_what_a_plain_original_gives(sfumato: Run, folder: Path) -> None:
    plain = (folder / "data.csv").read_text(encoding="windows-1252").replace(",", ".").replace(";", ",")
    (folder / "plain.csv").write_text(plain, encoding="utf-8")
    options = {"encoding": "windows-1252", "delimiter": ";", "decimal": ","}
    one = sf.measure(folder / "out.csv", folder / "schema.toml", original=folder / "data.csv", **options)  # type: ignore[arg-type]
    other = sf.measure(folder / "out.csv", folder / "schema.toml", original=folder / "plain.csv")
    assert one.as_dict()["losses"] == other.as_dict()["losses"]


def test_without_a_file_of_the_original_they_are_about_the_release(folder: Path) -> None:
    """So a release of another tool can be read that is not plain, and an original that is open already needs none."""
    foreign = (folder / "out.csv").read_text(encoding="utf-8").replace(",", "\t").replace('"', "").replace("\t ", ", ")
    (folder / "foreign.csv").write_bytes(foreign.encode("windows-1252"))
    checked = sf.check(
        folder / "foreign.csv", folder / "schema.toml", models="k-anonymity:2", encoding="windows-1252", delimiter="\t"
    )
    with sf.Table.open(folder / "data.csv", folder / "schema.toml", encoding="windows-1252", delimiter=";", decimal=",") as table:
        beside = sf.check(
            folder / "foreign.csv", folder / "schema.toml", models="k-anonymity:2", original=table, encoding="windows-1252"
        )
    assert checked.satisfied is beside.satisfied is True
