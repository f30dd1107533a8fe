"""The head of the page: whether the releases keep together what they promise, whom they single out, and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sfumato.errors import several
from sfumato.models import Verdict
from sfumato.release.invariant import M_INVARIANCE
from sfumato.reporting.asking import model_words
from sfumato.reporting.document import Judgment
from sfumato.reporting.markup import Cell, Html, joined, link, listed, tag, with_options
from sfumato.reporting.sentences import listed_names, people, share
from sfumato.reporting.together.knowledge import LITTLE
from sfumato.sequence import Audited, Broken

LINKS = {"see what would help": "help", "see which two should not meet": "pairs"}
ALIKE = "A class of several releases is the people who are in the same class in each of them."
MOST_PAIRS = 6  # that are named
SUMMARY_TITLE = "Is it still safe with all of them?"


def summary(audited: Audited) -> Html:
    """The verdict, model by model, what is known of people, and what to do."""
    kind, words = verdict(audited)
    judged = _judged(audited)
    return joined(
        [
            tag("h2", SUMMARY_TITLE),
            tag("p", _size(audited), class_="lead"),
            tag("p", words, class_=f"verdict {kind}"),
            tag("ul", *(tag("li", each) for each in judged), class_="asked") if judged else "",
            tag("p", ALIKE, class_="soft") if audited.harmed_by_all else "",
            tag("h3", "What somebody knows who has them all"),
            listed(_known(audited)),
            tag("div", tag("h3", "What to do"), listed(map(with_links, to_do(audited))), class_="amber"),
        ]
    )


def _size(audited: Audited) -> str:
    """How much is put together, in one sentence."""
    tables, releases = max(each.table for each in audited.releases), len(audited.releases)
    of = f"of {several(tables, 'table')}"
    if releases == 1:
        return f"There is one release, {of}, with {people(audited.alike[-1].people)}."
    return f"The {releases:,} releases {of} hold {people(audited.alike[-1].people)} together."


def verdict(audited: Audited) -> tuple[str, str]:
    """Its kind, for the color, and the sentence."""
    if audited.broken:
        first, *more = audited.broken
        sentence = f"✗ Broken. {_first(releases_words(first.releases))} together break {_named(first)} for {people(first.people)}"
        return "bad", f"{sentence}, and {several(len(more), 'more model')}." if more else f"{sentence}."
    if not audited.judged:
        asked = "No release promises a model that can be judged on several releases."
        return "soft", f"– Not judged. {asked}"
    if len(audited.releases) == 1:
        return "soft", "– Nothing to put together yet. What a single release keeps is in its certificate."
    return "good", f"✓ Kept. The releases keep {listed_names(audited.judged)} also together."


def releases_words(numbers: tuple[str, ...]) -> str:
    """
    >>> releases_words(("1",)), releases_words(("1", "3")), releases_words(tuple("123456789"))
    ('release 1', 'releases 1 and 3', 'releases 1, 2, 3, 4, 5, 6, 7, 8 and 9')
    """
    return f"release{'s' * (len(numbers) > 1)} {listed_names(numbers, len(numbers))}"


def _named(broken: Broken) -> str:
    return f"{broken.model} of {broken.sensitive}" if broken.sensitive else broken.model


def _judged(audited: Audited) -> list[Html]:
    """One line per model: broken ones with what came out."""
    lines = [_line("bad", "✗", _broken_words(each, audited)) for each in audited.broken]
    violated = {each.model for each in audited.broken}
    kept = [each for each in audited.judged if each not in violated]
    if len(audited.releases) > 1:
        lines += [_line("good", "✓", f"{each} is kept by all of them together.") for each in kept]
    lines += [_line("soft", "–", f"{each} is promised, and cannot be judged on several releases.") for each in audited.unjudged]
    return lines


def _line(kind: str, sign: str, words: Cell) -> Html:
    return joined([tag("span", sign, class_=f"tick {kind}"), " ", words])


def _broken_words(broken: Broken, audited: Audited) -> Html:
    asked, came_out = _words(broken)
    known, everybody = (
        f"{_named(broken)} asks: {asked}. In {releases_words(broken.releases)}, ",
        audited.harmed_by_all.get(broken.model),
    )
    further = everybody is not None and len(broken.releases) < len(audited.releases)
    more = f"; with all {len(audited.releases):,} releases, for {people(everybody or 0)}" if further else ""
    return joined([known, tag("strong", came_out), f". It is broken for {people(broken.people)}{more}."])


def _words(broken: Broken) -> tuple[str, str]:
    """What a model asks of the groups of people who are alike in several releases, and what came out."""
    if broken.model.startswith(f"{M_INVARIANCE}:"):
        asked = (
            f"everybody is among at least {broken.threshold} different values of {broken.sensitive}, and among the same ones whenever "
            "they come again"
        )
        return asked, f"these are {broken.value} for somebody" if broken.value else "some are not"
    answer = Verdict(broken.model, broken.value, broken.direction, broken.threshold, False, sensitive=broken.sensitive)
    return model_words(Judgment(broken.model, judged=answer), ["all of these releases together"])


def _known(audited: Audited) -> Iterator[str]:
    """Whom the releases single out, in people."""
    for name, steps in audited.steps.items():
        first, last = steps[0].known, steps[-1].known
        if last.certain:
            before = f" After the first release alone, of {share(first.certain, first.people)}." if len(steps) > 1 else ""
            whose = share(last.certain, last.people)
            yield f"For certain, somebody knows the {name} of {whose}: no other value remains possible.{before}"
        else:
            least = min((count for count, _ in last.by_candidates), default=0)
            yield f"Nobody’s {name} is known for certain: at least {several(least, 'value')} remain possible for everybody."
    groups = audited.alike[-1]
    where = "in all of the releases" if len(audited.releases) > 1 else "in the release"
    if groups.alone:
        verb = "is" if groups.alone == 1 else "are"
        alone = f"{_first(share(groups.alone, groups.people))} {verb} alone with their classes {where}: nobody else has the same ones."
        yield f"{alone} {LITTLE}" if audited.invariance else alone
    else:
        yield f"Nobody is alone: the smallest group of people with the same classes {where} has {people(groups.smallest)}."
    if audited.changed:
        yield (
            f"{several(audited.changed, 'time')} somebody came again with another sensitive value. Which values remain possible is counted "
            "for each of them as if it were a person’s only one."
        )


def _first(words: str) -> str:
    return words[0].upper() + words[1:]


def to_do(audited: Audited) -> Iterator[str]:
    """What the owner can do now."""
    if audited.broken:
        named = list(dict.fromkeys(each.releases for each in audited.broken))  # models may be broken by different coalitions
        at_once = (f"{releases_words(each)}{' at once' * (len(each) > 1)}" for each in named)
        yield (
            f"Nobody should have {', nor '.join(at_once)}. Hold back what is not out yet; where they went to different readers, see that "
            "they are not exchanged. What is published cannot be taken back."
        )
        if len(audited.releases) > 2:
            yield f"{_other_pairs(audited, named)}: see which two should not meet."
        yield "Tell whoever answers for the data how many people are concerned. This page counts them; it cannot name them."
        yield "The next release makes it no better, and may make it worse: see what would help."
    elif not audited.judged:
        yield "Name what the releases must keep, as in --together k-anonymity:5, and make this page again."
    elif len(audited.releases) == 1:
        yield "Nothing now. Make this page again after the next release, or ask before it: see what would help."
    else:
        yield "Nothing now. The next release may change that: see what would help before it."


def _other_pairs(audited: Audited, named: Collection[tuple[str, ...]]) -> str:
    """Which two releases break a model, too, besides those that are named."""
    harmful = [each.releases for each in audited.pairs if len({*each.releases}) == 2 and any(each.harmed.values())]
    others = [f"{one} and {other}" for one, other in harmful if (one, other) not in named]
    if not others:
        return "No other two do it by themselves"
    more = [f"{len(others) - MOST_PAIRS:,} more pairs"] if len(others) > MOST_PAIRS else []
    return f"Nor should anybody have both of these: {'; '.join([*others[:MOST_PAIRS], *more])}"


def with_links(words: str) -> Html:
    """A sentence whose last words may lead to another section."""
    for said, section in LINKS.items():
        before, found, after = words.partition(said)
        if found:
            return joined([with_options(before), link(section, found), after])
    return with_options(words)
