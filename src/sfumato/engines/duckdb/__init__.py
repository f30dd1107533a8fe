"""The embedded engine: DuckDB. Everything that is DuckDB's own lives here."""
