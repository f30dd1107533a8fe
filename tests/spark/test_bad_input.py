"""What can go wrong before and around Spark: one line each, no stack trace, no value, nothing half-published."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.spark import java as asking
from sfumato.engines.spark import session as sessions
from sfumato.engines.spark.engine import SparkEngine
from sfumato.engines.spark.settings import not_taken
from sfumato.errors import OutputError, UsageError
from tests.conftest import SMALL_SPARK, Ended

Run = Callable[..., Ended]
TABLE = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')


@pytest.fixture
def source(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"q": ["secret-a", "secret-b"] * 50, "s": ["x"] * 100}), tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


@pytest.fixture
def nothing_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if no Spark ran in this process: its session is put aside."""
    monkeypatch.setattr(sessions, "_running", None)
    monkeypatch.setattr(sessions, "theirs", lambda: None)
    yield
    assert sessions._running is None


def one_line(ended: Ended) -> str:
    assert ended.status == 2
    assert ended.err.startswith("sfumato: ")
    assert ended.err.count("\n") == 1
    assert "Traceback" not in ended.err
    assert "\tat " not in ended.err
    return ended.err


@pytest.mark.own_spark
class TestBeforeSparkStarts:
    def test_without_java_it_says_how_to_install_it(
        self, sfumato: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_running: None
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv("JAVA_HOME", raising=False)
        line = one_line(sfumato("profile", source, "--engine", "spark"))
        assert "there is none here; on Debian: apt-get install openjdk-17-jre-headless" in line

    @pytest.mark.parametrize(
        ("said", "message"),
        [
            ('openjdk version "11.0.2" 2019-01-15', "needs Java 17 or newer, and"),
            ('java version "1.8.0_292"', "is Java 8; on Debian"),
            ("no java at all", "is none; on Debian"),
        ],
    )
    def test_a_wrong_java_is_named(
        self,
        said: str,
        message: str,
        sfumato: Run,
        source: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        nothing_running: None,
    ) -> None:
        (tmp_path / "bin").mkdir()
        java = tmp_path / "bin" / "java"
        java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        assert message in one_line(sfumato("profile", source, "--engine", "spark"))

    def test_a_master_where_nobody_listens_is_refused_at_once(self, sfumato: Run, source: Path, nothing_running: None) -> None:
        with socket.socket() as taken:  # bound, and not listening
            taken.bind(("127.0.0.1", 0))
            master = f"spark://127.0.0.1:{taken.getsockname()[1]}"
            began = time.monotonic()
            line = one_line(sfumato("profile", source, "--engine", "spark", "--master", master))
        assert f"nobody answers at {master}; is Spark running there?" in line
        assert time.monotonic() - began < 30

    def test_a_java_that_does_not_say_which_it_is_in_time_is_named(
        self, sfumato: Run, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_running: None
    ) -> None:
        (tmp_path / "bin").mkdir()
        hanging = tmp_path / "bin" / "java"
        hanging.write_text("#!/bin/sh\nexec sleep 100\n")
        hanging.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        monkeypatch.setattr(asking, "PATIENCE", 0.5)
        line = one_line(sfumato("profile", source, "--engine", "spark"))
        assert f"--engine: Spark needs Java, and {hanging} did not answer within 0.5 seconds; on Debian" in line

    @pytest.mark.parametrize("master", ["mars", "local[abc]", "local[0]", "local[2"])
    def test_a_master_that_is_no_address_is_refused(self, master: str, sfumato: Run, source: Path, nothing_running: None) -> None:
        line = one_line(sfumato("profile", source, "--engine", "spark", "--master", master))
        assert "--master: no address of a master; local[2], spark://host:7077 or sc://host:15002 would work" in line

    def test_settings_are_for_spark_and_have_a_value(self, sfumato: Run, source: Path, nothing_running: None) -> None:
        assert "--master: only --engine spark has this" in one_line(sfumato("profile", source, "--master", "local[2]"))
        assert "--conf: only --engine spark has this" in one_line(sfumato("profile", source, "--conf", "a=b"))
        line = one_line(sfumato("profile", source, "--engine", "spark", "--conf", "spark.executor.memory"))
        assert "--conf: write a setting and its value, as in spark.executor.memory=4g" in line
        line = one_line(sfumato("profile", source, "--engine", "spark", "--conf", "spark.driver.memory=much"))
        assert "--conf: spark.driver.memory is not an amount of memory; 4g would work" in line
        line = one_line(sfumato("profile", source, "--engine", "spark", "--conf", "spark.driver.memory=200m"))
        assert "--conf: the memory of the driver is too small for Spark; spark.driver.memory=1g would work" in line
        for limit in ("1k", "much"):
            line = one_line(sfumato("profile", source, "--engine", "spark", "--conf", f"spark.driver.maxResultSize={limit}"))
            assert "--conf: spark.driver.maxResultSize is too small, or no amount of memory; " in line
            assert "spark.driver.maxResultSize=1g would work, or leave it out" in line

    def test_a_setting_that_is_not_the_users_is_refused(self, sfumato: Run, source: Path, nothing_running: None) -> None:
        """Spark's log would hold values, and a second address would be passed over."""
        words = ["profile", source, "--engine", "spark"]
        line = one_line(sfumato(*words, "--conf", "spark.master=local[1]"))
        assert "--conf: spark.master cannot be set: the address of Spark is --master" in line
        line = one_line(sfumato(*words, "--conf", "spark.log.level=INFO"))
        assert "--conf: spark.log.level cannot be set: Spark logs nothing here" in line
        with silent_server() as port:
            line = one_line(sfumato(*words, "--master", f"sc://127.0.0.1:{port}", "--conf", "spark.executor.memory=1g"))
        assert "--conf: a server of Spark Connect has settings of its own; leave this out" in line


@contextmanager
def silent_server() -> Iterator[int]:
    """Somebody who listens and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        for each in held:
            each.close()


def apart(source: Path, *words: str, patience: float = 30.0, java: float = 30.0, command: str = "profile") -> Ended:
    """A command in a process of its own, with a Spark of its own."""
    program = (
        f"import sys; from sfumato.engines.spark import session; session.PATIENCE, session.JAVA_PATIENCE = {patience}, {java}; "
        "from sfumato.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    given = [command, str(source), "--engine", "spark", *words]
    done = subprocess.run([sys.executable, "-c", program, *given], capture_output=True, text=True, timeout=120)
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.mark.own_spark
@pytest.mark.slow
def test_what_is_advised_for_counts_that_exceed_a_limit_does_work(tmp_path: Path) -> None:
    source, schema = tmp_path / "wide.parquet", tmp_path / "wide.toml"
    pq.write_table(pa.table({"q": [f"value {n:06}" for n in range(60_000)], "s": ["x"] * 60_000}), source)
    schema.write_text('[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    measure = partial(apart, source, "-s", str(schema), command="measure")
    refused = one_line(measure("--conf", "spark.driver.maxResultSize=1m"))
    advice = re.search(r"60,000 different combinations .* do not fit on the driver; --conf (\S+) would do", refused)
    assert advice is not None
    assert advice[1].startswith("spark.driver.maxResultSize=")
    assert measure("--conf", advice[1]).status == 0


@pytest.mark.own_spark
def test_a_spark_that_cannot_start_names_the_file_with_what_java_says(source: Path) -> None:
    line = one_line(apart(source, "--conf", "spark.driver.extraJavaOptions=-Xmx1"))
    log = Path(line.split("--engine: Spark cannot be started; what Java says is in ")[1].strip())
    assert "Not allowed to specify max heap" in log.read_text()
    shutil.rmtree(log.parent)


@pytest.mark.own_spark
def test_a_java_that_never_answers_is_given_up(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text('#!/bin/sh\n[ "$1" = -version ] && echo \'version "17"\' >&2 || sleep 5\n')
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    line = one_line(apart(source, java=0.5))
    shutil.rmtree(Path(line.split("--engine: Spark cannot be started; what Java says is in ")[1].strip()).parent)


@pytest.mark.own_spark
@pytest.mark.slow
def test_a_setting_that_spark_does_not_take_is_named(source: Path) -> None:
    for name in ("spark.sql.shuffle.partitions", "spark.executor.memory"):  # noticed by a session, and before there is one
        line = one_line(apart(source, "--conf", f"{name}=many", "--conf", "spark.sql.shuffle=1"))
        assert f"--conf: Spark does not take this value of {name}\n" in line


@pytest.mark.own_spark
def test_the_setting_that_spark_complains_about_is_found_in_what_it_says() -> None:
    asked = {"spark.cores": "lots", "spark.executor.cores": "few", "spark.cores.max": "lots", "spark.driver.memory": "1g"}
    for text, name in (
        ("java.lang.IllegalArgumentException: spark.cores.max should be int, but was lots", "spark.cores.max"),
        ("Exception in thread main: Executor cores must be a positive number", "spark.executor.cores"),
        ("Not allowed to specify max heap through java options. Use spark.driver.memory instead", None),
    ):
        refused = not_taken(text, asked)
        assert (refused and str(refused)) == (name and f"conf: Spark does not take this value of {name}")


@pytest.mark.own_spark
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spark", "sc"])
def test_a_master_that_listens_and_does_not_answer_is_given_up(source: Path, kind: str) -> None:
    with silent_server() as port:
        line = one_line(apart(source, "--master", f"{kind}://127.0.0.1:{port}", patience=3.0))
    assert f"nobody answers at {kind}://127.0.0.1:{port}" in line


def test_counts_that_do_not_fit_on_the_driver_say_what_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(
        pa.table({"q": [f"secret {number}" for number in range(40_000)], "s": ["x"] * 40_000}), tmp_path / "in.parquet"
    )
    with sf.Table.open(tmp_path / "in.parquet", TABLE, engine="spark") as table:
        message = r"40,000 different combinations of values need memory \d+00MB; or take fewer columns, or coarser values"
        from sfumato.engines.spark import counting

        monkeypatch.setattr(counting, "room_for_counts", lambda memory: 1000)
        with pytest.raises(UsageError, match=message):
            counting.fetched(table.engine._session, "SELECT c0, c1, count(*) AS n FROM source GROUP BY c0, c1", "1GB", "x")  # type: ignore[attr-defined]

        class TooLarge(Exception):
            pass

        def refuse(frame: object) -> None:
            monkeypatch.undo()
            raise TooLarge("Total size of serialized results is bigger than spark.driver.maxResultSize")

        from pyspark.sql.classic.dataframe import DataFrame

        monkeypatch.setattr(DataFrame, "toArrow", refuse)
        with pytest.raises(
            UsageError, match=r"40,000 different combinations .* conf=spark.driver.memory=2g would do, or take fewer"
        ):
            table.count()


def test_a_file_that_the_executors_do_not_see_is_named_as_such(source: Path, tmp_path: Path) -> None:
    """Here, one that is gone when they look for it."""
    with sf.Table.open(source, TABLE, engine="spark") as table:
        source.rename(tmp_path / "elsewhere.parquet")
        with pytest.raises(
            UsageError, match=r"the executors do not see a file .* must lie where all machines see them"
        ) as refused:
            table.count()
    log = Path(str(refused.value).rsplit(" ", 1)[1])
    text = log.read_text()
    assert "org.apache.spark" in text
    assert "secret" not in text
    assert str(source) not in text


def test_a_value_that_spark_quotes_is_neither_shown_nor_kept(
    source: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(engine: SparkEngine, *given: object) -> object:
        return engine._session.sql("SELECT CAST(c0 AS INT) FROM source").toArrow()

    monkeypatch.setattr(SparkEngine, "_cells", failing)
    with sf.Table.open(source, TABLE, engine="spark") as table, pytest.raises(UsageError) as refused:
        table.count()
    log = Path(str(refused.value).rsplit(" ", 1)[1])
    printed = capfd.readouterr()
    for text in (str(refused.value), log.read_text(), printed.out, printed.err, repr(refused.value.__context__)):
        assert "secret" not in text


def test_a_folder_is_never_replaced_and_other_endings_are_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for force in (False, True):
        with pytest.raises(OutputError, match="exists already, and a folder is not replaced"):
            sf.publish(source, TABLE, node=[0], output=tmp_path / "out", engine="spark", force=force)
    with pytest.raises(OutputError, match="cannot tell the format"):
        sf.publish(source, TABLE, node=[0], output=tmp_path / "out.txt", engine="spark")
    with pytest.raises(OutputError, match="cannot tell the format"):
        sf.publish(source, TABLE, node=[0], output=tmp_path / "new")


@pytest.mark.own_spark
@pytest.mark.slow
def test_a_connection_that_is_lost_in_the_middle_leaves_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_spark: None
) -> None:
    """Java is killed when the release has been written and its keys have not."""
    from sfumato.engines.spark import release

    write = release._write
    written = []

    def killing(frame: object, folder: Path) -> None:
        if written:
            os.kill(sessions._running.gateway.proc.pid, 9)  # type: ignore[union-attr]
        written.append(folder)
        write(frame, folder)  # type: ignore[arg-type]

    monkeypatch.setattr(release, "_write", killing)
    try:
        with pytest.raises(UsageError, match="the connection to Spark was lost, and nothing was published; start again"):
            sf.publish(source, TABLE, node=[0], output=tmp_path / "out", engine="spark")
        assert len(written) == 2
        assert {path.name for path in tmp_path.iterdir()} == {"in.parquet"}
    finally:
        sessions.stop()
        sessions.session_for(sessions.Settings(master="local[2]", conf=SMALL_SPARK))
    assert sf.publish(source, TABLE, node=[0], engine="spark").certificate.rows == 100


def test_two_ways_to_start_spark_in_one_process_are_refused(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = sessions._running
    assert running is not None
    from pyspark.sql import SparkSession

    monkeypatch.setattr(sessions, "_running", None)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: running.session)
    with pytest.raises(UsageError, match="a Spark session is running in this process already"):
        sf.Table.open(source, TABLE, engine="spark", master="local[3]")
    with sf.Table.open(source, TABLE, engine="spark") as table:
        assert table.count().total_rows == 100
