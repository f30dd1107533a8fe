"""A standalone cluster on loopback: a master and its workers, each a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pyspark

from tests.conftest import SMALL_SPARK

HOME = Path(pyspark.__file__).parent
PATIENCE = 180  # seconds until something must have happened


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@dataclass
class Cluster:
    folder: Path
    port: int = field(default_factory=free_port)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def start(self, workers: int = 2) -> None:
        """The master, and some workers."""
        self._run("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        until(self._listens)
        for _ in range(workers):
            self.add_worker()

    def add_worker(self) -> subprocess.Popen[bytes]:
        place = self.folder / f"worker-{len(self.processes)}"
        words = ["--host", "127.0.0.1", "--cores", "1", "--memory", "600M", "--webui-port", "0", "--work-dir", str(place)]
        return self._run("org.apache.spark.deploy.worker.Worker", *words, self.master)

    def start_connect(self) -> str:
        """A server of Spark Connect instead, with a Spark of its own; returns its address."""
        given = {name: value for name, value in SMALL_SPARK.items() if name != "spark.driver.memory"}
        settings = [f"spark.connect.grpc.binding.port={self.port}", "spark.ui.enabled=false"]
        settings += [f"{name}={value}" for name, value in given.items()]
        words = [word for setting in settings for word in ("--conf", setting)]
        main = ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]"]
        self._run(*main, *words, "spark-internal", script="spark-submit")
        until(self._listens)
        return f"sc://127.0.0.1:{self.port}"

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _run(self, *words: str, script: str = "spark-class") -> subprocess.Popen[bytes]:
        log = self.folder / f"log-{len(self.processes)}"
        env = os.environ | {
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_JAVA_OPTS": SMALL_SPARK["spark.driver.extraJavaOptions"],
            "SPARK_LAUNCHER_OPTS": SMALL_SPARK["spark.driver.extraJavaOptions"],
            "SPARK_DAEMON_MEMORY": "256m" if script == "spark-class" else "768m",
        }
        with log.open("wb") as printed:
            self.processes.append(subprocess.Popen([HOME / "bin" / script, *words], env=env, stdout=printed, stderr=printed))
        return self.processes[-1]

    def _listens(self) -> bool:
        assert all(process.poll() is None for process in self.processes), f"see the logs in {self.folder}"
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True


def until(happened: object, step: float = 0.02) -> None:
    """Wait until something has happened, and look often."""
    pause = Event()
    for _ in range(int(PATIENCE / step)):
        if happened():  # type: ignore[operator]
            return
        pause.wait(step)
    raise AssertionError("it has not happened")
