"""Tests of sfumato.negotiation."""
