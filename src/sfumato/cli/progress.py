"""A progress bar that asks the engine for its progress whenever it is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from sfumato.engines.base import Engine


class EngineProgress(Progress):
    """One line on standard error: the step, a bar if the engine knows its progress, and the time. Removed at the end."""

    engine: Engine | None = None

    def __init__(self) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        super().__init__(*columns, console=Console(stderr=True, emoji=False), transient=True)
        self.add_task("opening", total=None)

    def watch(self, step: str, engine: Engine | None) -> None:
        """Start the next step."""
        self.engine = engine
        self.reset(self.task_ids[0], description=step, total=None)

    def get_renderables(self) -> Iterable[RenderableType]:
        done = self.engine.progress() if self.engine else None
        for task in self.tasks:
            task.total, task.completed = (None, 0.0) if done is None else (1.0, done)
        return super().get_renderables()
