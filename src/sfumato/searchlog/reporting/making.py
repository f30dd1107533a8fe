"""`searchlog report`: everything that is measured of a log and its release, as one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.commit.call import one_call
from sfumato.commit.writing import write_text
from sfumato.errors import UsageError, argument
from sfumato.searchlog.attacking.attack import attack
from sfumato.searchlog.attacking.results import Attacked
from sfumato.searchlog.finding.making import Findings, find
from sfumato.searchlog.log import Watch
from sfumato.searchlog.usefulness import Usefulness, utility
from sfumato.searchlog.verifying import LogVerified, verify


@dataclass(frozen=True, slots=True, eq=False)
class LogReport:
    """What the page shows: what was found in the log, the release as it was verified, the attacks, and the utility."""

    file: Path
    found: Findings
    verified: LogVerified
    attacked: Attacked
    usefulness: Usefulness

    def as_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "found": self.found.as_dict(),
            "release": self.verified.as_dict(),
            "attacked": self.attacked.as_dict(),
            "utility": self.usefulness.as_dict(),
        }


def report(
    log: Any,
    release: str | PathLike[str],
    output: str | PathLike[str],
    *,
    owners: str | PathLike[str] | None = None,
    people: str | PathLike[str] | None = None,
    known: Sequence[str] = ("LastName", "Town", "Age"),
    topics: str | PathLike[str] | None = None,
    knows: int = 3,
    targets: int = 500,
    seed: int = 0,
    force: bool = False,
    watch: Watch | None = None,
    **options: Any,
) -> LogReport:
    """Verify a release, find, attack and compare, and write the page.

    Parameters
    ----------
    log : path, frame or Arrow table
        The log; also a folder that `generate` has written.
    release : path
        What was published of it, with its certificate beside it.
    output : path
        The page, an HTML file.
    owners, people, known, topics, knows, targets, seed : optional
        As in `attack`.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    from sfumato.searchlog.reporting.page import page

    file = Path(output)
    if file.suffix != ".html":
        raise UsageError("name a file that ends in .html", where=argument("output"))
    with one_call():
        verified = verify(release, owners=owners, **options)
        threshold = int(str(verified.certificate.promise["threshold"]))
        found = find(log, threshold=threshold, watch=watch, **options)
        who: dict[str, Any] = {"owners": owners, "people": people, "known": known, "topics": topics}
        attacked = attack(log, release, **who, knows=knows, targets=targets, common=threshold, seed=seed, watch=watch, **options)
        usefulness = utility(log, release, watch=watch, **options)
        made = LogReport(file, found, verified, attacked, usefulness)
        write_text(file, page(made), force=force)
    return made
