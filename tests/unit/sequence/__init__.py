"""Tests of sfumato.sequence."""
