"""What a run that was killed has left is finished if it was decided, and undone if not; what cannot be done is said."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.commit.journal import Decision, Journal, Move, settle
from sfumato.commit.locks import held
from sfumato.commit.transaction import Transaction
from sfumato.errors import OutputError
from sfumato.temporary import JOURNAL, TemporaryFolder, sweep

Left = Callable[..., Journal]


@pytest.fixture
def left(tmp_path: Path) -> Left:
    """What a killed run leaves beside `out`: two staged files, a journal, and perhaps its decision, in another folder."""
    (tmp_path / "out").mkdir()
    (tmp_path / "ledger").mkdir()

    def make(*, new: bool = False, decided: bool = True) -> Journal:
        folder = TemporaryFolder(tmp_path / "out")
        moves = []
        for name in ("a", "b"):
            staged = folder.path / f"new-{name}"
            staged.write_text(f"new {name}")
            moves.append(Move(staged, tmp_path / "out" / name, new, name))
            moves[-1].prepare()
        journal = Journal(folder.path, tuple(moves), Decision.of(tmp_path / "ledger" / "entry", b"entry"))
        journal.write()
        if decided:
            journal.decision.path.write_bytes(b"entry")
        folder.keep()
        folder.remove()  # lets the lock go, as the end of the process does
        return journal

    return make


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


NEW = {"a": "new a", "b": "new b"}
OLD = {"a": "old a", "b": "old b"}


def old(tmp_path: Path) -> None:
    for name, text in OLD.items():
        (tmp_path / "out" / name).write_text(text)


@pytest.mark.parametrize("done", [0, 1, 2])
def test_what_was_decided_is_finished_from_wherever_it_stopped(tmp_path: Path, left: Left, done: int) -> None:
    old(tmp_path)
    for move in left().moves[:done]:
        move.put()
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == NEW
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("done", [0, 1, 2])
@pytest.mark.parametrize("existed", [True, False])
def test_what_was_not_decided_is_undone(tmp_path: Path, left: Left, done: int, existed: bool) -> None:
    if existed:
        old(tmp_path)
    journal = left(decided=False)
    for move in journal.moves[:done]:
        move.put()
    for move in journal.moves[:1]:
        move.take_back()  # an undoing that was interrupted itself
    settle(tmp_path / "out" / "b")
    assert texts(tmp_path / "out") == (OLD if existed else {})


def test_an_entry_with_other_content_decides_nothing(tmp_path: Path, left: Left) -> None:
    old(tmp_path)
    left(decided=False).decision.path.write_bytes(b"the entry of another release")
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == OLD


def test_without_links_files_are_copied(tmp_path: Path, left: Left, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object, **more: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    old(tmp_path)
    journal = left(decided=False)
    journal.moves[0].put()
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == OLD
    left()
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == NEW
    with Transaction(force=False) as transaction:
        transaction.stage(tmp_path / "out" / "c").write_text("ours")
        (tmp_path / "out" / "c").write_text("theirs")
        with pytest.raises(OutputError, match="exists already"):
            transaction.commit()
    assert texts(tmp_path / "out") == {**NEW, "c": "theirs"}


def test_a_file_that_somebody_put_there_meanwhile_is_kept_and_named(tmp_path: Path, left: Left) -> None:
    left(new=True)
    (tmp_path / "out" / "a").write_text("theirs")
    with pytest.raises(OutputError, match="another file has the place now; move that one away") as caught:
        settle(tmp_path / "out" / "a")
    assert caught.value.where == str(tmp_path / "out" / "a")
    settle(tmp_path / "out" / "other")  # who wants another file is not bothered
    assert texts(tmp_path / "out") == {"a": "theirs"}
    (tmp_path / "out" / "a").unlink()
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == NEW


def test_without_the_ledger_nothing_is_decided(tmp_path: Path, left: Left) -> None:
    old(tmp_path)
    left()
    shutil.move(tmp_path / "ledger", tmp_path / "away")
    with pytest.raises(OutputError, match="which is not there now"):
        settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == OLD
    shutil.move(tmp_path / "away", tmp_path / "ledger")
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == NEW


def test_a_folder_with_a_journal_is_not_swept(tmp_path: Path, left: Left) -> None:
    journal = left()
    sweep(tmp_path / "out")
    assert (journal.folder / JOURNAL).exists()


def test_a_run_that_is_alive_is_left_alone(tmp_path: Path, left: Left) -> None:
    journal = left()
    lock = os.open(journal.folder, os.O_RDONLY)
    import fcntl

    fcntl.flock(lock, fcntl.LOCK_EX)
    settle(tmp_path / "out" / "a")
    os.close(lock)
    assert texts(tmp_path / "out") == {}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"moves": [["new-a", "../elsewhere", false]], "decision": ["../../ledger/entry", "x", ""], "others": []}',
        '{"moves": [["new-a", "/etc/elsewhere", false]], "decision": ["x", "x", ""], "others": []}',
    ],
)
def test_a_damaged_journal_moves_nothing(tmp_path: Path, left: Left, content: str) -> None:
    journal = left()
    (journal.folder / JOURNAL).write_text(content)
    with pytest.raises(OutputError, match="its journal cannot be read; remove this folder"):
        settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == {}
    assert not (tmp_path / "elsewhere").exists()


def test_a_journal_says_where_and_nothing_about_people(left: Left) -> None:
    record = json.loads((left().folder / JOURNAL).read_text())
    assert record["moves"] == [["new-a", "a", False, False], ["new-b", "b", False, False]]  # neither new nor a folder
    assert set(record) == {"moves", "decision", "others"}


def test_a_link_to_a_file_is_replaced_and_restored_as_a_link(tmp_path: Path, left: Left) -> None:
    (tmp_path / "real").write_text("real")
    for name in OLD:
        (tmp_path / "out").joinpath(name).symlink_to(tmp_path / "real")
    journal = left(decided=False)
    journal.moves[0].put()
    settle(tmp_path / "out" / "a")
    assert (tmp_path / "out" / "a").is_symlink()
    assert (tmp_path / "real").read_text() == "real"


def test_what_somebody_has_put_in_the_place_of_the_old_file_stays(tmp_path: Path, left: Left) -> None:
    old(tmp_path)
    journal = left()
    journal.moves[0].put()
    for name in OLD:
        (tmp_path / "theirs").write_text("theirs")
        (tmp_path / "theirs").replace(tmp_path / "out" / name)
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == {"a": "theirs", "b": "theirs"}
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("new", [True, False])
def test_what_somebody_has_removed_does_not_come_back(tmp_path: Path, left: Left, new: bool) -> None:
    journal = left(new=new)
    journal.put()
    for name in OLD:
        (tmp_path / "out" / name).unlink()
    settle(tmp_path / "out" / "a")
    assert texts(tmp_path / "out") == {}


def test_the_decision_is_found_if_everything_was_moved(tmp_path: Path, left: Left) -> None:
    (tmp_path / "out").joinpath("a").write_text("old a")
    left()
    (tmp_path / "elsewhere").mkdir()
    for name in ("out", "ledger"):
        shutil.move(tmp_path / name, tmp_path / "elsewhere" / name)
    (tmp_path / "ledger").mkdir()  # something else in the old place
    settle(tmp_path / "elsewhere" / "out" / "a")
    assert texts(tmp_path / "elsewhere" / "out") == NEW


def test_who_holds_a_folder_does_not_wait_for_another(tmp_path: Path, left: Left) -> None:
    import fcntl

    left()
    lock = os.open(tmp_path / "out", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with held(tmp_path / "ledger"):
        settle(tmp_path / "out" / "a")  # would wait for ever
    os.close(lock)
    assert texts(tmp_path / "out") == {}


def test_a_reader_removes_what_was_never_decided(tmp_path: Path) -> None:
    folder = TemporaryFolder(tmp_path)
    (folder.path / "new-0.csv").write_text("records in clear")
    folder.keep()
    folder.remove()
    settle(tmp_path / "anything")
    assert list(tmp_path.iterdir()) == []
