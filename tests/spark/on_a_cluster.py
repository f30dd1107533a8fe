"""On a real cluster, a machine dies in the middle: the result is the right one all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from threading import Thread
from typing import Any

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.spark import session as sessions
from sfumato.engines.spark.watcher import SETTING
from sfumato.errors import UsageError
from tests.conftest import SMALL_SPARK
from tests.spark.cluster import Cluster, until
from tests.spark.tables import SCHEMA, rows
from tests.spark.test_same_as_duckdb import alike, table_of

pytestmark = [pytest.mark.own_spark, pytest.mark.slow]
FILES = 40
CONF = {
    **SMALL_SPARK,
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.files.openCostInBytes": "1g",  # a task for every file
    "spark.sql.shuffle.partitions": "8",
    "spark.executor.extraJavaOptions": SMALL_SPARK["spark.driver.extraJavaOptions"],
    "spark.shuffle.io.maxRetries": "1",  # nobody waits for the dead
    "spark.shuffle.io.retryWait": "100ms",
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster to be started, that this process works on. How long one waits for a master is tested elsewhere: here the machine may be
    busy."""
    monkeypatch.setattr(sessions, "PATIENCE", 300.0)
    made = Cluster(tmp_path)
    try:
        yield made
    finally:
        sessions.stop()
        made.stop()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "table").mkdir()
    for number in range(FILES):
        pq.write_table(rows(20, seed=number), tmp_path / "table" / f"{number:03}.parquet")
    return tmp_path / "table"


class Killer(Thread):
    """Kills a worker as soon as some tasks of a stage are done and others are not."""

    def __init__(self, worker: Popen[bytes]) -> None:
        super().__init__(daemon=True)
        self.worker, self.stage = worker, None
        self.start()

    def run(self) -> None:
        until(self._in_the_middle, 0.005)
        self.worker.kill()

    def _in_the_middle(self) -> bool:
        running = sessions._running
        tracker = running.session.sparkContext.statusTracker() if running else None
        for stage in tracker.getActiveStageIds() if tracker else ():
            about: Any = tracker.getStageInfo(stage)
            if about and about.numTasks >= FILES and about.numActiveTasks and 1 <= about.numCompletedTasks < FILES - 1:
                self.stage = about
                return True
        return False


def executors() -> int:
    running = sessions._running
    return (
        len(running.session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()) - 1 if running else 0
    )  # without the driver


def two_executors() -> bool:
    return executors() == 2


def test_a_worker_dies_in_the_middle_of_a_count_and_another_in_the_middle_of_a_release(
    cluster: Cluster, source: Path, tmp_path: Path
) -> None:
    options, node = {"engine": "spark", "master": cluster.master, "conf": CONF}, {"age": 1, "zip": 1}
    schema = SCHEMA.with_role("who", "identifier").with_role("share", "plain")
    cluster.start()
    with sf.Table.open(source, schema) as plain:
        expected = plain.count()
    other = sf.publish(source, schema, quasi=["age", "zip"], node=node, output=tmp_path / "plain.parquet").certificate

    with sf.Table.open(source, schema, **options) as table:
        until(two_executors)
        killer = Killer(cluster.processes[1])
        counts = table.count()
        killer.join()
        assert killer.stage is not None
        assert counts.same_as(expected)

        cluster.add_worker()
        until(two_executors)
        killers = []

        def watch(step: str, engine: object) -> None:
            if step == "writing":
                killers.append(Killer(cluster.processes[2]))

        release = sf.publish(table, quasi=["age", "zip"], node=node, output=tmp_path / "out", watch=watch)
        killers[0].join()
        assert killers[0].stage is not None
    assert cluster.processes[1].wait() == cluster.processes[2].wait() == -9
    made = release.certificate
    assert (made.people, made.rows, made.classes, made.smallest_class) == (
        other.people,
        other.rows,
        other.classes,
        other.smallest_class,
    )
    assert alike(table_of(tmp_path / "out"), table_of(tmp_path / "plain.parquet"))
    assert sf.verify(tmp_path / "out").rows == release.certificate.rows


def test_without_anybody_to_work_there_is_one_line_and_not_as_long_as_somebody_is_there(cluster: Cluster, source: Path) -> None:
    options = {"engine": "spark", "master": cluster.master, "conf": CONF | {SETTING: "1s"}}
    schema = SCHEMA.with_role("who", "identifier").with_role("share", "plain")
    cluster.start(workers=0)
    less, longer = r"\(conf=spark.executor.memory=512m\)", rf"\(conf={SETTING}=10min\)"
    with pytest.raises(
        UsageError, match=f"no executor answers at {cluster.master}; start a worker, .*{less}, .*1 second {longer}"
    ):
        sf.Table.open(source, schema, **options)
    worker = cluster.add_worker()
    until(executors)
    with sf.Table.open(source, schema, **options) as table:
        killer = Killer(worker)
        with pytest.raises(
            UsageError, match="the connection to Spark was lost, and nothing was published: no executor is left at"
        ):
            table.count()
        killer.join()
        assert killer.stage is not None


def test_spark_connect_publishes_the_same(cluster: Cluster, tmp_path: Path) -> None:
    options = {"engine": "spark", "master": cluster.start_connect()}
    pq.write_table(rows(100), tmp_path / "in.parquet")
    for to, given in (("plain.parquet", {}), ("out", options), ("file.parquet", options)):
        sf.publish(tmp_path / "in.parquet", SCHEMA, quasi="age", node=[1], output=tmp_path / to, **given)
    assert alike(table_of(tmp_path / "out"), table_of(tmp_path / "plain.parquet"))
    assert (tmp_path / "file.parquet").read_bytes() == (tmp_path / "plain.parquet").read_bytes()
    assert sf.verify(tmp_path / "out", **options).rows == 100
    cluster.stop()
    with pytest.raises(UsageError, match="the connection to Spark was lost"):
        sf.verify(tmp_path / "out", **options)
