"""Ctrl-C at any moment, and a Java that is killed: one line each, no traceback, nothing half-published."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from signal import SIGINT, pthread_kill
from threading import Thread, main_thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError, Py4JNetworkError

from sfumato.engines.spark import session as sessions
from sfumato.engines.spark.arrow import to_arrow
from sfumato.engines.spark.guard import leaving, reading, writing
from sfumato.engines.spark.quiet import quiet, silence
from sfumato.errors import UsageError
from sfumato.temporary import PREFIX
from tests.spark.cluster import until

ROOT = Path(__file__).parents[2]
LOST = "the connection to Spark was lost, and nothing was published; start again; where it failed is in "
MANY = 60_000  # values, so that Spark still sends them when the signal comes


@pytest.mark.own_spark
@pytest.mark.slow
def test_a_signal_ends_a_command_at_every_moment_and_a_dead_java_too(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": [f"value {n}" for n in range(MANY)], "s": ["x", "y"] * (MANY // 2)}), tmp_path / "in.parquet")
    (tmp_path / "in.toml").write_text('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    table, out = [tmp_path / "in.parquet", "-s", tmp_path / "in.toml"], tmp_path / "out.parquet"
    words = ["publish", *table, "--node", "q=0", "-o", out, "--engine", "spark"]
    command = [sys.executable, "-m", "tests.spark.stopped_at", *map(str, words)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert ended.returncode == 0, ended.stderr
    statuses = json.loads(ended.stdout.splitlines()[-1])
    assert (statuses.pop("whole"), statuses.pop("killed")) == (0, 2)
    assert set(statuses.values()) == {130}, statuses
    *interrupted, killed = ended.stderr.splitlines()
    assert len(interrupted) == len(statuses)
    assert all(line.startswith("sfumato: interrupted; ") for line in interrupted), ended.stderr
    assert killed.startswith(f"sfumato: --engine: {LOST}")
    shutil.rmtree(Path(killed.rsplit(" ", 1)[1]).parent)
    assert not list(tmp_path.glob(f"{PREFIX}*"))


@pytest.mark.own_spark
class TestErrors:
    @pytest.fixture(autouse=True)
    def _log(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "java.log").touch()
        monkeypatch.setattr(sessions, "_running", None)
        monkeypatch.setattr(sessions, "log_of_session", lambda: tmp_path / "java.log")

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (Py4JError("An error occurred while calling o12.collect"), f"--engine: {LOST}"),
            (Py4JNetworkError("Error while sending or receiving"), f"--engine: {LOST}"),
            (
                Py4JError("An error occurred while calling o12.collect. Trace:\njava.lang.Exception"),
                "the table: Spark has failed; ",
            ),
        ],
    )
    def test_an_error_without_a_word_from_java_is_a_lost_connection(self, error: Exception, message: str) -> None:
        with pytest.raises(UsageError) as refused, reading("the table"):
            raise error
        where, text = refused.value.in_shell()[::-1]
        assert f"{where}: {text}".startswith(message)

    def test_whatever_goes_wrong_when_java_has_ended_is_a_lost_connection(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(TypeError), reading("the table"):
            raise TypeError("a bug")
        monkeypatch.setattr(sessions, "has_ended", lambda: True)
        with pytest.raises(UsageError, match=LOST), reading("the table"):
            raise TypeError("'JavaPackage' object is not callable")

    def test_a_hidden_name_is_not_shown(self, tmp_path: Path) -> None:
        hidden = tmp_path / f"{PREFIX}abcdefgh" / "new-0.parquet"
        with pytest.raises(UsageError, match="Spark has failed") as refused, reading(str(hidden)):
            raise Py4JError("Trace:\n")
        assert PREFIX not in str(refused.value)

    def test_an_error_that_hides_ctrl_c_is_ctrl_c(self, tmp_path: Path) -> None:
        def hide() -> None:
            try:
                raise KeyboardInterrupt
            finally:
                raise Py4JError("An error occurred while calling o12.getResult")

        for guarded in (reading("the table"), writing(tmp_path / "out"), leaving()):
            with pytest.raises(KeyboardInterrupt), guarded:
                hide()

    def test_an_error_after_ctrl_c_was_handled_is_an_error(self) -> None:
        def work() -> None:
            with reading("the table"):
                raise Py4JError("An error occurred while calling o12.getResult")

        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            with pytest.raises(UsageError, match=LOST):
                work()


def test_ctrl_c_does_not_wait_for_the_end_of_a_job() -> None:
    assert sessions._running is not None
    session = sessions._running.session
    tracker, job = session.sparkContext.statusTracker(), []

    def stop() -> None:
        until(lambda: job.extend(tracker.getActiveJobsIds()) or job)
        pthread_kill(main_thread().ident, SIGINT)

    stopping = Thread(target=stop)
    stopping.start()
    with pytest.raises(KeyboardInterrupt):
        to_arrow(session.sql("SELECT count(*) AS n FROM range(0, 1000000000000, 1, 2) WHERE id % 7 < 3"))  # takes hours
    stopping.join()
    until(lambda: not tracker.getActiveJobsIds())
    assert tracker.getJobInfo(job[0]).status == "FAILED"


class Kept(logging.Handler):
    """The messages that reach the root logger's handlers. (What pytest captures also comes from loggers that pass nothing on.)"""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture
def kept() -> Iterator[Kept]:
    """As if no Spark ran in this process."""
    depth, handler, root = silence._depth, Kept(), logging.getLogger()
    for _ in range(depth):
        silence.end()
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)
    for _ in range(depth):
        silence.begin()


@pytest.mark.own_spark
def test_nobody_elses_records_are_dropped_while_spark_is_quiet(kept: Kept) -> None:
    root = logging.getLogger()
    place = {"fn": "/somewhere/py4j/java_gateway.py", "lno": 1, "args": (), "exc_info": None}
    with quiet(), quiet():
        root.handle(root.makeRecord("root", logging.ERROR, msg="of py4j", **place))  # type: ignore[arg-type]
        logging.getLogger("py4j.java_gateway").error("of py4j, too")
        logging.getLogger("mine").error("mine")
        root.error("of the root")
    root.handle(root.makeRecord("root", logging.ERROR, msg="afterwards", **place))  # type: ignore[arg-type]
    assert kept.messages == ["mine", "of the root", "afterwards"]
