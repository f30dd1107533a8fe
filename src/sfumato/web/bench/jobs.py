"""Work that takes long: what it is, how far it is, and how it ended. Who does it, a thread or another process, is not decided here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from sfumato.engines.base import Engine


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work. `share` is how much of its step is done, if that is known; `error` is one line if it failed; `result` is what it
    has to say besides what it wrote."""

    task: str
    step: str = ""
    share: float | None = None
    done: bool = False
    error: str | None = None
    result: Mapping[str, Any] | None = None

    @property
    def running(self) -> bool:
        return not self.done

    def as_dict(self) -> dict[str, Any]:
        """For the page that waits."""
        return {"task": self.task, "step": self.step, "share": self.share, "done": self.done, "error": self.error}


class Watch(Protocol):
    """Is told how far a job is."""

    def step(self, name: str, engine: Engine | None = None) -> None:
        """Say what is being done now, and by which engine, which may know how much of it is done."""

    def progress(self, done: int, of: int) -> None:
        """Say how much of the step is done."""


class Work(Protocol):
    """Does the jobs of one project, one at a time."""

    @property
    def current(self) -> Job | None:
        """The job that is being done, or the last one."""

    def start(self, task: str) -> bool:
        """Begin a job of `tasks.TASKS`; False if another one is being done."""
