"""`sfumato reproduce` from the outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato_studies import registry, run
from sfumato_studies.comparing import number
from sfumato_studies.exhibit import Contents, Entry
from tests.studies.test_exhibits import DIFFER

Run = Callable[..., Any]


def test_figures_and_summaries_are_written_and_counted(sfumato: Run, tmp_path: Path) -> None:
    ended = sfumato("reproduce", "--only", "thesis-fig-3.4", "--only", "leakage-example-4", "-o", tmp_path / "out")
    assert ended.status == 0
    assert ended.out.rstrip().endswith("13 values: 10 agree, 3 differ (all explained)")
    assert "erratum: the root is missing" in ended.out
    # The name of the file is that of the exhibit, whichever of its names was asked for.
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["leakage-fig-2.svg", "summary.json", "summary.md"]


def test_an_existing_folder_needs_force(sfumato: Run, tmp_path: Path) -> None:
    asked = ("reproduce", "--only", "lecture-entropy", "-o", tmp_path)
    assert sfumato(*asked).status == 0
    again = sfumato(*asked)
    assert (again.status, again.out) == (2, "")
    assert again.err == f"sfumato: {tmp_path}: the folder is not empty; --force replaces files of the same name\n"
    assert sfumato(*asked, "--force").status == 0


def test_a_file_where_a_folder_is_wanted_is_told_as_by_other_commands(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = sfumato("reproduce", "--only", "leakage-fig-1", "-o", tmp_path / "file" / "below")
    assert (ended.status, ended.err) == (2, f"sfumato: {tmp_path / 'file'}: is a file; name a folder\n")


def test_an_unknown_exhibit_is_told_in_one_line(sfumato: Run, tmp_path: Path) -> None:
    ended = sfumato("reproduce", "--only", "thesis-fig-4.2", "-o", tmp_path / "out")
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("sfumato: --only: no exhibit 'thesis-fig-4.2' in the reproduction; did you mean 'thesis-fig-4.")
    assert "negotiation-fig-6" in ended.err
    assert not (tmp_path / "out").exists()


def test_all_exhibits_are_asked_for_by_name_or_by_default(sfumato: Run) -> None:
    everything = sfumato("reproduce", "--list", "--all", "--json").json["exhibits"]
    assert [entry["name"] for entry in everything] == [entry.name for entry in registry.EXHIBITS]
    assert everything == sfumato("reproduce", "--list", "--json").json["exhibits"]


def test_all_exhibits_and_one_of_them_cannot_be_asked_for_together(sfumato: Run, tmp_path: Path) -> None:
    ended = sfumato("reproduce", "--all", "--only", "leakage-fig-1", "-o", tmp_path / "out")
    assert (ended.status, ended.err) == (2, "sfumato: --all: is everything; leave it or --only out\n")
    assert not (tmp_path / "out").exists()


def test_an_unknown_exhibit_is_an_error_for_machines_too(sfumato: Run) -> None:
    ended = sfumato("reproduce", "--only", "figure-1", "--json")
    assert ended.status == 2
    assert ended.json["error"]["code"] == "usage"
    assert ended.json["error"]["where"] == "--only"


def test_json_is_one_object_with_every_value(sfumato: Run, tmp_path: Path) -> None:
    ended = sfumato("reproduce", "--only", "thesis-example-8", "--json")
    assert (ended.status, ended.err) == (0, "")
    record = ended.json
    assert (record["schema_version"], record["values"], record["agree"], record["differ"], record["written"]) == (
        1,
        13,
        11,
        2,
        [],
    )
    values = record["exhibits"][0]["values"]
    wrong = next(each for each in values if each["printed"] == "0.7619")
    assert (wrong["ours"], wrong["agrees"], wrong["agreement"]) == ("0.7169", False, "differs")
    assert wrong["why"].startswith("erratum")
    written = sfumato("reproduce", "--only", "thesis-example-8", "--json", "-o", tmp_path / "out").json["written"]
    assert [Path(path).name for path in written] == ["summary.json", "summary.md"]


def test_a_folder_must_be_named(sfumato: Run) -> None:
    ended = sfumato("reproduce", "--only", "lecture-entropy")
    assert ended.status == 2
    assert "-o out/" in ended.err


def test_the_exhibits_are_listed_without_making_them(sfumato: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Contents:
        raise AssertionError("made")

    entry = Entry("one-fig", ("other-fig",), "a paper", "A title", fail)
    monkeypatch.setattr(registry, "EXHIBITS", (entry,))
    ended = sfumato("reproduce", "--list")
    assert ended.status == 0
    assert all(text in ended.out for text in ("one-fig", "other-fig", "A title"))
    record = sfumato("reproduce", "--list", "--json").json
    assert record["exhibits"] == [{"name": "one-fig", "also": ["other-fig"], "source": "a paper", "title": "A title"}]


@pytest.mark.parametrize(("why", "status"), [("", 1), ("an erratum", 0)])
def test_a_difference_ends_with_1_only_if_nothing_explains_it(
    sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str, status: int
) -> None:
    entry = Entry("one", (), "a paper", "A title", lambda: Contents("Message.", (number("loss", "Ex. 1", "0.5", 0.9, why),)))
    monkeypatch.setattr(run, "chosen", lambda only: (entry,))
    ended = sfumato("reproduce", "-o", tmp_path / "out")
    assert ended.status == status
    assert ("1 without explanation" in ended.out) == (status == 1)
    assert ("no explanation found" in ended.out) == (status == 1)
    assert (tmp_path / "out" / "summary.md").exists()


def test_help_does_not_load_charts_or_solvers() -> None:
    code = (
        "import sys\nfrom sfumato.cli.main import run\nrun(['reproduce', '--help'])\n"
        "sys.exit(any(name in sys.modules for name in ('altair', 'scipy', 'numpy', 'duckdb', 'sfumato_studies.run')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


@pytest.mark.slow
def test_the_whole_reproduction_draws_every_figure_and_nothing_differs_but_what_is_known_and_explained(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("sfumato")), "reproduce", "-o", str(tmp_path / "out"), "--json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env={**os.environ})
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert record["unexplained"] == 0
    values = [(exhibit["name"], value) for exhibit in record["exhibits"] for value in exhibit["values"]]
    assert {(name, value["what"]) for name, value in values if not value["agrees"]} == DIFFER
    assert (record["values"], record["agree"], record["differ"]) == (len(values), len(values) - len(DIFFER), len(DIFFER))
    drawn = {path.stem for path in (tmp_path / "out").glob("*.svg")}
    assert drawn >= {
        *(f"leakage-fig-{each}" for each in (1, 2, 3, 4)),
        *(f"thesis-fig-{each}" for each in ("3.2", "3.3", "4.3", "4.4", "4.5", "4.6", "4.9")),
        *(f"negotiation-fig-{each}" for each in (4, 5, 6)),
        *(f"thesis-fig-5.{each}" for each in (4, 5, 6)),
        *(f"channel-{each}" for each in ("appendix-a", "4.1.1", "4.2", "5.5")),
    }
