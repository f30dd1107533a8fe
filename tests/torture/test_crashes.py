"""A command that is killed or stopped, or meets a failing disk or a full one, at any file operation, leaves the old state or the new one,
whole; and it says what is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.torture.faults import KILLED, Fault, Mode, Server
from tests.torture.scenarios import SCENARIOS, Scenario, copied, hidden, one_line, snapshot, whole

FAULTS = (Mode.KILL, Mode.FAIL_ONCE, Mode.FULL, Mode.DEAD, Mode.STOP)
INTERRUPTED = 130


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("aside"))
    yield made
    made.close()


@dataclass
class Trial:
    """One scenario, its states without faults, and what was found wrong."""

    server: Server
    scenario: Scenario
    root: Path
    wrong: list[str] = field(default_factory=list)
    tried: int = 0

    def __post_init__(self) -> None:
        self.scenario.prepare(self.server, self.root / "prepared")
        self.old = snapshot(self.root / "prepared")
        folder = copied(self.root / "prepared", self.root / "run")
        ended = self.server.run(folder, self.scenario.command)
        assert ended.status == 0, ended.err
        self.operations = ended.operations
        self.allowed = self.scenario.allowed(self.old, snapshot(folder))
        assert self.allowed[-1] == snapshot(folder), "the command writes nothing but what the scenario names"
        assert hidden(folder) == []

    def strike(self, fault: Fault) -> None:
        """Run the command with a fault, then whoever comes later, and judge what they find."""
        folder = copied(self.root / "prepared", self.root / "run")
        ended = self.server.run(folder, self.scenario.command, fault)
        self.tried += 1
        where = f"{self.scenario.name}, {fault}"
        if fault.mode is not Mode.KILL:
            self._expect(
                ended.status in (0, INTERRUPTED if fault.mode is Mode.STOP else 2), where, f"exit {ended.status}: {ended.err}"
            )
            self._expect(ended.status == 0 or one_line(ended), where, f"not one line: {ended.err}")
            self._judge_words(folder, ended.status, ended.err, where)
        elif ended.status != KILLED:
            self._expect(ended.status == 0, where, f"exit {ended.status}: {ended.err}")
        for arguments in self.scenario.later:
            self.server.run(folder, arguments)
        found = snapshot(folder)
        if found not in self.allowed:
            others = {
                name for state in self.allowed for name in state.keys() | found.keys() if state.get(name) != found.get(name)
            }
            self._expect(False, where, f"a mixed state: {sorted(others)}; it said {ended.err!r}")
        for problem in whole(folder):
            self._expect(False, where, problem)

    def _judge_words(self, folder: Path, status: int, err: str, where: str) -> None:
        found = snapshot(folder)
        if status == 0:
            self._expect(found == self.allowed[-1], where, "exit 0, but not everything is written")
        elif "stands" in err or "in place, but" in err:
            self._expect(found in self.allowed[1:], where, f"nothing stands: {err}")
        elif "the next run" not in err:
            self._expect(found == self.old, where, f"something was written: {err}")

    def _expect(self, held: bool, where: str, problem: str) -> None:
        if not held:
            self.wrong.append(f"{where}: {problem}")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_a_fault_leaves_the_old_state_or_the_new_one(scenario: Scenario, server: Server, tmp_path: Path) -> None:
    trial = Trial(server, scenario, tmp_path)
    points = range(1, len(trial.operations) + 1)
    telling = [at for at in points if trial.operations[at - 1][0] in ("link", "rename")]
    for at in telling[-2:]:
        trial.strike(Fault(Mode.KILL, at))
    for mode in (Mode.FULL, Mode.DEAD):  # the others are tried by `make torture`
        trial.strike(Fault(mode, telling[-1]))
    assert trial.wrong == []


@pytest.mark.torture
@pytest.mark.parametrize("mode", FAULTS, ids=lambda each: each.name)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_a_fault_anywhere(
    scenario: Scenario, mode: Mode, server: Server, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    trial = Trial(server, scenario, tmp_path)
    for at in range(1, len(trial.operations) + 1):
        trial.strike(Fault(mode, at))
    record_property("tried", (f"{mode.name.lower()} at every file operation", trial.tried, len(trial.wrong)))
    assert trial.wrong == []


def test_what_is_on_the_disk_before_it_has_its_name(server: Server, tmp_path: Path) -> None:
    """Kills do not show what a power cut would: so the order of the operations is looked at."""
    trial = Trial(server, next(each for each in SCENARIOS if each.name == "publish over another"), tmp_path)
    done = [(what, Path(path).name) for what, path in trial.operations]
    entry = done.index(("link", "00000002.json"))
    for staged in ("new-0.csv", "new-1.csv", "new-2.certificate.json", "journal.part", "00000002.json"):
        assert _last(done, "write", staged) < _last(done, "fsync", staged) < entry
    assert done.index(("fsync", "ledger")) > entry
    places = [done.index(("rename", name)) for name in ("m.csv", "r.csv", "r.csv.certificate.json")]
    assert entry < places[0] < places[1] < places[2]
    for folder in ("out", "maps"):
        assert _last(done, "fsync", folder) > places[0]
    assert done.index(("unlink", "journal.json")) > places[-1]


def _last(done: list[tuple[str, str]], *operation: str) -> int:
    return max(place for place, each in enumerate(done) if each == operation)
