"""The engines by name: one line each. Nothing heavy is loaded to read this list."""

from __future__ import annotations

# Module and class of each engine; loaded on first use.
ENGINES = {
    "duckdb": ("sfumato.engines.duckdb.engine", "DuckDBEngine"),
    "spark": ("sfumato.engines.spark.engine", "SparkEngine"),
}
# What runs plain SQL over what an engine has opened.
QUERIES = {
    "duckdb": ("sfumato.engines.duckdb.queries", "DuckDBQueries"),
    "spark": ("sfumato.engines.spark.queries", "SparkQueries"),
}
DEFAULT_ENGINE = next(iter(ENGINES))

# Engines on a cluster, which take the address of a master and settings of their own.
CLUSTERED = ("spark",)

# The engine of a table that no other one can open, by the library that made the table.
OWN = {"pyspark": "spark"}

# Files in which an engine keeps tables: what they are called, where they have which mark, and what copies a table out of one.
DATABASES = {"DuckDB": (8, b"DUCK", "sfumato.engines.duckdb.database", "copied_duckdb")}
