"""The tour shows every command, its lines can be parsed, and a stop that fails or cannot be visited is said to be so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer.main

from sfumato.cli.commands import COMMANDS, application
from sfumato.cli.tour import running, touring
from sfumato.cli.tour.page import page
from sfumato.cli.tour.running import Visited, brought_by, missing, visit
from sfumato.cli.tour.stop import Command, Stop, lines
from sfumato.cli.tour.stops import STOPS
from tests.conftest import Ended
from tests.docs.fences import ROOT

GROUP: Any = typer.main.get_command(application())
ALL = [command for stop in STOPS for command in stop.commands]


def visited(stop: Stop, folder: Path) -> Visited:
    (found,) = visit([stop], folder, lambda step, engine: None)
    return found


def test_every_command_is_in_the_tour() -> None:
    assert {command.words[0] for command in ALL} >= set(COMMANDS) - {"demo"} | {"reproduce"}


@pytest.mark.parametrize("command", ALL, ids=lambda command: command.line[:50])
def test_every_line_of_the_tour_has_arguments_that_its_command_takes(command: Command) -> None:
    GROUP.list_commands(None)
    found, words = GROUP.commands[command.words[0]], command.words[1:]
    if hasattr(found, "commands"):
        found, words = found.commands[words[0]], words[1:]
    context = found.make_context(command.words[0], list(words))
    assert context.params


def test_what_a_stop_shows_is_made_by_its_commands() -> None:
    for stop in STOPS:
        printed = " ".join(command.line for command in stop.commands)
        for name, _ in (*stop.pictures, *stop.pages):
            assert name.split("/")[0] in printed, f"{stop.title}: {name}"


def test_an_extra_is_there_if_all_that_it_brings_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for stop in STOPS:
        assert all(brought_by(extra) for extra in stop.needs), stop.title
        assert missing(stop) is None  # the tests install all of them
    assert brought_by("report") == ["altair", "vl-convert-python"]
    stop = Stop("Draw", "", (), needs=("report", "learn"))
    monkeypatch.setattr(running, "version", lambda name: None if name == "altair" else "1")
    assert missing(stop) == "needs pip install 'sfumato[report]'"


def test_a_line_says_how_its_command_ends() -> None:
    found = lines("""
        verify out.csv
        check a.csv \\
            -m k-anonymity:5  # no
        open a.csv  # serves
    """)
    assert found == (
        Command("verify out.csv"),
        Command("check a.csv -m k-anonymity:5", status=1),
        Command("open a.csv", serves=True),
    )


def test_commands_run_in_the_folder_one_after_the_other_until_one_fails(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,illness\n" + "".join(f"{20 + n % 3},{'ab'[n % 2]}\n" for n in range(12)))
    stop = Stop("Begin", "", lines("profile t.csv -o s.toml\nverify nothing.csv\nmodels"))
    found = visited(stop, tmp_path)
    assert [each.expected for each in found.ran] == [True, False]
    assert found.failed
    assert (tmp_path / "s.toml").is_file()
    shown = page([found], tmp_path)
    assert "wrote s.toml" in shown
    assert "The last command of this stop failed" in shown


def test_an_answer_that_is_no_is_expected_where_the_line_says_so(tmp_path: Path) -> None:
    files = (("t.csv", "age\n20\n30\n"), ("s.toml", '[attributes.age]\nrole = "quasi"\n'))
    stop = Stop("Judge", "", lines("check t.csv -s s.toml -m k-anonymity:2  # no"), files=files)
    assert not visited(stop, tmp_path).failed


@pytest.mark.slow
def test_a_server_is_asked_for_its_page_and_ended(tmp_path: Path) -> None:
    stop = Stop("Open", "", lines("open t.csv --no-browser  # serves"), files=(("t.csv", "age,illness\n20,a\n30,b\n"),))
    (ran,) = visited(stop, tmp_path).ran
    assert ran.expected
    assert "asked for its page: 200" in ran.printed
    assert "ended" in ran.printed


def test_a_stop_that_needs_what_is_not_there_is_left_out_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    found = visited(Stop("Spark", "", lines("models"), programs=("java",)), tmp_path)
    assert (found.left_out, found.ran, found.failed) == ("needs java on this machine", (), False)
    assert "Left out: needs java on this machine." in page([found], tmp_path)


def test_the_page_holds_its_pictures_and_links_what_was_made(tmp_path: Path) -> None:
    shutil.copy(ROOT / "docs" / "figures" / "curse.svg", tmp_path / "metrics.svg")
    (tmp_path / "report.html").write_text("<p>")
    stop = Stop("Show", "", lines("models"), pictures=(("metrics.svg", "A picture"),), pages=(("report.html", "The report"),))
    shown = page([visited(stop, tmp_path)], tmp_path)
    assert 'src="data:image/svg+xml;base64,' in shown
    assert 'alt="A picture"' in shown
    assert '<a href="report.html">The report</a>' in shown
    assert str(tmp_path) not in shown


def test_a_tour_begins_in_a_new_folder(sfumato: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    ended = sfumato("demo", "--all", "-o", tmp_path)
    assert (ended.status, ended.err) == (
        2,
        f"sfumato: {tmp_path}: is not empty; a tour begins in a new folder: name one with --output\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.slow
def test_what_came_of_each_stop_is_printed_for_people_and_for_machines(
    sfumato: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = (
        Stop("List", "", lines("models")),
        Stop("Break", "", lines("verify nothing.csv")),
        Stop("Learn", "", lines("models"), programs=("no-such-program",)),
    )
    monkeypatch.setattr(touring, "STOPS", stops)
    ended = sfumato("demo", "--all", "-o", tmp_path / "one")
    assert ended.status == 1
    first, second, third, *_ = ended.out.splitlines()
    assert first.startswith("✓  1 of 3  List (")
    assert second.startswith("✗  2 of 3  Break: 'sfumato verify nothing.csv' failed (")
    assert third == "–  3 of 3  Learn: left out, needs no-such-program on this machine"
    record = sfumato("demo", "--all", "--json", "-o", tmp_path / "two").json
    assert record["failed"] == 1
    assert [[each["expected"] for each in stop["commands"]] for stop in record["stops"]] == [[True], [False], []]
    assert Path(record["page"]).is_file()
