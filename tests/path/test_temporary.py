"""Temporary data: only its owner can read it, it goes with the process, and what a killed process leaves goes with the next one."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.errors import UsageError
from sfumato.temporary import PREFIX, TemporaryFolder, sweep
from tests.conftest import Ended

# A run that stops where its records are on disk: it says so, and goes on when it is told to.
RUN = """
import sys
import sfumato as sf

def wait(step, engine):
    if step == "reading back":
        print("here", flush=True)
        sys.stdin.readline()

out, temp, data, schema = sys.argv[1:]
with sf.Table.open(data, schema, temp=temp) as table:
    sf.publish(table, quasi=["sex"], node=[0], output=out or None, watch=wait)
print("done", flush=True)
"""
# The same from the command line, with the signals of the command line.
COMMAND = """
import sys
import sfumato.release.publishing as publishing
from sfumato.cli.main import main

read_back = publishing._read_back

def wait(*given):
    print("here", flush=True)
    sys.stdin.readline()
    return read_back(*given)

publishing._read_back = wait
out, temp, data, schema = sys.argv[1:]
sys.argv[1:] = ["publish", data, "-s", schema, "--quasi", "sex", "--node", "[0]", "-o", out, "--temp", temp]
main()
"""


def left(*folders: Path) -> list[Path]:
    """Our temporary folders in some places."""
    return [path for folder in folders for path in folder.iterdir() if path.name.startswith(PREFIX)]


@contextmanager
def running(
    script: str, out: Path | str, temp: Path, census: Path, *, ignoring: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A run that has written its records and waits."""
    arguments = [str(out), str(temp), str(census / "adult.parquet"), str(census / "adult.toml")]
    ignore = (lambda: signal.signal(ignoring, signal.SIG_IGN)) if ignoring else None
    pipe = subprocess.PIPE
    run = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, text=True, preexec_fn=ignore
    )
    try:
        assert run.stdout is not None
        assert run.stdout.readline() == "here\n"
        yield run
    finally:
        run.kill()
        run.communicate()


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A folder for releases and one for temporary data."""
    for name in ("out", "temp"):
        (tmp_path / name).mkdir()
    return tmp_path / "out", tmp_path / "temp"


def test_what_a_killed_run_leaves_is_removed_by_the_next(places: tuple[Path, Path], census: Path) -> None:
    out, temp = places
    with running(RUN, out / "out.csv", temp, census) as run:
        folders = left(out, temp)
        assert {folder.parent for folder in folders} == {out, temp}
        assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
        assert b"sex" in (left(out)[0] / "new-0.csv").read_bytes()
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert left(out, temp) == folders
    with sf.Table.open(census / "adult.parquet", census / "adult.toml", temp=temp) as table:
        assert len(left(temp)) == 1
        assert not set(left(temp)) & set(folders)
        sf.publish(table, quasi=["sex"], node=[0], output=out / "out.csv")
    assert left(out, temp) == []


def test_a_release_in_memory_is_made_in_the_temporary_folder(places: tuple[Path, Path], census: Path) -> None:
    out, temp = places
    with running(RUN, "", temp, census):
        assert len(left(temp)) == 2
    assert len(left(temp)) == 2
    sweep(temp)
    assert left(out, temp) == []


def test_a_run_that_is_alive_keeps_its_folders(places: tuple[Path, Path], census: Path) -> None:
    out, temp = places
    with running(RUN, out / "one.csv", temp, census) as run:
        folders = left(out, temp)
        with sf.Table.open(census / "adult.parquet", census / "adult.toml", temp=temp) as table:
            sf.publish(table, quasi=["sex"], node=[0], output=out / "two.csv")
        assert left(out, temp) == folders
        said, _ = run.communicate("go on\n")
        assert said == "done\n"
    assert left(out, temp) == []
    assert sf.verify(out / "one.csv").classes == sf.verify(out / "two.csv").classes == 2


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGINT"])
def test_a_command_that_is_stopped_leaves_nothing(places: tuple[Path, Path], census: Path, name: str) -> None:
    out, temp = places
    with running(COMMAND, out / "out.csv", temp, census) as run:
        assert len(left(out, temp)) == 2
        run.send_signal(getattr(signal, name))
        _, said = run.communicate()
        assert run.returncode == 130
        assert "stopped" in said or "interrupted" in said
    assert list(out.iterdir()) == []
    assert left(temp) == []


def test_nohup_is_respected(places: tuple[Path, Path], census: Path) -> None:
    out, temp = places
    with running(COMMAND, out / "out.csv", temp, census, ignoring=signal.SIGHUP) as run:
        run.send_signal(signal.SIGHUP)
        run.communicate("go on\n")
        assert run.returncode == 0
    assert sf.verify(out / "out.csv").classes == 2


def test_only_our_own_folders_are_swept(tmp_path: Path) -> None:
    stale = tmp_path / f"{PREFIX}abcdefgh"
    stale.mkdir(mode=0o700)
    (stale / "records").write_text("in clear")
    open_to_others = tmp_path / f"{PREFIX}bbbbbbbb"
    open_to_others.mkdir()
    open_to_others.chmod(0o755)
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (tmp_path / f"{PREFIX}cccccccc").symlink_to(precious)
    (tmp_path / f"{PREFIX}dddddddd").write_text("a file")
    (tmp_path / f"{PREFIX}notes").mkdir(mode=0o700)
    with TemporaryFolder(tmp_path) as folder:
        assert not stale.exists()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        sweep(tmp_path)
        assert folder.exists()
    assert not folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*(f"{PREFIX}{name}" for name in ("bbbbbbbb", "cccccccc", "dddddddd", "notes")), "precious"]
    )


def test_the_folders_of_others_are_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / f"{PREFIX}abcdefgh"
    other.mkdir(mode=0o700)
    somebody = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody)
    sweep(tmp_path)
    assert other.exists()


def test_the_system_decides_where_unless_temp_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, census: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with sf.Table.open(census / "adult.parquet", census / "adult.toml"):
        assert len(left(tmp_path)) == 1
    assert left(tmp_path) == []
    with pytest.raises(UsageError, match=r"nowhere: cannot be written to: No such file or directory"):
        sf.Table.open(census / "adult.parquet", census / "adult.toml", temp=tmp_path / "nowhere")


def test_temp_is_an_option(sfumato: object, census: Path, tmp_path: Path) -> None:
    ended: Ended = sfumato("profile", census / "adult.parquet", "--temp", tmp_path / "nowhere")  # type: ignore[operator]
    assert ended.status == 2
    assert ended.err == f"sfumato: {tmp_path / 'nowhere'}: cannot be written to: No such file or directory\n"


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.fixture
def kind_umask() -> Iterator[None]:
    """A umask that lets everybody read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_files_in_a_temporary_folder_are_their_owners_alone_whoever_makes_them(kind_umask: None, tmp_path: Path) -> None:
    with TemporaryFolder(tmp_path) as folder:
        (folder / "ours").write_text("a record")
        duckdb.connect().execute(f"COPY (SELECT 'a record' AS r) TO '{folder / 'engine.parquet'}'")
        (folder / "below").mkdir()
        (folder / "below" / "deep").write_text("a record")
        assert modes(folder) == {"ours": 0o600, "engine.parquet": 0o600, "below": 0o700}
        assert modes(folder / "below") == {"deep": 0o600}


