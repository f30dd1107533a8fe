"""Collaborative detection."""
