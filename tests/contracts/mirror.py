"""A second engine for tests: DuckDB under another name, which notes what it opened."""

from __future__ import annotations

from typing import Any, ClassVar

from sfumato.engines.duckdb.engine import DuckDBEngine


class MirrorEngine(DuckDBEngine):
    name = "mirror"
    opened: ClassVar[list[Any]] = []

    def __init__(self, source: Any, *given: Any) -> None:
        self.opened.append(source)
        super().__init__(source, *given)
