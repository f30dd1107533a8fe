"""Definitions for the report: models from their docstrings, losses, risks and terms in plain words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.losses import LOSSES
from sfumato.models import MODELS
from sfumato.models.about import ATTACKS, about, parts_of
from sfumato.models.register import parameters_of

PLAIN_LOSSES = {
    "distribution": "How far the sensitive values in a class differ from those in the whole table. It does not see which values traded "
    "places, or who is who.",
    "entropy": "How many yes-or-no questions about the sensitive value a class answers, or opens again. It does not see which values are "
    "frequent.",
    "utility-distribution": "What the release costs: how far the distribution in a class is from each person’s own value, on average.",
    "utility-entropy": "What the release costs: how many bits about a person’s value remain unknown.",
    "emd": "How much probability must move how far to turn the prior into the distribution in the class. t-closeness bounds it.",
    "l1": "The sum of the changes of all shares. Large changes count no more than small ones.",
    "kl": "Relative changes. A rare value that becomes frequent counts most. Infinite where the prior rules out a value that occurs.",
    "js": "Relative changes in both directions. Always finite.",
    "hellinger": "Relative changes. Values that appear or disappear count most.",
    "chi2": "Relative changes. Rare values count most. Infinite where the prior rules out a value that occurs.",
    "map-error": "How often the best guess of a person’s value is wrong. To a reader it is what the release costs; to the people in it, "
    "what protects them.",
    "loss": "How wide the labels are: 0 if every value is unchanged, 1 if all values have the same label.",
    "precision": "How far values were raised in their hierarchies, as a share of the height. Higher is worse.",
    "discernibility": "The size of each person’s class, summed over people.",
    "class-size": "The mean size of the classes.",
    "nonuniform-entropy": "The share of the information in the quasi-identifiers that is lost. Frequent values count more.",
}


@dataclass(frozen=True, slots=True)
class HowToRead:
    """How to read a loss: in words (the sensitive column follows), what 0 means, what the worst case is, and its number if it has one.
    Lower is better for all of them."""

    words: str
    zero: str
    worst: str
    most: float | None = None


READINGS = {
    "distribution": HowToRead("What a class reveals about", "0: nothing is learned", "1.41: the worst case", math.sqrt(2)),
    "entropy": HowToRead(
        "How much surer others become of", "0: no surer", "no fixed worst case: the more values, the more questions"
    ),
    "utility-distribution": HowToRead("How unsure a reader of the file stays about", "0: not at all", "1: the worst case", 1.0),
    "utility-entropy": HowToRead("What stays open about", "0: nothing", "no fixed worst case: the more values, the more"),
    "emd": HowToRead("How far a class is from the table in", "0: the same", "1: the worst case", 1.0),
    "l1": HowToRead("By how much shares change in", "0: nothing is learned", "2: the worst case", 2.0),
    "kl": HowToRead("How surprising a class is in", "0: nothing is learned", "no limit"),
    "js": HowToRead("How different a class is in", "0: nothing is learned", "1: the worst case", 1.0),
    "hellinger": HowToRead("How different a class is in", "0: nothing is learned", "1: the worst case", 1.0),
    "chi2": HowToRead("How surprising rare values are in", "0: nothing is learned", "no limit"),
    "map-error": HowToRead("How often a reader of the file guesses wrong about", "0: never", "1: always", 1.0),
    "loss": HowToRead("How much detail the labels lost", "0: none", "1: all of it", 1.0),
    "precision": HowToRead("How far values were raised", "0: not at all", "1: all to the top", 1.0),
    "discernibility": HowToRead(
        "How many people everybody looks like, summed", "the people: nobody shares a class", "their square: all look alike"
    ),
    "class-size": HowToRead("How many people look alike, on average", "1: nobody", "all people: everybody"),
    "nonuniform-entropy": HowToRead("How much information the labels lost", "0: none", "1: all of it", 1.0),
}

PLAIN_RISKS = {
    "prosecutor_max": (
        "Prosecutor, highest",
        "An attacker knows that a person is in the release and guesses which row is theirs.",
    ),
    "prosecutor_mean": ("Prosecutor, mean", "The same, on average over all people."),
    "journalist_max": ("Journalist, highest", "An attacker does not know whether a person of the population is in the release."),
    "journalist_mean": ("Journalist, mean", "The same, on average over all people."),
    "marketer": ("Marketer", "An attacker matches everyone. This is the share of matches expected to be correct."),
    "unique": ("Unique", "The share of people who are alone in their class."),
    "at_risk": ("At risk", "The share of people in a class of fewer than five."),
}

PLAIN_WORDS = {
    "class": "The records that have the same values in all published quasi-identifiers. Classes are numbered from 1 in the order of their "
    "labels, so anyone with the file can number them in the same way.",
    "quasi-identifier": "A column that others may know about a person, such as age or sex. Together such values can identify a person, "
    "so they are generalized.",
    "sensitive attribute": "A column that nobody should learn about a person. It is published unchanged.",
    "prior": "What someone believes about a person’s sensitive value before they see the release: the distribution in the whole original "
    "table, unless beliefs were stated.",
    "posterior": "What someone believes after they see the release and know a person’s class: the distribution in that class.",
    "witness": "The class that decided a verdict, given by its number and size.",
    "suppressed": "Left out of the file, or published with * in every quasi-identifier.",
    "withheld": "Not in the file. A quasi-identifier that is in the file with * in every row is fully generalized instead.",
    "certificate": "The file beside a release that records its contents, the number of people and the recoding.",
}


@dataclass(frozen=True, slots=True)
class ModelDefinition:
    """A model: its notation, the attacks it stops, its summary, and the parts of its docstring, each with its lead."""

    name: str
    notation: str
    stops: tuple[str, ...]
    summary: str
    parts: tuple[tuple[str, str], ...]


def model_definition(name: str) -> ModelDefinition:
    """From the model's own docstring."""
    model = MODELS[name]
    summary, *rest = parts_of(about(model))
    stops = tuple(ATTACKS[letter] for letter in model.stops.split(",") if letter)
    return ModelDefinition(
        name, f"{name}:{parameters_of(model)}", stops, _line(summary), tuple(_led(_line(part)) for part in rest)
    )


def _led(part: str) -> tuple[str, str]:
    lead, colon, rest = part.partition(": ")
    return (lead, rest) if colon and len(lead) < 40 else ("", part)


def _line(part: str) -> str:
    return " ".join(part.split())


def loss_formula(name: str) -> tuple[str, str] | None:
    """The formula of a class-wise loss and its source."""
    return (LOSSES[name].definition, LOSSES[name].source) if name in LOSSES else None
