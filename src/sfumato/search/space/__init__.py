"""The policy space: every node with its losses and verdicts, and what can be looked up in it."""

from sfumato.search.space.policies import About, Point, PolicySpace

__all__ = ["About", "Point", "PolicySpace"]
