"""What would help before the next release, as commands, and what the page cannot tell. Unknown names are in capitals."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from sfumato.release.invariant import M_INVARIANCE
from sfumato.reporting.markup import Html, code, joined, listed, paragraphs, tag, with_options
from sfumato.sequence import Audited

HELP_TITLE = "What would help before the next release"
ASSUMPTIONS_TITLE = "What this page does not tell"
_COUNTED = (f"{M_INVARIANCE}:", "distinct-diversity:")  # models that ask for so many values


def helping(audited: Audited) -> Html:
    """The commands, each with what it is for."""
    return joined([tag("h2", HELP_TITLE), *(part for why, command in advice(audited) for part in _one(why, command))])


def _one(why: str, command: list[str]) -> list[Html]:
    return [paragraphs(with_options(why)), *([tag("pre", code(shlex.join(command)))] if command else [])]


def advice(audited: Audited) -> Iterator[tuple[str, list[str]]]:
    """Sentences and commands, the best first."""
    last = audited.releases[-1]
    if last.mapping is not None and audited.kept:
        yield (
            "Go on with the sequence. Whoever was in it before stays among the same values. The map is the one of the last release.",
            _next(audited, _m(audited), last.mapping),
        )
    elif last.mapping is not None:
        yield (
            "A release belongs to a sequence if it begins with the map of the release before (--after); these do not all do. Begin a new "
            "sequence, in a ledger of its own, and go on from its map. What these releases have told stays known.",
            _next(audited, _m(audited), None),
        )
    elif audited.broken:
        yield (
            "These releases have broken their promise already. Whatever is judged together with them is refused by the same model, with "
            "few exceptions; --together can name a weaker one.",
            [],
        )
    elif audited.judged:
        yield (
            "Ask before it is published: a release that would break a promise together with earlier ones is refused, and nothing is "
            "written.",
            _together(audited),
        )
    if last.mapping is None and audited.followed and len(audited.steps) == 1:
        yield (
            "Begin an m-invariant sequence, in a ledger of its own: what its releases tell together does not grow. What the earlier "
            "releases have told stays known.",
            _next(audited, _m(audited), None),
        )
    elif last.mapping is None and max(each.table for each in audited.releases) > 1:
        yield "Publish fewer columns, or coarser ones: the groups that people share become larger.", []
    if last.mapping is None and max(each.table for each in audited.releases) == 1 and len(audited.releases) > 1:
        yield (
            "These are releases of one table. Give every reader the same one: a release that is coarser in every column than one that is "
            "out tells nothing new.",
            [],
        )
    yield "Make this page again after the next release.", _again(audited)


def _m(audited: Audited) -> int:
    """The m of the sequence; for a new one, the diversity that was promised."""
    kept = [each.m for each in audited.invariance if each.m]
    promised = [model.partition(":")[2] for each in audited.releases for model in each.models if model.startswith(_COUNTED)]
    return min(kept) if kept else max([2, *(int(each) for each in promised if each.isdigit())])


def _next(audited: Audited, m: int, mapping: str | None) -> list[str]:
    after = [] if mapping is None else ["--after", mapping]
    ledger = "NEW-LEDGER" if mapping is None else _ledger(audited)
    words = ["sfumato", "sequence", "next", "TABLE", "-s", _schema(audited), "-m", str(m), *after]
    return [*words, "--map", "NEW-MAP", "-o", "RELEASE", "--ledger", ledger]


def _together(audited: Audited) -> list[str]:
    promised = [each for each in audited.releases[-1].models if not each.startswith(f"{M_INVARIANCE}:")]
    models = [word for each in promised for word in ("-m", each)]
    asked = ["promised"] if promised else list(audited.judged)
    together = [word for each in asked for word in ("--together", each)]
    words = ["sfumato", "anonymize", "TABLE", "-s", _schema(audited), *(models or ["-m", "MODEL"]), *together]
    return [*words, "-o", "RELEASE", "--ledger", _ledger(audited)]


def _again(audited: Audited) -> list[str]:
    return ["sfumato", "sequence", "report", _ledger(audited), "-s", _schema(audited), "-o", "report.html"]


def _schema(audited: Audited) -> str:
    return audited.schema or "SCHEMA"


def _ledger(audited: Audited) -> str:
    return "LEDGER" if audited.ledger is None else str(audited.ledger)


def assumptions(audited: Audited) -> Html:
    """What is assumed, and what may be otherwise."""
    lines = [
        "Others are taken to know who is in which table. Where they do not, they know less than this page says.",
        "They are taken to know the class of a person in every release, and in the group of people who are alone also which rows are one "
        "person’s. Nobody learns more from the releases by themselves.",
        "Whoever knows more columns of a person than were published, or a sensitive value of somebody else in the class, may learn more.",
        "Beliefs are compared with the first table, as what was believed before anything was released. Who believed otherwise learned "
        "otherwise.",
        "Nothing is said about who these people are. The counts come from the tables and the files; the page has no value of a record.",
    ]
    if len(audited.releases) > 1 and not audited.followed:
        lines.append("There is no owner column: the releases are of one table, and a row is a person.")
    return joined([tag("h2", ASSUMPTIONS_TITLE), listed(lines)])
