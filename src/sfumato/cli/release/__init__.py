"""Commands that release a table."""
