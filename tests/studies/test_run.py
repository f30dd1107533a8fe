"""Writing a reproduction: whole or not at all, never over something unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.errors import OutputError
from sfumato_studies import run
from sfumato_studies.comparing import number
from sfumato_studies.exhibit import Contents, Entry, Exhibit
from sfumato_studies.run import Reproduction, reproduce, require_place, write
from sfumato_studies.summary import summary
from tests.studies.made import made

SMALL = ("lecture-entropy", "thesis-fig-3.3")


@pytest.fixture(scope="module")
def small() -> Reproduction:
    return Reproduction(tuple(made(name) for name in SMALL))


def strange(why: str = "") -> Exhibit:
    return Exhibit("strange", (), "a paper", "Strange", Contents("A message.", (number("loss", "Ex. 1", "0.5", 0.9, why),)))


def test_the_folder_holds_figures_and_summaries(small: Reproduction, tmp_path: Path) -> None:
    written = write(small, tmp_path / "deep" / "out")
    assert sorted(path.name for path in written) == ["summary.json", "summary.md", "thesis-fig-3.3.svg"]
    assert all(path.is_file() for path in written)
    assert (tmp_path / "deep" / "out" / "thesis-fig-3.3.svg").read_text(encoding="utf-8").startswith("<svg")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]  # nothing hidden is left


def test_png_is_drawn_when_asked(small: Reproduction, tmp_path: Path) -> None:
    write(small, tmp_path / "out", png=True)
    assert (tmp_path / "out" / "thesis-fig-3.3.png").read_bytes().startswith(b"\x89PNG")


def test_the_summary_for_machines_is_that_of_the_run(small: Reproduction, tmp_path: Path) -> None:
    write(small, tmp_path / "out")
    written = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(small.as_dict()))
    assert (written["values"], written["agree"], written["differ"], written["unexplained"]) == (8, 7, 1, 0)
    assert [each["name"] for each in written["exhibits"]] == list(SMALL)


def test_the_summary_to_read_has_every_value_and_the_figure(small: Reproduction, tmp_path: Path) -> None:
    write(small, tmp_path / "out")
    written = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "8 values: 7 agree, 1 differ (all explained). In the tables L is the leakage paper" in written
    assert "](thesis-fig-3.3.svg)" in written
    assert "| entropy in bits | S Entropy([9+,5−]) | 0.940 | 0.9403 | agrees |" in written
    assert "| √26/12 = 0.4249 | 0.4714 | **differs** | erratum" in written


def test_a_folder_that_holds_something_is_refused_unless_forced(small: Reproduction, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    (folder / "summary.md").write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match="not empty; force=True"):
        write(small, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["mine.txt", "summary.md"]
    write(small, folder, force=True)
    assert (folder / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (folder / "summary.md").read_text(encoding="utf-8") != "old"


def test_an_empty_folder_will_do_and_a_file_will_not(tmp_path: Path) -> None:
    require_place(tmp_path, force=False)
    require_place(tmp_path / "new", force=False)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="is a file"):
        require_place(tmp_path / "file", force=True)
    with pytest.raises(OutputError, match="is a file"):
        require_place(tmp_path / "file" / "new" / "one", force=True)


def test_a_folder_where_a_file_should_be_stops_all_of_them(small: Reproduction, tmp_path: Path) -> None:
    (tmp_path / "summary.md").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        write(small, tmp_path, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["summary.md"]


def test_nothing_is_left_when_writing_fails(small: Reproduction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run, "chart_image", full)
    with pytest.raises(OutputError, match="No space left"):
        write(small, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_run_leaves_nothing(small: Reproduction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "chart_image", stop)
    with pytest.raises(KeyboardInterrupt):
        write(small, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_counts_tell_what_is_not_explained() -> None:
    result = Reproduction((strange(), strange("an erratum")))
    assert result.counts() == "2 values: 0 agree, 2 differ (1 without explanation)"
    assert len(result.unexplained) == 1
    assert "no explanation found" in summary(result.exhibits, result.counts())
    assert Reproduction(()).counts() == "0 values: 0 agree, 0 differ"


def test_progress_is_told_for_every_exhibit(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = tuple(Entry(name, (), "a paper", "Title", lambda: strange().contents) for name in ("one", "two"))
    monkeypatch.setattr(run, "chosen", lambda only: entries)
    calls: list[tuple[int, int]] = []
    result = reproduce(progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 2), (2, 2)]
    assert [each.name for each in result.exhibits] == ["one", "two"]
