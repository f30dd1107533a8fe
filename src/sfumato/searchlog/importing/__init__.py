"""Logs as they come, as one table. What cannot be read is counted by reason and set aside in a file; nothing is dropped silently."""
