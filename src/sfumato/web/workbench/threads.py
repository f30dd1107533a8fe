"""The jobs of a workbench, in a thread."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sfumato.engines.base import Engine
from sfumato.errors import SfumatoError, visible
from sfumato.web.bench.jobs import Job
from sfumato.web.bench.project import Project
from sfumato.web.bench.tasks import TASKS
from sfumato.web.workbench.wrongs import unexpected_words


class _Ended(BaseException):
    """The workbench ends, and so does what it was doing."""


class ThreadWork:
    """The current job of a project, or the last one. `failed` is told what goes wrong, in the words of the shell."""

    def __init__(self, project: Project, failed: Callable[[str], None] = lambda line: None) -> None:
        self._project, self._failed = project, failed
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._engine: Engine | None = None
        self._thread: threading.Thread | None = None
        self._ending = False

    @property
    def current(self) -> Job | None:
        """With how much of its step is done, if its engine knows."""
        job, engine = self._job, self._engine
        if job is None or job.done or engine is None:
            return job
        return replace(job, share=engine.progress())

    def start(self, task: str) -> bool:
        """Begin a job; False if another one is running."""
        with self._lock:
            if self._job is not None and self._job.running:
                return False
            self._job = Job(task)
            self._thread = threading.Thread(target=self._run, args=(task,), daemon=True)
            self._thread.start()
        return True

    def wait(self, seconds: float | None = None) -> Job | None:
        """The current job when it has ended, or when the time is over."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self._job

    def end(self) -> None:
        """Leave the current job at its next step."""
        self._ending = True

    def left(self, seconds: float) -> bool:
        """Whether no job is under way any more, at the latest when the time is over."""
        self.wait(seconds)
        return self._thread is None or not self._thread.is_alive()

    def step(self, name: str, engine: Engine | None = None) -> None:
        """Say what is being done now."""
        self._engine = engine
        self._change(step=name, share=None)

    def progress(self, done: int, of: int) -> None:
        """Say how much of the step is done."""
        self._change(share=min(done / of, 1.0) if of else None)

    def _change(self, **what: Any) -> None:
        if self._ending:
            raise _Ended
        if self._job is not None:
            self._job = replace(self._job, **what)

    def _run(self, task: str) -> None:
        ended: dict[str, Any] = {}
        try:
            ended["result"] = TASKS[task](self._project, self)
        except _Ended:
            return
        except SfumatoError as error:
            message, where = error.in_shell()
            ended["error"] = visible(f"{where}: {message}" if where else message)
        except Exception as error:
            ended["error"] = unexpected_words(error)
            if "SFUMATO_DEBUG" in os.environ:
                traceback.print_exc()
        self._engine = None
        if self._job is not None:
            self._job = replace(self._job, **ended, done=True)
        if "error" in ended:
            self._failed(ended["error"])
