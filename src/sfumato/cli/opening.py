"""A table opened for a command, while the step that runs is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli import show

if TYPE_CHECKING:
    from sfumato.table import Table


@contextmanager
def opened(
    source: str, schema: Path, *, engine: str, memory: str | None, delimiter: str | None
) -> Iterator[tuple[Table, Callable[[str, Any], None]]]:
    """The table, and what to tell the next step to."""
    from sfumato.table import Table

    with (
        show.watching() as watch,
        Table.open(source, schema, engine=engine, memory_limit=memory, delimiter=delimiter) as table,
    ):
        yield table, watch
