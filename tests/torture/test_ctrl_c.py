"""Ctrl-C in a terminal, at any import of any command: one line, exit 130, no traceback; also SIGTERM, SIGHUP, and Ctrl-C twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

# What the installed script does, see [project.scripts].
SCRIPT = "import sys\nfrom sfumato.cli.entry import main\nsys.exit(main())"
LINE = "sfumato: interrupted; nothing was written"
# Python runs it before anything else. It counts what is imported from the first line of the entry point on, and sends signals.
HOOK = """
import os, signal, sys

class Counting:
    count = 0

    def find_spec(self, name, path=None, target=None):
        self.count += bool(self.count) or name == "sfumato.cli.main"
        if str(self.count) in os.environ["STOP_AT"].split():
            for each in os.environ["STOP_WITH"].split():
                os.kill(os.getpid(), getattr(signal, each))

counting = Counting()
sys.meta_path.insert(0, counting)
if "COUNTED" in os.environ:
    import atexit, pathlib
    atexit.register(lambda: pathlib.Path(os.environ["COUNTED"]).write_text(str(counting.count)))
"""
SHOWN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def hooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, where Python finds the hook."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    before = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "hook"), *before]))
    monkeypatch.setenv("STOP_AT", "never")
    monkeypatch.setenv("STOP_WITH", "SIGINT")
    (tmp_path / "people.csv").write_text(
        "age,ill\n" + "".join(f"{30 + n % 2 * 10},{('flu', 'gout')[n % 2]}\n" for n in range(40))
    )
    (tmp_path / "people.toml").write_text('[attributes.age]\nrole = "quasi"\n[attributes.ill]\nrole = "sensitive"\n')
    (tmp_path / "out").mkdir()
    return tmp_path


def command(folder: Path) -> list[str]:
    words = [
        "anonymize",
        folder / "people.csv",
        "-s",
        folder / "people.toml",
        "-m",
        "k-anonymity:3",
        "-o",
        folder / "out" / "new.csv",
    ]
    return ["-c", SCRIPT, *map(str, words)]


def stopped(folder: Path, at: str, sent: str = "SIGINT") -> tuple[int | None, str]:
    """Run a command in a terminal of its own, stop it at an import, and give its exit status and what the terminal showed."""
    environment = {**os.environ, "STOP_AT": at, "STOP_WITH": sent}
    child = pexpect.spawn(sys.executable, command(folder), env=environment, encoding="utf-8", timeout=60)
    shown = SHOWN.sub("", child.read())
    child.close()
    return child.exitstatus, shown


def points(folder: Path, count: int) -> Iterator[int]:
    """Places among the imports of a whole run, evenly spread, the first included."""
    environment = {**os.environ, "COUNTED": str(folder / "counted")}
    whole = [sys.executable, *command(folder)[:-1], str(folder / "whole.csv"), "--force"]
    subprocess.run(whole, env=environment, check=True, capture_output=True)
    imports = int((folder / "counted").read_text())
    assert imports > 300
    yield from (1 + place * (imports - 1) // count for place in range(count))


def require_one_line(folder: Path, at: str, sent: str = "SIGINT") -> None:
    status, shown = stopped(folder, at, sent)
    lines = [
        line for line in re.split(r"[\r\n]+", shown) if line and not re.match(r". (opening|counting|searching|writing)", line)
    ]
    assert (status, lines) == (130, [LINE]), (at, sent, shown)
    assert list((folder / "out").iterdir()) == []


def test_ctrl_c_at_some_imports(hooked: Path) -> None:
    for at in points(hooked, 8):
        require_one_line(hooked, str(at))


@pytest.mark.torture
def test_ctrl_c_at_many_imports(hooked: Path, record_property: Callable[[str, object], None]) -> None:
    tried = 0
    for sent, count in (("SIGINT", 120), ("SIGTERM", 25), ("SIGHUP", 25), ("SIGINT SIGINT", 25)):
        for at in points(hooked, count):
            require_one_line(hooked, str(at), sent)
            tried += 1
    record_property("tried", ("signals at imports", tried, 0))


@pytest.mark.parametrize("sent", ["SIGTERM", "SIGHUP", "SIGINT SIGINT"])
@pytest.mark.parametrize("at", ["40", "500", "500 501 502"])
def test_other_signals_and_several_of_them(hooked: Path, sent: str, at: str) -> None:
    require_one_line(hooked, at, sent)


@pytest.mark.parametrize("at", ["40", "500"])
def test_machines_are_told_in_json_whenever_it_happens(hooked: Path, at: str) -> None:
    environment = {**os.environ, "STOP_AT": at}
    ended = subprocess.run(
        [sys.executable, *command(hooked), "--json"], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "")
    record = {"schema_version": 1, "error": {"code": "interrupted", "message": "interrupted; nothing was written", "where": None}}
    assert ended.stdout == json.dumps(record, indent=2) + "\n"


def test_nohup_keeps_a_command_running(hooked: Path) -> None:
    environment = {**os.environ, "STOP_AT": "40 500", "STOP_WITH": "SIGHUP"}
    ended = subprocess.run(
        [sys.executable, *command(hooked)],
        env=environment,
        capture_output=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert ended.returncode == 0
    assert (hooked / "out" / "new.csv").exists()
