"""Tests of the hierarchy builders, one file each."""
