"""The jobs of a workbench, in a thread."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.web.bench.jobs import Job
from sfumato.web.bench.project import Project
from sfumato.web.bench.tasks import TASKS


class ThreadWork:
    """The current job of a project, or the last one."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._thread: threading.Thread | None = None

    @property
    def current(self) -> Job | None:
        return self._job

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

    def step(self, name: str, engine: object = None) -> None:
        """Say what is being done now."""
        self._change(step=name, share=None)

    def progress(self, done: int, of: int) -> None:
        """Say how much of the step is done."""
        self._change(share=min(done / of, 1.0) if of else None)

    def _change(self, **what: Any) -> None:
        if self._job is not None:
            self._job = replace(self._job, **what)

    def _run(self, task: str) -> None:
        try:
            self._change(result=TASKS[task](self._project, self), done=True)
        except SfumatoError as error:
            self._change(error=str(error), done=True)
        except Exception as error:
            self._change(error=f"a bug in sfumato ({type(error).__name__})", done=True)
