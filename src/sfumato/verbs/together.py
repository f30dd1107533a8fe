"""Judging a release together with the earlier ones in the ledger, for the verbs that publish."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.policy import Policy
from sfumato.release import Output
from sfumato.release.publishing import Watch
from sfumato.table import Table


def head_after(table: Table, policy: Policy, output: Output, together: Sequence[str] | str, watch: Watch) -> str | None:
    """The head of the ledger that a release was judged together with; None if nobody asked for that."""
    if not together:
        return None
    from sfumato.sequence.guard import require_together

    watch("judging it together with earlier releases", None)
    return require_together(table, policy, output, together)
