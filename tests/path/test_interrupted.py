"""Whatever happens while a release is written, a full disk or Ctrl-C, leaves nothing half-written and loses nothing."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import OutputError
from tests.conftest import Ended

Run = Callable[..., Ended]
COMMAND = [sys.executable, "-c", "from sfumato.cli.main import main; main()", "publish"]
NODE = ["--node", "[0,0,0,0,0,0,0]"]


def tiny_disk() -> None:
    """Files may grow to 50 kB and no further: the kernel refuses to write more, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))


def publish_on_a_tiny_disk(census: Path, output: Path, *more: str) -> subprocess.CompletedProcess[str]:
    arguments = [str(census / "adult.parquet"), "-s", str(census / "adult.toml"), *NODE, "-o", str(output), *more]
    # The child writes nothing but the release: no coverage data.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.run([*COMMAND, *arguments], preexec_fn=tiny_disk, capture_output=True, text=True, check=False, env=env)


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_a_full_disk_leaves_nothing(census: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    ended = publish_on_a_tiny_disk(census, tmp_path / "out" / name)
    assert ended.returncode == 2
    assert ended.stderr == f"sfumato: {tmp_path / 'out' / name}: cannot be written: File too large\n"
    assert list((tmp_path / "out").iterdir()) == []


def test_a_full_disk_loses_no_earlier_release(census: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.parquet"
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        sf.publish(table, node=[4, 2, 3, 2, 2, 1, 1], output=output)
    assert publish_on_a_tiny_disk(census, output, "--force").returncode == 2
    assert sf.verify(output).classes == 1


def test_a_disk_that_fills_up_before_the_certificate_leaves_nothing(
    census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, *given: object, **more: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "out").mkdir()
    monkeypatch.setattr(Path, "write_text", full)
    with (
        sf.Table.open(census / "adult.parquet", census / "adult.toml") as table,
        pytest.raises(OutputError, match="No space left on device"),
    ):
        sf.publish(table, quasi=["sex"], node=[1], output=tmp_path / "out" / "out.parquet", ledger=tmp_path / "ledger")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("step", ["map.csv", "out.parquet", "out.parquet.certificate.json"])
def test_a_failure_to_put_a_file_in_place_takes_back_what_was_moved(
    census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    link = os.link

    def failing(source: Path, target: Path, **more: bool) -> None:
        if target.name == step:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        link(source, target, **more)

    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.setattr(os, "link", failing)
    where = {"output": out / "out.parquet", "mapping": out / "map.csv", "ledger": tmp_path / "ledger"}
    with (
        sf.Table.open(census / "adult.parquet", census / "adult.toml") as table,
        pytest.raises(OutputError, match="Input/output error"),
    ):
        sf.publish(table, quasi=["sex"], node=[1], **where)
    assert list(out.iterdir()) == []
    assert list((tmp_path / "ledger").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_writing_leaves_nothing(census: Path, tmp_path: Path, sent: signal.Signals) -> None:
    big = pa.concat_tables([pq.read_table(census / "adult.parquet")] * 150)
    pq.write_table(big, tmp_path / "big.parquet")
    folder = tmp_path / "out"
    folder.mkdir()
    arguments = [tmp_path / "big.parquet", "-s", census / "adult.toml", *NODE, "-o", folder / "out.parquet"]
    with subprocess.Popen([*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not list(folder.glob(".sfumato-*/new-0.parquet")) and process.poll() is None and time.monotonic() < deadline:
            os.sched_yield()
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "sfumato: interrupted; nothing was written\n")
    assert list(folder.iterdir()) == []


def test_ctrl_c_is_told_to_machines_too(sfumato: Run, census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.release.publishing.read_back", interrupted)
    ended = sfumato(
        "publish", census / "adult.parquet", "-s", census / "adult.toml", "--quasi", "sex", "--node", "[1]",
        "-o", tmp_path / "out.parquet", "--json",
    )  # fmt: skip
    assert ended.status == 130
    assert ended.json["error"]["code"] == "interrupted"
    assert {path.name for path in tmp_path.iterdir()} == {"census"}


def test_a_bug_is_told_by_its_type_alone(sfumato: Run, census: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **more: object) -> None:
        raise ValueError("a message with the value 39")

    monkeypatch.setattr("sfumato.release.publishing.read_back", broken)
    arguments = ["publish", census / "adult.parquet", "-s", census / "adult.toml", "--quasi", "sex", "--node", "[1]"]
    ended = sfumato(*arguments, "-o", tmp_path / "out.parquet")
    assert (ended.status, ended.err) == (70, "sfumato: a bug in sfumato (ValueError); SFUMATO_DEBUG=1 shows where\n")
    monkeypatch.setenv("SFUMATO_DEBUG", "1")
    with pytest.raises(ValueError, match="39"):
        sfumato(*arguments, "-o", tmp_path / "out.parquet")
