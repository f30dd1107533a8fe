"""Sequences of releases: what somebody learns who has them all, and how to publish a table that grows and changes."""
