"""Sequences of releases: what somebody learns who has them all, and how to publish a table that grows and changes."""

from sfumato.sequence.audit import Alike, Audited, AuditedRelease, Step
from sfumato.sequence.candidates import Known
from sfumato.sequence.coalitions import Broken
from sfumato.sequence.history import LeftOut
from sfumato.sequence.invariance import Invariance
from sfumato.sequence.pairs import Pair
from sfumato.sequence.publishing import Next
from sfumato.sequence.verbs import audit, churn, next_release

__all__ = [
    "Alike",
    "Audited",
    "AuditedRelease",
    "Broken",
    "Invariance",
    "Known",
    "LeftOut",
    "Next",
    "Pair",
    "Step",
    "audit",
    "churn",
    "next_release",
]
