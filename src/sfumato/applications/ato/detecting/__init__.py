"""Detection: scores of new logins with their reasons, alerts within a budget, and campaigns of addresses that act together."""

from sfumato.applications.ato.detecting.detecting import Detected, detect

__all__ = ["Detected", "detect"]
