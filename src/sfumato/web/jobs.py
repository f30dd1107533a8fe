"""Work that takes long, one at a time: what it is, how far it is, and how it ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sfumato.errors import SfumatoError


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work. `share` is how much of it is done, if that is known; `error` is one line if it failed."""

    name: str
    step: str = ""
    share: float | None = None
    done: bool = False
    error: str | None = None
    result: Any = None

    @property
    def running(self) -> bool:
        return not self.done

    def as_dict(self) -> dict[str, Any]:
        """For the page that waits."""
        return {"name": self.name, "step": self.step, "share": self.share, "done": self.done, "error": self.error}


class Jobs:
    """The current job, or the last one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._thread: threading.Thread | None = None

    @property
    def current(self) -> Job | None:
        return self._job

    def start(self, name: str, work: Callable[[Jobs], Any]) -> bool:
        """Begin a job; False if another one is running."""
        with self._lock:
            if self._job is not None and self._job.running:
                return False
            self._job = Job(name)
            self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
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

    def _run(self, work: Callable[[Jobs], Any]) -> None:
        try:
            self._change(result=work(self), done=True)
        except SfumatoError as error:
            self._change(error=str(error), done=True)
        except Exception as error:
            self._change(error=f"a bug in sfumato ({type(error).__name__})", done=True)
