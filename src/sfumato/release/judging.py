"""When a release is judged together with the earlier ones in its ledger, and by which of two questions.

A ledger that is named is a sequence: a release is judged together with the earlier ones by what each promises, without being asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.commit.call import read_aside
from sfumato.errors import UsageError, argument
from sfumato.release.chain import START, is_entry
from sfumato.release.output import Output
from sfumato.release.publishing import Watch
from sfumato.release.together import Alone, Judge, JudgedTogether

NONE = "none"
Asked = Sequence[str] | str | None
Judging = Callable[[tuple[str, ...]], JudgedTogether]


def wanted_of(together: Asked) -> tuple[str, ...]:
    """What was asked for, as a list; refuses `none` beside something else."""
    wanted = (together,) if isinstance(together, str) else tuple(together or ())
    if NONE in wanted and set(wanted) != {NONE}:
        raise UsageError(f"{NONE!r} judges nothing, so nothing else can be asked for beside it", where=argument("together"))
    return wanted


def judged_by(judging: Judging, output: Output, together: Asked, watch: Watch) -> Judge | Alone:
    """What judges a release together with the earlier ones in the ledger, or why nothing does. `judging` gets what was asked for: nothing,
    where a ledger was named."""
    wanted = wanted_of(together)
    if NONE in wanted:
        return Alone.ASKED
    if not wanted and (output.ledger is None or output.path is None):
        return Alone.UNNAMED

    def judge() -> JudgedTogether:
        if not wanted and not _has_entries(output):
            return JudgedTogether(START)
        watch("judging it together with earlier releases", None)
        with read_aside():  # what is read for this may be replaced, such as the file of an earlier release
            return judging(wanted)

    return judge


def _has_entries(output: Output) -> bool:
    """Whether there is anything in the ledger: if not, nothing is loaded that would judge it."""
    return output.folder.is_dir() and any(is_entry(path.name) for path in output.folder.iterdir())
