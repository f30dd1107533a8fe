"""Tests of sfumato.negotiation.game."""
