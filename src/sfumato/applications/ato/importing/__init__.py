"""Logs as they come, as one table of events. What cannot be read is counted by reason and set aside in a file; what is no sign-in is
counted. Nothing is dropped silently."""
