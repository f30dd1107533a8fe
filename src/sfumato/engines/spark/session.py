"""The Spark of this process: started once, used by every engine, stopped with the process.

A session that somebody else has started is used as it is and never stopped. Ours says nothing on the terminal: what Java prints goes to
a file that is removed at the end, unless an error has named it.
"""

from __future__ import annotations

import atexit
import os
import re
import socket
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.engines.base import Settings
from sfumato.engines.memory import for_engine
from sfumato.engines.spark.arrow import in_time
from sfumato.engines.spark.counting import LIMIT, limit_of_results
from sfumato.engines.spark.guard import LOG, log_kept, text_of
from sfumato.engines.spark.java import require_java, require_pyspark
from sfumato.engines.spark.quiet import quiet, silence
from sfumato.engines.spark.settings import LEAST, enough_to_start, not_taken, refusal, require_free, require_room_for_results
from sfumato.engines.spark.watcher import Watcher
from sfumato.errors import UsageError, argument, raise_alone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOCAL = "local[*]"
PATIENCE = 25.0  # seconds until a master must have answered: with the start of Java, less than 30
JAVA_PATIENCE = 30.0  # until Java itself must have answered
_ADDRESS = re.compile(r"(?:spark|sc)://([^/,:]+|\[[^]]+\])(?::([0-9]+))?(?:[/,].*)?")
_REFUSED = re.compile(r'INVALID_CONF_VALUE.* in the config "([\w.]+)"')
_RETRIES, _PAUSE = 6, 2000  # the last in milliseconds
_MARKS = ("SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE")
_LOCAL = r"local(\[(\*|[1-9][0-9]*)( *, *[0-9]+)?\])?"
SUBMITTED = "PYSPARK_GATEWAY_PORT"  # where the Java of `spark-submit` listens
_PORTS = {"spark": 7077, "sc": 15002}
_QUIET = {
    "spark.app.name": "sfumato",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # what Spark logs quotes values
    "spark.sql.catalogImplementation": "in-memory",
}
# What our queries mean does not depend on how a session is set up.
_OURS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.sources.partitionOverwriteMode": "static",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",  # rows of one file stay together when they are joined
}


@dataclass(frozen=True, slots=True)
class _Running:
    """A session that was started here, and with what; the process of its Java and the file that it prints to, if they are ours; and who
    watches its executors, if they are processes of their own."""

    session: SparkSession
    asked: tuple[str | None, Mapping[str, str]]
    gateway: Any = None
    log: Path | None = None
    watcher: Watcher | None = None


_running: _Running | None = None


def session_for(settings: Settings) -> SparkSession:
    """A session of its own for an engine, with its own views and settings, in the Spark of this process."""
    require_pyspark()
    session = _existing(settings) or _started(settings)
    try:
        return private(session)
    except Exception as error:
        if (found := _REFUSED.search(str(error))) is None:
            raise
        raise_alone(refusal(found[1]))


def private(session: SparkSession) -> SparkSession:
    """A session beside another one."""
    own = session.newSession()
    if is_remote(own):
        _limit_retries(own)
    for name, value in _OURS.items():
        own.conf.set(name, value)
    return own


def is_remote(session: SparkSession) -> bool:
    """Whether a session is one of Spark Connect."""
    return ".connect." in type(session).__module__


def leave(session: SparkSession) -> None:
    """Let go of a private session: a server that is gone would be asked again and again when the process ends."""
    if is_remote(session):
        with suppress(Exception), quiet():
            session.client.close()


def _existing(settings: Settings) -> SparkSession | None:
    """The session that is running, ours or somebody else's, unless something else was asked for than it was started with."""
    asked = (settings.master, dict(settings.conf))
    if _running is not None:
        return _running.session if asked in ((None, {}), _running.asked) else None
    found = theirs()
    if found is not None and (settings.master is not None or settings.conf):
        raise UsageError(
            "a Spark session is running in this process already, and it is used; leave this out, or stop that one",
            where=argument("master" if settings.master is not None else "conf"),
        )
    return found


def theirs() -> SparkSession | None:
    """The session that somebody else has started in this process, in whatever thread; that of `spark-submit` begins when it is asked
    for."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is None and (SparkContext._active_spark_context is not None or SUBMITTED in os.environ):
        return SparkSession.builder.getOrCreate()
    return found


def _started(settings: Settings) -> SparkSession:
    global _running
    stop()
    master = settings.master or LOCAL
    require_answer(master)
    asked = (settings.master, dict(settings.conf))
    if master.startswith("sc://"):
        if settings.conf:
            raise UsageError("a server of Spark Connect has settings of its own; leave this out", where=argument("conf"))
        _running = _Running(_connected(master), asked)
    else:
        require_java()
        _running = _launched(master, settings, asked)
    atexit.register(stop)
    return _running.session


def require_answer(master: str) -> None:
    """Refuse a master at whose address nobody listens."""
    match = _ADDRESS.fullmatch(master)
    if match is None:
        if not re.fullmatch(rf"{_LOCAL}|yarn|k8s://.*", master):
            raise UsageError(
                "no address of a master; local[2], spark://host:7077 or sc://host:15002 would work", where=argument("master")
            )
        return
    port = int(match[2] or _PORTS[master.partition(":")[0]])
    try:
        socket.create_connection((match[1].strip("[]"), port), timeout=PATIENCE / 3).close()
    except OSError:
        raise _silent(master) from None


def _silent(master: str) -> UsageError:
    return UsageError(f"nobody answers at {master}; is Spark running there?", where=argument("master"))


def _connected(master: str) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        made = SparkSession.builder.remote(master).create()
        _limit_retries(made)
    except ImportError:
        raise_alone(UsageError('Spark Connect needs more libraries: pip install "pyspark[connect]"', where=argument("master")))
    try:
        answered = in_time(PATIENCE, lambda: made.version)
    except PySparkException:
        answered = None
    if answered is None:
        leave(made)
        raise_alone(_silent(master))
    return made


def _limit_retries(session: SparkSession) -> None:
    """Let a server that is gone be asked for some seconds, not for ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES, max_backoff=_PAUSE)])


