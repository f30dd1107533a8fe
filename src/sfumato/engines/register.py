"""The engines by name: one line each. Nothing heavy is loaded to read this list."""

from __future__ import annotations

# Module and class of each engine; loaded on first use.
ENGINES = {"duckdb": ("sfumato.engines.duckdb.engine", "DuckDBEngine")}
DEFAULT_ENGINE = next(iter(ENGINES))
