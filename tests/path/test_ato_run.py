"""`sfumato ato run` from end to end; killed at any file operation, it goes on and ends with the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.conftest import Ended
from tests.torture.faults import KILLED, Fault, Mode, Server
from tests.torture.scenarios import hidden
from tests.unit.ato.test_running import contents

Run = Callable[..., Ended]
COMMAND = ("ato", "run", "-o", "out", "--rows", "3_000", "--seed", "5", "--grid", "none", "--threads", "1", "--jobs", "1")


def test_a_run_says_what_it_did_and_the_next_one_that_there_is_nothing_to_do(sfumato: Run, tmp_path: Path) -> None:
    arguments = ("ato", "run", "-o", tmp_path / "run", "--rows", "20_000", "--seed", 7, "--grid", "none")
    first = sfumato(*arguments)
    assert (first.status, first.err) == (0, "")
    assert f"wrote {tmp_path / 'run' / 'report.html'}" in first.out
    again = sfumato(*arguments)
    assert (again.status, again.out.count("\n")) == (0, 1)
    assert again.out.startswith("nothing to do: ")
    record = sfumato(*arguments, "--json").json
    assert (record["done"], record["results"]["log"]["events"]) == ([], 20_000)
    assert set(record["seconds"]) == {"log", "features", "reputation", "train", "detect", "timeline", "report"}


def test_bad_input_is_one_line_without_an_address_and_leaves_nothing(sfumato: Run, tmp_path: Path) -> None:
    assert sfumato("ato", "generate", "--rows", "3_000", "-o", tmp_path / "logs").status == 0
    (tmp_path / "bad.txt").write_text("192.0.2.1\nnowhere.example\n", encoding="utf-8")
    ended = sfumato("ato", "run", tmp_path / "logs", "--bad", tmp_path / "bad.txt", "-o", tmp_path / "run")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "line 2" in ended.err
    assert not [word for word in ("192.0.2.1", "nowhere") if word in ended.err]
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("aside"))
    yield made
    made.close()


def struck(server: Server, folder: Path, points: Callable[[Sequence[tuple[str, str]]], Sequence[int]]) -> list[str]:
    """What is wrong after a run that was killed at each of some file operations, and one that went on."""
    (folder / "whole").mkdir()
    whole = server.run(folder / "whole", COMMAND)
    assert whole.status == 0, whole.err
    expected, wrong = contents(folder / "whole"), []
    for at in points(whole.operations):
        place = folder / f"killed-{at}"
        place.mkdir()
        killed = server.run(place, COMMAND, Fault(Mode.KILL, at))
        assert killed.status == KILLED, (at, killed.err)
        ended = server.run(place, COMMAND)
        if (ended.status, contents(place), hidden(place)) != (0, expected, []):
            wrong.append(f"killed at {at}, {whole.operations[at - 1]}: exit {ended.status} {ended.err}")
    return wrong


def records(operations: Sequence[tuple[str, str]]) -> list[int]:
    """Just before the record of each step takes its place: its files are there, and nothing says so."""
    return [at for at, (what, path) in enumerate(operations, start=1) if what == "rename" and "/steps/" in path]


def test_a_run_that_is_killed_before_a_record_goes_on(server: Server, tmp_path: Path) -> None:
    assert struck(server, tmp_path, lambda operations: records(operations)[2:4]) == []


@pytest.mark.slow
def test_a_run_that_is_killed_in_or_after_any_step_goes_on(server: Server, tmp_path: Path) -> None:
    def points(operations: Sequence[tuple[str, str]]) -> list[int]:
        between = records(operations)
        assert len(between) == 7
        # In the middle of a step, before its record, and after it, in turn; `make torture` tries them all.
        return [2, *(at + (-3, 0, 2)[place % 3] for place, at in enumerate(between[:-1])), between[-1] - 3]

    assert struck(server, tmp_path, points) == []


@pytest.mark.torture
def test_a_run_that_is_killed_anywhere_goes_on(
    server: Server, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    tried: list[int] = []

    def points(operations: Sequence[tuple[str, str]]) -> list[int]:
        tried.extend(range(1, len(operations) + 1, 3))
        return tried

    wrong = struck(server, tmp_path, points)
    record_property("tried", ("kill at every third file operation of a run", len(tried), len(wrong)))
    assert wrong == []
