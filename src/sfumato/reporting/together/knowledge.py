"""What somebody knows of people after one release, two, and so on: who is certain, what is possible, who is alone, what is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.reporting.markup import Html, joined, paragraphs, table, tag
from sfumato.reporting.sentences import percent
from sfumato.reporting.sequence import BANDS
from sfumato.reporting.svg import bars
from sfumato.reporting.together.pictures import stacked_picture
from sfumato.sequence import Audited, Step

CERTAIN_TITLE = "Who is known for certain"
POSSIBLE_TITLE = "How many values remain possible"
ALONE_TITLE = "Who is alone"
BELIEFS_TITLE = "What is believed of people"
NBSP = "\N{NO-BREAK SPACE}"
ADDED = "Each line adds a release to those above it."
# Of people who are alone in an m-invariant sequence.
LITTLE = (
    "Of m-invariant releases this says little: their groups are made anew each time, and the files do not show which rows are one "
    "person’s."
)


def lines_of(audited: Audited) -> list[str]:
    """The names of the lines: the first release, and each that comes to it."""
    first, *more = [each.number for each in audited.releases]
    return [f"release{NBSP}{first}", *(f"and{NBSP}{number}" for number in more)]


def certain(audited: Audited) -> Html:
    """People of whom one value remains possible."""
    about = (
        "Somebody may know in which class a person is, in every release. The person’s sensitive value is in all of these classes, so "
        "only values that are in all of them remain possible. Where one remains, it is known for certain."
        + (" Who came again with another value counts once for each value." if audited.changed else "")
    )
    parts = [tag("h2", CERTAIN_TITLE), paragraphs(about)]
    for number, (name, steps) in enumerate(audited.steps.items()):
        rows = [(line, step.known) for line, step in zip(lines_of(audited), steps, strict=True)]
        bar = [(line, known.certain) for line, known in rows]
        lines = [(line, known.people, known.certain, percent(known.certain / max(known.people, 1))) for line, known in rows]
        parts += [
            *_heading(audited, name),
            _counted(f"certain-{number}", f"Known for certain: {name}", "The people whose value is known for certain", bar),
            table(
                f"{name}: people known for certain", ["with", "people", "certain", "share"], lines, name=f"certain-{number}-table"
            ),
        ]
    return joined(parts)


def possible(audited: Audited) -> Html:
    """People by how many values remain possible."""
    about = (
        "The fewer values remain possible for a person, the better others can guess. These are all people of the releases so far, by how "
        "many remain."
    )
    parts = [tag("h2", POSSIBLE_TITLE), paragraphs(about)]
    keys = [label for *_, label, _ in BANDS]
    for number, (name, steps) in enumerate(audited.steps.items()):
        rows = [(line, banded(step)) for line, step in zip(lines_of(audited), steps, strict=True)]
        description = (
            "Shares of the people by how many values remain possible, as releases are added; one value means that it is known."
        )
        drawn = stacked_picture(f"possible-{number}", f"Values that remain: {name}", description, rows, keys)
        parts += [
            *_heading(audited, name),
            _figure(drawn, ADDED),
            table(
                f"{name}: people by the values that remain possible",
                ["with", *keys],
                [(line, *counts) for line, counts in rows],
                name=f"possible-{number}-table",
            ),
        ]
    return joined(parts)


def banded(step: Step) -> list[int]:
    """People in bands of remaining values."""
    return [
        sum(people for count, people in step.known.by_candidates if count >= low and (high is None or count <= high))
        for low, high, *_ in BANDS
    ]


def alone(audited: Audited) -> Html:
    """The people who share their classes in all releases with nobody, and the smallest group."""
    about = (
        "Somebody may also know which rows of several releases are one person’s: from columns that are published as they are, or because "
        "such people are few. Then everybody is in a group of people with the same classes in all releases. Who is alone in a group is "
        "singled out, whatever the columns are. To be in no class counts, too: somebody who left, or was suppressed, is told apart."
    )
    rows = list(zip(lines_of(audited), audited.alike, strict=True))
    lines = [
        (line, each.people, each.groups, each.smallest, each.alone, percent(each.alone / max(each.people, 1)))
        for line, each in rows
    ]
    bar = [(line, each.alone) for line, each in rows]
    return joined(
        [
            tag("h2", ALONE_TITLE),
            paragraphs(about),
            _counted("alone", "People who are alone", "The people whose classes nobody else has", bar),
            table(
                "People who are alone",
                ["with", "people", "groups", "smallest group", "alone", "share"],
                lines,
                name="alone-table",
            ),
            paragraphs(LITTLE) if audited.invariance else "",
        ]
    )


def beliefs(audited: Audited) -> Html:
    """The losses, in words first."""
    about = [
        "Before the first release, others could believe of anybody what is true of the whole first table. Two losses say how far a belief "
        "has moved from that.",
        "L_PD, the distribution loss, is how far the shares of the values that are believed now are from those of the whole table: 0 is "
        "nothing learned, and 1.41 the most that is possible.",
        "L_PE, the entropy loss, is how many yes-or-no questions about a person’s value have been answered by that: 0 is none.",
        "The mean is over all people, for somebody who knows their classes. The largest is that of the group of whom most is learned, for "
        "somebody who also knows which rows are one person’s. Neither falls when a release is added.",
    ]
    parts = [tag("h2", BELIEFS_TITLE), paragraphs(*about)]
    heads = ["with", "L_PD, mean", "L_PD, largest", "L_PE, mean", "L_PE, largest"]
    for number, (name, steps) in enumerate(audited.steps.items()):
        parts += [
            *_heading(audited, name),
            table(f"{name}: losses. {ADDED}", heads, list(_losses(audited, steps)), name=f"beliefs-{number}-table"),
        ]
    return joined(parts)


def _losses(audited: Audited, steps: Sequence[Step]) -> Iterator[tuple[str, float, float, float, float]]:
    for line, step in zip(lines_of(audited), steps, strict=True):
        known = step.known
        yield line, known.distribution_mean, step.distribution, known.entropy_mean, step.entropy


def _heading(audited: Audited, name: str) -> list[Html]:
    """The name of the attribute, where there are several."""
    return [tag("h3", name)] if len(audited.steps) > 1 else []


def _counted(name: str, title: str, about: str, rows: Sequence[tuple[str, int]]) -> Html:
    """Bars of people; a word where there are none."""
    if not any(people for _, people in rows):
        return tag("p", tag("strong", "Nobody."))
    drawn = [(line, float(people), f"{people:,}") for line, people in rows]
    return _figure(bars(name, title, f"{about}, as releases are added.", drawn, "people", whole=True), ADDED)


def _figure(drawn: Html, caption: str) -> Html:
    return tag("figure", drawn, tag("figcaption", caption))
