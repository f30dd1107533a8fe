"""Commands that prepare a table."""
