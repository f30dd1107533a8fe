"""`sfumato ato collaborate` from end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.applications.ato.collaborating.shares import read_share
from tests.conftest import Ended
from tests.unit.ato.collaborating.spraying import SPRAYER, laid

Run = Callable[..., Ended]
SECRETS = ("example", SPRAYER, "198.51.100", "o1", "@org", "240.")


def test_owners_work_together_and_nobody_is_named(sfumato: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    log, out = laid(tmp_path / "log"), tmp_path / "out"
    shown = sfumato("ato", "collaborate", log, "--owners", 4, "--days", 7, "--threshold", 2, "-o", out)
    assert shown.status == 0
    assert "alone: precision – (0 to 1), recall 0 (0 to " in shown.out
    assert "protected: precision 1 (" in shown.out
    assert [line for line in shown.out.splitlines() if line.startswith("│") and len(line) > 80] == []
    assert sorted(path.name for path in (out / "shares").iterdir()) == [f"owner-{number}.parquet" for number in range(1, 5)]
    again = sfumato("ato", "collaborate", log, "--owners", 4, "--days", 7, "--threshold", 2, "-o", out)
    assert (again.status, "exists" in again.err) == (2, True)
    machine = sfumato("ato", "collaborate", log, "--owners", 4, "--days", 7, "--threshold", 2, "-o", out, "--force", "--json")
    record = machine.json
    assert record["schema_version"] == 1
    assert [owner["payment"] for owner in record["owners"]] == pytest.approx([25.0] * 4)
    assert json.loads((out / "collaboration.json").read_text()) == {
        name: value for name, value in record.items() if name not in ("schema_version", "written")
    }
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    for text in (shown.out + shown.err, machine.out, page):
        assert not [secret for secret in SECRETS if secret in text]
    assert read_share(out / "shares" / "owner-1.parquet").declaration["least"] == 2


def test_who_gains_nothing_is_told_what_would_help(sfumato: Run, tmp_path: Path) -> None:
    log = laid(tmp_path / "log")
    ended = sfumato("ato", "collaborate", log, "--owners", 4, "--days", 7, "-o", tmp_path / "out")
    assert ended.status == 0
    assert "gain nothing from what is shared, so nobody is paid" in ended.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "(--owners 4)"),
        (("--owners", 1), "--owners"),
        (("--owners", 4, "--private", 0), "--private"),
        (("--owners", 4, "--threshold", 0), "--threshold"),
        (("--owners", 4, "--period", 30, "--days", 30), "a shorter --period"),
        (("--owners", 4, "--good", "missing.txt"), "missing.txt"),
        (("missing",), "missing: no such file or folder"),
    ],
)
def test_bad_input_gets_one_line(sfumato: Run, tmp_path: Path, options: tuple[object, ...], said: str) -> None:
    log = laid(tmp_path / "log")
    ended = sfumato("ato", "collaborate", log, "-o", tmp_path / "out", *options)
    assert ended.status == 2
    assert said in ended.err
    assert len(ended.err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert not [secret for secret in SECRETS if secret in ended.err]
