"""Commands that other distributions bring: found without cost, and unable to break what is ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sfumato.cli import plugins

Run = Callable[..., Any]
Install = Callable[..., None]
WORKS = 'def greet(name: str = "you") -> None:\n    """Greet somebody."""\n    print(f"hello {name}")\n'


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a distribution on the path: its entry points as they stand in the file, and its one module."""

    def put(name: str, points: str, source: str = WORKS) -> None:
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(points, encoding="utf-8")
        (tmp_path / f"{name}_module.py").write_text(source, encoding="utf-8")
        monkeypatch.delitem(sys.modules, f"{name}_module", raising=False)
        monkeypatch.syspath_prepend(tmp_path)

    return put


def point(package: str, name: str = "greet", function: str = "greet") -> str:
    return f"[{plugins.GROUP}]\n{name} = {package}_module:{function}\n"


def test_a_plug_in_is_listed_and_runs(sfumato: Run, install: Install) -> None:
    install("polite", point("polite"))
    assert "Greet somebody." in sfumato("--help").out
    assert sfumato("greet", "--name", "Mona").out == "hello Mona\n"
    assert "--name" in sfumato("greet", "-h").out


def test_its_name_is_suggested_like_ours(sfumato: Run, install: Install) -> None:
    install("polite", point("polite"))
    assert sfumato("greeet").err == "sfumato: No such command 'greeet'. Did you mean 'greet'?\n"


@pytest.mark.parametrize(
    ("source", "function", "error"),
    [
        ("import nothing_of_that_name\n", "greet", "ModuleNotFoundError"),
        ("raise SystemExit(3)\n", "greet", "SystemExit"),
        (WORKS, "another", "AttributeError"),
        ("greet = 5\n", "greet", "TypeError"),
        ("def greet(name: list[list[bytes]]) -> None: ...\n", "greet", ""),
    ],
    ids=["import", "exit", "missing", "no-function", "strange-option"],
)
def test_a_broken_plug_in_breaks_only_itself(sfumato: Run, install: Install, source: str, function: str, error: str) -> None:
    install("broken", point("broken", function=function), source)
    helped = sfumato("--help")
    assert (helped.status, helped.err) == (0, "")
    assert "publish" in helped.out
    assert "greet" not in helped.out
    assert sfumato("models").status == 0
    asked = sfumato("greet")
    assert (asked.status, asked.out, asked.err.count("\n")) == (2, "", 1)
    assert asked.err.startswith(f"sfumato: greet: this command comes from the package 'broken' and cannot be loaded ({error}")


def test_no_plug_in_takes_a_name_of_ours(sfumato: Run, install: Install) -> None:
    install("greedy", point("greedy", name="models"))
    assert "k-anonymity" in sfumato("models").out
    assert "Greet" not in sfumato("--help").out


def test_metadata_that_cannot_be_read_hide_no_other_plug_in(sfumato: Run, install: Install) -> None:
    install("garbled", f"[{plugins.GROUP}]\nneither a name nor a value\n")
    install("polite", point("polite"))
    assert sfumato("greet").out == "hello you\n"


@pytest.mark.parametrize("more", [[], ["--help"], ["--only", "leakage-fig-1"]])
def test_a_command_of_an_extra_says_what_to_install(sfumato: Run, monkeypatch: pytest.MonkeyPatch, more: list[str]) -> None:
    monkeypatch.setattr(plugins, "installed", dict)
    ended = sfumato("reproduce", *more)
    message = "sfumato: reproduce: needs the extra 'studies': pip install \"sfumato[studies]\"\n"
    assert (ended.status, ended.out, ended.err) == (2, "", message)
    assert "reproduce" not in sfumato("--help").out


@pytest.mark.parametrize("words", [["models"], ["publish", "--help"], ["--version"]])
def test_our_own_commands_look_for_no_plug_in(sfumato: Run, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr(plugins, "installed", lambda: pytest.fail("looked"))
    assert sfumato(*words).status == 0


def test_looking_loads_nothing(install: Install) -> None:
    install("polite", point("polite"))
    assert plugins.installed()["greet"].value == "polite_module:greet"
    assert "polite_module" not in sys.modules
