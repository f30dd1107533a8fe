"""What a release must keep together with the earlier ones in a ledger, judged before anything is written.

The earlier releases are those of the ledger under the same schema. The head of the ledger is handed back: the release is entered after
that entry or not at all, for another one that came in between was not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import numpy as np

from sfumato.errors import DataSayNo, UsageError, argument
from sfumato.policy import Policy
from sfumato.release.chain import START
from sfumato.release.output import Output
from sfumato.sequence.audit import broken_in
from sfumato.sequence.coalitions import PROMISED
from sfumato.sequence.history import history_of, open_tables
from sfumato.sequence.members import Planned, joint_of
from sfumato.table import Table
from sfumato.vocabulary.recoding import Recoding

NEW = "this one"


def require_together(
    table: Table,
    policy: Policy,
    output: Output,
    together: Sequence[str] | str,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Refuse a release that breaks a bound together with earlier ones; the head of the ledger that was judged."""
    wanted = [together] if isinstance(together, str) else list(together)
    if output.path is None:
        raise UsageError("a release in memory enters no ledger; name the file to write", where=argument("output"))
    if not isinstance(policy.recoding, Recoding):
        raise UsageError("a local recoding cannot be judged together with other releases", where=argument("together"))
    if not output.folder.is_dir():
        return START
    history = history_of(output.folder, table.declared)
    if not history.releases:
        return history.head
    planned = _planned(table, policy, policy.recoding)
    with ExitStack() as stack:
        tables = open_tables(history, table.source, table.declared, [table], stack, foreign=True)
        joint = joint_of(history.releases, tables, table.declared, planned)
        broken, judged, unjudged = broken_in(joint, wanted, having=len(history.releases), progress=progress)
        before = broken_in(joint_of(history.releases, tables, table.declared), wanted)[0] if broken else []
    if unjudged:
        raise UsageError(
            f"{unjudged[0]} is promised, and cannot be judged on several releases together; name the models that they must keep",
            where=argument("together"),
        )
    if not judged:
        raise UsageError(
            f"no release promises a model, so {PROMISED!r} asks for nothing; name one, such as k-anonymity:5",
            where=argument("together"),
        )
    if broken:
        found = "; ".join(each.line() for each in broken)
        already = f"; without this one, {'; '.join(each.line() for each in before)}" if before else ""
        raise DataSayNo(f"{found}{already}; nothing was published", where=argument("together"))
    return history.head


def _planned(table: Table, policy: Policy, recoding: Recoding) -> Planned:
    """What the release will be."""
    classes = policy.counts(table).roll_up(recoding.node)
    kept = np.array([tuple(map(int, codes)) not in recoding.suppressed for codes in classes.codes], bool)
    models = tuple(map(str, policy.models))
    return Planned(NEW, table.digest(), recoding.node.as_dict(), classes.keep(kept), models, recoding.stars)