def test_what_the_engine_spills_is_its_owners_alone(kind_umask: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A count under a small memory limit; looked at just before the engine is closed, while its files are still there."""
    found_modes: dict[str, int] = {}
    close = DuckDBEngine.close

    def looked_at(self: DuckDBEngine) -> None:
        for folder in tmp_path.iterdir():
            found_modes.update(modes(folder))
        close(self)

    monkeypatch.setattr(DuckDBEngine, "close", looked_at)
    rows = pa.table({"q": [f"{place:064}" for place in range(300_000)]})
    pq.write_table(rows, tmp_path.parent / "wide.parquet")
    schema = sf.Schema.parse('[attributes.q]\nrole = "quasi"\nhierarchy = { builder = "prefix", keep = [60] }\n')
    sf.publish(tmp_path.parent / "wide.parquet", schema, node=[1], temp=tmp_path, memory="60MB", threads=1)
    assert any(name.startswith("duckdb_temp") for name in found_modes), found_modes
    assert set(found_modes.values()) == {0o600}


def test_a_release_has_the_rights_of_any_new_file(kind_umask: None, census: Path, tmp_path: Path) -> None:
    where = {"output": tmp_path / "out.csv", "mapping": tmp_path / "map.csv", "ledger": tmp_path / "ledger"}
    sf.publish(census / "adult.parquet", census / "adult.toml", node="age=2", quasi="age", **where)
    found = {name: mode for name, mode in modes(tmp_path).items() if name != "census"}
    assert found == {"out.csv": 0o644, "out.csv.certificate.json": 0o644, "map.csv": 0o600, "ledger": 0o700}
    os.umask(0o077)
    sf.publish(census / "adult.parquet", census / "adult.toml", node="age=2", quasi="age", force=True, **where)
    assert modes(tmp_path)["out.csv"] == modes(tmp_path)["out.csv.certificate.json"] == 0o600
