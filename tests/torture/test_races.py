"""Two runs that write to one place at the same time: one wins, and what it wrote is whole."""

from __future__ import annotations

import csv
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

import sfumato as sf
from tests.torture.faults import Ended, Server
from tests.torture.scenarios import PEOPLE, SCHEMA, TABLE, hidden, one_line, whole

NODES = ("[1,1]", "[2,0]")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Server]]:
    made = [Server(tmp_path_factory.mktemp("aside")) for _ in range(2)]
    yield made
    for each in made:
        each.close()


def publish(node: str, name: str = "r.csv", *more: str) -> tuple[str, ...]:
    return ("publish", *TABLE, "--node", node, "-o", f"out/{name}", "--map", "out/m.csv", *more)


def race(servers: Sequence[Server], folder: Path, commands: Sequence[Sequence[str]]) -> list[Ended]:
    """Both commands at once in a fresh folder."""
    ended: dict[int, Ended] = {}
    start = threading.Barrier(len(commands))

    def run(number: int) -> None:
        start.wait()
        ended[number] = servers[number].run(folder, commands[number])

    threads = [threading.Thread(target=run, args=[number]) for number in range(len(commands))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return [ended[number] for number in range(len(commands))]


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "out").mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "people.toml").write_text(SCHEMA)
    return folder


def entries(folder: Path) -> int:
    return sf.ledger.verify(folder / "ledger").entries


def one_wins(servers: Sequence[Server], folder: Path) -> str | None:
    """Without --force: the other is refused, and takes nothing of the winner's away."""
    ended = race(servers, fresh(folder), [publish(node) for node in NODES])
    if sorted(each.status for each in ended) != [0, 2]:
        return f"exits {[each.status for each in ended]}: {[each.err for each in ended]}"
    loser = next(each for each in ended if each.status)
    if not one_line(loser) or "exists already" not in loser.err:
        return loser.err
    return next(whole(folder), None) or same_run(folder) or left(folder, 1)


def last_wins(servers: Sequence[Server], folder: Path) -> str | None:
    """With --force: both succeed, one after the other, and what stays is of one run."""
    ended = race(servers, fresh(folder), [publish(node, "r.csv", "--force") for node in NODES])
    if [each.status for each in ended] != [0, 0]:
        return f"{[each.err for each in ended]}"
    return next(whole(folder), None) or same_run(folder) or left(folder, 2)


def two_endings(servers: Sequence[Server], folder: Path) -> str | None:
    """Two endings, one name: two releases, each with its certificate."""
    names = ("r.csv", "r.parquet")
    ended = race(servers, fresh(folder), [publish("[1,1]", name)[:-2] for name in names])
    if [each.status for each in ended] != [0, 0]:
        return f"{[each.err for each in ended]}"
    certificates = len(list((folder / "out").glob("*.certificate.json")))
    return next(whole(folder), None) or left(folder, 2) or (None if certificates == 2 else f"{certificates} certificates")


def same_run(folder: Path) -> str | None:
    """Whether the map beside a release is that of its run: its labels are those of the file."""
    certified = sf.verify(folder / "out" / "r.csv").certificate
    with (folder / "out" / "m.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    mapped = {row["label"] for row in rows if row["attribute"] == "age"}
    with (folder / "out" / "r.csv").open(newline="") as file:
        released = {row["age"] for row in csv.DictReader(file)}
    return None if mapped == released else f"the map is of another run than the release at {certified.node}"


def left(folder: Path, expected: int) -> str | None:
    if entries(folder) != expected:
        return f"{entries(folder)} entries in the ledger"
    return f"left: {hidden(folder)}" if hidden(folder) else None


RACES: Sequence[Callable[[Sequence[Server], Path], str | None]] = (one_wins, last_wins, two_endings)


@pytest.mark.parametrize("rule", RACES, ids=lambda each: each.__name__)
def test_races(rule: Callable[[Sequence[Server], Path], str | None], servers: Sequence[Server], tmp_path: Path) -> None:
    assert [rule(servers, tmp_path / "race") for _ in range(3)] == [None] * 3


@pytest.mark.torture
@pytest.mark.parametrize("rule", RACES, ids=lambda each: each.__name__)
def test_many_races(
    rule: Callable[[Sequence[Server], Path], str | None],
    servers: Sequence[Server],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    found = [rule(servers, tmp_path / "race") for _ in range(70)]
    wrong = [problem for problem in found if problem]
    record_property("tried", ("races of two runs", len(found), len(wrong)))
    assert wrong == []
