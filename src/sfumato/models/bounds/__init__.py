"""Bounds on losses as models."""
