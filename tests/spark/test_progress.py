"""A long count shows how far it is."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq

import sfumato as sf
from sfumato.engines.spark.progress import Reported
from tests.spark.cluster import until

TABLE = sf.Schema.parse('[attributes.q]\nrole="quasi"\n')


def test_the_share_of_the_tasks_that_are_done_is_told_while_spark_counts(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(24):
        pq.write_table(pa.table({"q": [f"v{number}"] * 10}), tmp_path / "in" / f"{number:02}.parquet")
    with sf.Table.open(tmp_path / "in", TABLE, engine="spark") as table:
        table.engine._session.conf.set("spark.sql.files.openCostInBytes", "1g")  # type: ignore[attr-defined]  # a task for every file
        reports: list[float | None] = []
        counting = Thread(target=table.count)
        counting.start()
        until(lambda: reports.append(table.engine.progress()) or not counting.is_alive(), 0.001)
        shares = [share for share in reports if share is not None]
        assert all(0 <= share <= 1 for share in shares)
        assert any(0 < share < 1 for share in shares)
        assert table.engine.progress() is None  # nothing runs any more


def test_a_server_tells_of_its_own_accord() -> None:
    class Stage:
        num_tasks, num_completed_tasks = 8, 2

    class Session:
        def registerProgressHandler(self, handler: object) -> None:  # noqa: N802  Spark's name
            self.tell = handler

    session = Session()
    progress = Reported(session)  # type: ignore[arg-type]
    assert progress.share() is None
    session.tell(stages=[Stage()], inflight_tasks=2, operation_id=None, done=False)  # type: ignore[operator]
    assert progress.share() == 0.25
    session.tell(stages=[Stage()], inflight_tasks=0, operation_id=None, done=True)  # type: ignore[operator]
    assert progress.share() is None
