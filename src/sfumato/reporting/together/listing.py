"""The releases that were put together, how far they are m-invariant, and which are not here and why."""

from __future__ import annotations

from pathlib import PurePath

from sfumato.errors import several
from sfumato.release.invariant import M_INVARIANCE
from sfumato.reporting.markup import Cell, Html, joined, listed, paragraphs, table, tag, with_options
from sfumato.reporting.sentences import people
from sfumato.sequence import Audited, AuditedRelease, Invariance

RELEASES_TITLE = "The releases"
INVARIANCE_TITLE = "m-invariance"
LEFT_OUT_TITLE = "What is not in it"
_SHORT = 24  # letters


def releases(audited: Audited) -> Html:
    """One line per release; people without the records that are nobody’s."""
    invariant = any(each.counterfeits is not None for each in audited.releases)
    heads = [
        "release",
        "file",
        "day",
        "table",
        "people",
        "classes",
        "suppressed",
        *(["counterfeits"] if invariant else []),
        "promises",
    ]
    names = _tables(audited)
    rows = [_line(each, names[each.table], invariant) for each in audited.releases]
    about = (
        "Releases have the numbers of their entries in the ledger. A class of a release is the people whose published columns are the same "
        "in it, apart from the sensitive ones."
    )
    if invariant:
        about += " Of an m-invariant release it is a group: its map says who is in which."
    if len(names) > 1:
        about += " People are followed from table to table by the owner column."
    return joined(
        [
            tag("h2", RELEASES_TITLE),
            paragraphs(about),
            table("The releases that are put together", heads, rows, name="releases-table"),
        ]
    )


def _line(release: AuditedRelease, table_name: Html, invariant: bool) -> list[Cell]:
    counterfeits: list[Cell] = [release.counterfeits or 0] if invariant else []
    day = tag("span", release.time[:10], class_="word")
    counts: list[Cell] = [real(release), release.classes, release.suppressed, *counterfeits]
    return [release.number, _file(release.file), day, table_name, *counts, ", ".join(release.models) or "nothing"]


def real(release: AuditedRelease) -> int:
    """The people of a release: its records without the counterfeits."""
    return release.people - (release.counterfeits or 0)


def _file(name: str) -> Html:
    """The name of a file; a short one stays in one line."""
    return tag("code", name, class_="word" if len(name) <= _SHORT else None)


def _tables(audited: Audited) -> dict[int, Html]:
    """Each table with its number and the name of its file, or its place where two tables have files of one name."""
    sources = {each.table: each.source for each in audited.releases}
    names = [PurePath(source).name for source in sources.values() if source is not None]
    shown = {}
    for number, source in sources.items():
        if source is None:
            shown[number] = joined([f"{number}, from memory"])
            continue
        name = PurePath(source).name
        shown[number] = joined([f"{number}: ", _file(name if names.count(name) == 1 else source)])
    return shown


def invariance(audited: Audited) -> Html:
    """How far the sequence is m-invariant, and what is in the way."""
    about = (
        "In an m-invariant sequence everybody is in groups of at least m different sensitive values, and whoever comes again is among the "
        "same values as before. So none of these can be ruled out, however many releases somebody has. A counterfeit is a record of "
        "nobody, where no newcomer had a value that a group needs."
    )
    return joined(
        [tag("h2", INVARIANCE_TITLE), paragraphs(about), *(part for each in audited.invariance for part in _kept(audited, each))]
    )


def _kept(audited: Audited, each: Invariance) -> list[Html]:
    """The m of one attribute, or what is in the way; the heat map of broken models has the pairs already."""
    if each.m:
        return [paragraphs(f"{each.sensitive}: the sequence is {each.m}-invariant.")]
    parts = [paragraphs(f"{each.sensitive}: the sequence is m-invariant for no m.")]
    repeated = [(f"release {number}", count) for number, count in each.repeated if count]
    if repeated:
        parts.append(table("Groups with a value twice", ["in", "groups"], repeated, name=f"repeated-{each.sensitive}"))
    drawn = len(audited.releases) > 2 and any(broken.model.startswith(M_INVARIANCE) for broken in audited.broken)
    moved = [(f"{one} and {other}", count) for one, other, count in each.moved if count]
    if moved and not drawn:
        parts.append(
            table("People who are among other values than before", ["releases", "people"], moved, name=f"moved-{each.sensitive}")
        )
    return parts


def left_out(audited: Audited) -> Html:
    """What was not audited, and why."""
    lines: list[str] = []
    lines += [
        f"{each}: what it promises depends on more than the classes of people, so it cannot be judged on several releases."
        for each in audited.unjudged
    ]
    if audited.changed:
        lines.append(
            f"People with another sensitive value than before: {several(audited.changed, 'time')}. What the change itself tells is not "
            "counted."
        )
    lines.append(
        "Releases that are in no ledger or in another one, and everything else that others may have: graphs, search logs, tables of "
        "somebody else."
    )
    rows = [(each.number, _file(each.file), each.reason) for each in audited.left_out]
    parts: list[Cell] = [tag("h2", LEFT_OUT_TITLE)]
    if rows:
        parts.append(
            table("Releases of this ledger that are not audited", ["release", "file", "why"], rows, name="left-out-table")
        )
    return joined([*parts, listed(map(with_options, lines))])


def size(audited: Audited) -> str:
    """The head of the page."""
    return f"{several(len(audited.releases), 'release')} of {people(audited.alike[-1].people)}"
