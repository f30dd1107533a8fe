"""Tests of the frozen values, one file per module."""
