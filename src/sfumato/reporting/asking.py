"""What each privacy model asks for, and what came out, in words: for the first screen of a report, and for its table of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.errors import several
from sfumato.models import Verdict
from sfumato.reporting.definitions import model_definition
from sfumato.reporting.document import Judgment
from sfumato.reporting.sentences import listed_names, one_in, people, percent
from sfumato.results import cell_text

Words = Callable[[float], str]


def _people(value: float) -> str:
    return people(int(value))


def _plain(value: float) -> str:
    return cell_text(int(value) if value == int(value) else value)


# What a model asks: {t} is the threshold, {of} the sensitive column, {quasi} the columns that others may know.
# Then what came out: {v} is the value. Then how both numbers are written.
_WORDS: dict[str, tuple[str, str, Words]] = {
    "k-anonymity": ("everyone looks like at least {t} in {quasi}", "the smallest class has {v}", _people),
    "multirelational-k-anonymity": ("everyone looks like at least {t} in {quasi}", "the smallest class has {v}", _people),
    "k-map": ("every class fits at least {t} people of the population", "the fewest are {v}", _plain),
    "distinct-diversity": ("every class has at least {t} different values of {of}", "the poorest has {v}", _plain),
    "probabilistic-diversity": ("no value of {of} belongs to more than {t} of a class", "the largest share is {v}", percent),
    "confidence-bounding": (
        "no value of {of} that was named belongs to more than {t} of a class",
        "the largest share is {v}",
        percent,
    ),
    "entropy-diversity": ("{of} is well mixed in every class: {t} bits or more stay open", "the least mixed has {v}", _plain),
    "recursive-diversity": (
        "the most frequent {of} of a class does not outweigh the rarer ones more than {t} times",
        "at most {v}",
        _plain,
    ),
    "t-closeness": (
        "{of} is distributed in every class much as in the whole table: they differ by at most {t}, where 0 is the same and 1 as "
        "different as can be",
        "the largest difference is {v}",
        _plain,
    ),
    "distribution-loss": ("no class reveals more about {of} than {t}, where 0 is nothing learned", "the most is {v}", _plain),
    "entropy-loss": ("no class answers more than {t} yes-or-no questions about {of}", "the most is {v}", _plain),
    "privacy-loss": (
        "no class reveals more about {of} than both bounds allow, where 1 is at the bound",
        "the most is {v}",
        _plain,
    ),
    "utility-distribution-loss": (
        "every class stays useful: {of} is blurred by at most {t}, where 0 is not at all",
        "the most is {v}",
        _plain,
    ),
    "utility-entropy-loss": (
        "every class stays useful: at most {t} yes-or-no questions about {of} stay open",
        "the most is {v}",
        _plain,
    ),
    "utility-loss": ("every class stays useful within both bounds, where 1 is at the bound", "the most is {v}", _plain),
    "map-error": ("in every class the best guess of {of} is wrong at least {t} of the time", "the least is {v}", percent),
    "alpha-k-anonymity": (
        "everyone looks like enough others, and no {of} is too frequent in a class",
        "{v}; the bound is {t}",
        _plain,
    ),
    "xy-privacy": ("every class has enough different values of {of}, and none is too frequent", "{v}; the bound is {t}", _plain),
    "ke-anonymity": ("the numbers of {of} in every class differ, and are spread widely enough", "{v}; the bound is {t}", _plain),
    "em-anonymity": ("in no class are more than {t} of the numbers of {of} close to one of them", "the most is {v}", percent),
    "personalized-privacy": ("no class reveals more about a person than this person allows: {t}", "the most is {v}", percent),
    "delta-presence": ("whether somebody is in the table stays uncertain", "the probability is {v}; the bound is {t}", _plain),
    "ct-isolation": ("no class is far from all others: at least {t} people are near", "the fewest are {v}", _plain),
    "beta-likeness": ("no {of} becomes likelier in a class by more than {t} times its share", "the most is {v}", _plain),
    "delta-disclosure": (
        "no {of} becomes much likelier or rarer in a class: at most {t}, where 0 is the same",
        "the most is {v}",
        _plain,
    ),
    "average-risk": ("the chance to pick the right person is at most {t} on average", "it is {v}", one_in),
    "population-uniqueness": (
        "at most {t} of the people are unique in the population, by an estimate",
        "the estimate is {v}",
        percent,
    ),
}


# The same for models whose last parameter changes what they ask. A bound on the mean promises nothing about a single class.
_MEAN = "; single classes may exceed it"
_CHANGED: dict[tuple[str, str], tuple[str, str, Words]] = {
    ("distribution-loss", "total"): (
        f"on average over people, no more is revealed about {{of}} than {{t}}, where 0 is nothing learned{_MEAN}",
        "the average is {v}",
        _plain,
    ),
    ("entropy-loss", "total"): (
        f"on average over people, at most {{t}} yes-or-no questions about {{of}} are answered{_MEAN}",
        "the average is {v}",
        _plain,
    ),
    ("privacy-loss", "total"): (
        f"on average over people, no more is revealed about {{of}} than both bounds allow, where 1 is at the bound{_MEAN}",
        "the average is {v}",
        _plain,
    ),
    ("utility-distribution-loss", "total"): (
        f"the release stays useful on average over people: {{of}} is blurred by at most {{t}}, where 0 is not at all{_MEAN}",
        "the average is {v}",
        _plain,
    ),
    ("utility-entropy-loss", "total"): (
        f"the release stays useful on average over people: at most {{t}} yes-or-no questions about {{of}} stay open{_MEAN}",
        "the average is {v}",
        _plain,
    ),
    ("utility-loss", "total"): (
        f"the release stays useful on average over people within both bounds, where 1 is at the bound{_MEAN}",
        "the average is {v}",
        _plain,
    ),
    ("map-error", "total"): (
        "on average over people, the best guess of {of} is wrong at least {t} of the time; single classes may fall short of it",
        "the average is {v}",
        percent,
    ),
    ("beta-likeness", "enhanced"): (
        "no {of} becomes likelier in a class by more than its own bound allows, where 1 is at the bound",
        "the most is {v}",
        _plain,
    ),
}


def model_words(judgment: Judgment, quasi: Sequence[str]) -> tuple[str, str]:
    """What a model asks, and what came out."""
    verdict, (name, _, parameters) = judgment.verdict, judgment.model.partition(" for ")[0].partition(":")
    known = _CHANGED.get((name, parameters.rpartition(",")[2].strip())) or _WORDS.get(name)
    asked, came_out, words = known or (_described(name), "{v}; the bound is {t}", _plain)
    threshold = None if verdict is None else verdict.threshold
    bound = _others(threshold) if words is _people else "a bound" if threshold is None else words(float(str(threshold)))
    values = {"t": bound, "of": judgment.sensitive or "the sensitive column", "quasi": listed_names(quasi)}
    group = judgment.model.partition(" for ")[2]
    question = asked.format(**values) + (f", for {group}" if group else "")
    return question, _result(judgment, verdict, came_out, values, words)


def _result(judgment: Judgment, verdict: Verdict | None, came_out: str, values: dict[str, str], words: Words) -> str:
    if verdict is None:
        return judgment.why_not or "not judged"
    if judgment.withheld and not judgment.comparable:
        return "as certified; the value is withheld, because people were suppressed"
    if verdict.value is None:
        return "no limit" if verdict.satisfied is False else verdict.reason or "nobody to judge"
    return came_out.format(**values, v=words(float(verdict.value)))


def _others(threshold: object) -> str:
    return "some others" if threshold is None else several(int(float(str(threshold))) - 1, "other")


def _described(name: str) -> str:
    """The first sentence of a model of another distribution."""
    text = model_definition(name).summary
    return (text[:1].lower() + text[1:]).rstrip(".").replace("{", "{{").replace("}", "}}")
