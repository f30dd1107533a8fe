"""Sentences about a release for somebody who has not read a paper. They speak of people and columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.errors import several
from sfumato.reporting.document import Report
from sfumato.reporting.overview import Disclosed

NEARLY = "at least 9 in 10"


def people(count: int) -> str:
    """
    >>> people(1), people(30162)
    ('1 person', '30,162 people')
    """
    return several(count, "person", "people")


def share(part: int, whole: int, noun: str = "people") -> str:
    """A part of some people, so that it can be read: nobody, all of them, few by number, many by percentage.

    >>> share(0, 9), share(12, 12), share(3, 12), share(575, 30162), share(1, 1)
    ('nobody', 'all 12 people', '3 of 12 people', '575 people (1.9%)', 'the only person')
    >>> share(30161, 30162), share(1, 30162)
    ('30,161 people (all but 1)', '1 person (1 in 30,162)')
    """
    if not part:
        return "nobody" if noun == "people" else f"no {noun}"
    if part == whole:
        return f"all {whole:,} {noun}" if whole > 1 else "the only person"
    if whole < 100:
        return f"{part:,} of {whole:,} {noun}"
    shown = people(part) if noun == "people" else f"{part:,} {noun}"
    return f"{shown} ({_part(part, whole)})"


def _part(part: int, whole: int) -> str:
    if part / whole < 0.001:
        return f"1 in {round(whole / part):,}"
    return f"all but {whole - part:,}" if part / whole > 0.999 else f"{part / whole:.1%}"


def percent(value: float) -> str:
    """A share that is never shown as 0% or 100% unless it is.

    >>> percent(0.0), percent(0.00001), percent(0.12345), percent(0.99999), percent(1.0)
    ('none', '<0.1%', '12.3%', '>99.9%', 'all')
    """
    if value in (0, 1):
        return "all" if value else "none"
    if value < 0.0005:
        return "<0.1%"
    return ">99.9%" if value > 0.9995 else f"{value:.1%}"


def listed_names(names: Sequence[str], most: int = 5) -> str:
    """
    >>> listed_names(["age"]), listed_names(["age", "sex"]), listed_names(list("abcdefg"), 3)
    ('age', 'age and sex', 'a, b, c and 4 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def one_in(risk: float) -> str:
    """
    >>> one_in(1.0), one_in(0.2), one_in(1 / 103)
    ('1 in 1', '1 in 5', '1 in 103')
    """
    return f"1 in {round(1 / risk):,}"


def disclosed_sentences(each: Disclosed) -> Iterator[str]:
    """What is still disclosed about one sensitive attribute, in people."""
    same = f"the same {each.sensitive}" if each.bands is None else f"a {each.sensitive} in the same band ({each.bands})"
    if each.certain[0]:
        yield f"In {_classes(each.certain)}, everyone has {same}. Whoever knows somebody’s class knows it for certain."
    if each.nearly[0]:
        yield f"In {_classes(each.nearly)}, {NEARLY} have {same}, but not all."
    if not each.certain[0] and not each.nearly[0] and each.clearest is not None:
        top, size = each.clearest
        known = f"No class shows {each.sensitive} for certain."
        yield f"{known} In the clearest one, {share(top, size)} have {same}."
    if each.alone:
        have, their = ("has", "the row") if each.alone == 1 else ("have", "their rows")
        yield f"{people(each.alone)} {have} a value of {each.sensitive} that nobody else has. Whoever knows it finds {their}."


def still_disclosed(report: Report) -> list[str]:
    """What a release discloses although every model holds."""
    lines = [line for each in report.overview.disclosed for line in disclosed_sentences(each)]
    return [*lines, *other_disclosures(report)]


def _classes(counted: tuple[int, int]) -> str:
    """
    >>> _classes((3, 20)), _classes((1, 6))
    ('3 classes, 20 people', '1 class, 6 people')
    """
    return f"{several(counted[0], 'class', 'classes')}, {people(counted[1])}"


def other_disclosures(report: Report) -> Iterator[str]:
    """What is disclosed besides sensitive values: people who are alone, and columns that nobody checked."""
    alone, few = (
        sum(many for least, many in zip(report.overview.sizes.least, report.overview.sizes.after, strict=True) if least in sizes)
        for sizes in ((1,), (2,))
    )
    if alone:
        verb = "is" if alone == 1 else "are"
        yield f"{people(alone)} {verb} alone in {'a class' if alone == 1 else 'their classes'}: whoever knows the columns finds the row."
    if few:
        yield f"{people(few)} {'is' if few == 1 else 'are'} in classes of 2 to 4 people."
    plain = [name for name, role in report.facts.columns.items() if role == "plain"]
    if len(plain) == 1:
        yield f"{plain[0]} is published as it is. Whether it helps to recognize somebody was not checked."
    elif plain:
        yield f"{listed_names(plain)} are published as they are. Whether they help to recognize somebody was not checked."
