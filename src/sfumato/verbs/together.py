"""Judging a release together with the earlier ones in the ledger, for the verbs that publish."""

from __future__ import annotations

from sfumato.policy import Policy
from sfumato.release import Output
from sfumato.release.judging import Asked, judged_by, wanted_of
from sfumato.release.publishing import Watch
from sfumato.release.together import Alone, Judge, JudgedTogether
from sfumato.table import Table

__all__ = ["Asked", "judge_of", "wanted_of"]


def judge_of(table: Table, policy: Policy, output: Output, together: Asked, watch: Watch) -> Judge | Alone:
    """What judges a release together with the earlier ones in the ledger, or why nothing does."""

    def judging(wanted: tuple[str, ...]) -> JudgedTogether:
        from sfumato.sequence.guard import judged, planned_of

        return judged(table, lambda: planned_of(table, policy), output, wanted, promises=bool(policy.models), watch=watch)

    return judged_by(judging, output, together, watch)