def _launched(master: str, settings: Settings, asked: tuple[str | None, Mapping[str, str]]) -> _Running:
    """Start Java, and in it Spark; whatever goes wrong, nothing of it stays."""
    from pyspark import SparkConf
    from pyspark.java_gateway import launch_gateway

    require_free(settings.conf)
    conf = SparkConf(loadDefaults=False)
    chosen = {**_QUIET, **_machine(master, settings), **settings.conf, "spark.master": master}
    results = {LIMIT: limit_of_results(enough_to_start(chosen["spark.driver.memory"]))}
    require_room_for_results(chosen.get(LIMIT))
    place = tempfile.mkdtemp(prefix="sfumato-spark-")
    for name, value in {**results, **chosen, "spark.sql.warehouse.dir": place}.items():
        conf.set(name, value)
    log = Path(place, LOG)
    try:
        with log.open("wb") as printed:
            streams = {"stdout": printed, "stderr": printed}
            gateway = in_time(JAVA_PATIENCE, lambda: launch_gateway(conf, popen_kwargs=streams))  # type: ignore[no-untyped-call]
    except Exception:
        wrong = _not_started(log, settings.conf)
        log_kept.forget(log)
        raise_alone(wrong)
    except BaseException:
        log_kept.forget(log)
        raise
    if gateway is None:  # when this process ends, so does Java
        raise _not_started(log, {})
    silence.begin()
    try:
        session = _begun(master, conf, gateway, log, settings.conf)
        watcher = None if master.startswith("local") else Watcher(session, master)
        return _Running(session, asked, gateway, log, watcher)
    except BaseException:
        _end(gateway, log)
        raise


def _not_started(log: Path, asked: Mapping[str, str], error: BaseException | None = None) -> UsageError:
    """The setting that Spark did not take, of those asked for, or where to read what is wrong. No row has been read yet."""
    text = log.read_text(encoding="utf-8", errors="replace") + ("" if error is None else text_of(error))
    refused = not_taken(text, asked)
    return refused or UsageError(
        f"Spark cannot be started; what Java says is in {log_kept(log, error, whole=True)}", where=argument("engine")
    )


def _machine(master: str, settings: Settings) -> dict[str, str]:
    """What follows from where it runs: the engine's share of the memory limit, or half of what the machine has."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    memory = for_engine(settings.memory_limit) if settings.memory_limit is not None else whole // 2
    conf = {"spark.driver.memory": f"{max(memory >> 20, LEAST)}m"}
    if settings.temp is not None:
        conf["spark.local.dir"] = str(Path(settings.temp).absolute())
    if master.startswith("local"):
        conf |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
        conf["spark.driver.extraJavaOptions"] = (
            "-XX:+UseParallelGC"  # here nobody waits for a pause, and it takes a fifth less time
        )
    return conf


def _begun(master: str, conf: Any, gateway: Any, log: Path, asked: Mapping[str, str]) -> SparkSession:
    """The session, if its master answers in time; a local one takes what it takes."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    patience = None if master.startswith("local") else PATIENCE
    try:
        session = in_time(patience, lambda: SparkSession(SparkContext(conf=conf, gateway=gateway)))
    except Exception as error:
        raise_alone(_not_started(log, asked, error))
    if session is None:
        raise _silent(master)
    return session


def stop() -> None:
    """Stop what was started here."""
    global _running
    running, _running = _running, None
    if running is None:
        return
    if running.watcher is not None:
        running.watcher.end()
    with suppress(Exception), quiet():
        running.session.stop()
    leave(running.session)
    if running.gateway is None:
        for name in _MARKS:  # pyspark leaves them behind, and would start nothing else any more
            os.environ.pop(name, None)
    if running.gateway is not None and running.log is not None:
        _end(running.gateway, running.log)


def _end(gateway: Any, log: Path) -> None:
    """End the process of Java. It is ours: nothing else was told where it is."""
    from pyspark import SparkContext

    with suppress(Exception):
        gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(timeout=5)
    except Exception:
        gateway.proc.kill()
        gateway.proc.wait()
    silence.end()
    if SparkContext._gateway is gateway:
        SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
    log_kept.forget(log)


def log_of_session() -> Path | None:
    """The file that our Java prints to."""
    return _running.log if _running else None


def has_ended() -> bool:
    """Whether the process of our Java has ended, and nobody has stopped it here."""
    return _running is not None and _running.gateway is not None and _running.gateway.proc.poll() is not None


def without_executors() -> UsageError | None:
    """Why jobs of our Spark were cancelled, if nobody was there to do them."""
    return _running.watcher.wrong() if _running is not None and _running.watcher is not None else None
