"""Suggests a schema from the contents of the columns."""
