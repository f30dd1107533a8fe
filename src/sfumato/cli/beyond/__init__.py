"""Commands for what goes beyond one table."""
