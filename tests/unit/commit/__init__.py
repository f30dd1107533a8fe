"""Tests of the room `commit`."""
