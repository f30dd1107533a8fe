"""What the words of a report mean: models as their docstrings say it, losses and risks in plain words."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.losses import LOSSES
from sfumato.models import MODELS
from sfumato.models.about import ATTACKS, about, parts_of
from sfumato.models.register import parameters_of

PLAIN_LOSSES = {
    "distribution": "How far what a class shows about the sensitive value lies from what was known of everybody. It does not see which "
    "values changed places, nor who is who.",
    "entropy": "How many yes-or-no questions about the sensitive value a class answers, or opens anew. It does not see which values are "
    "frequent.",
    "utility-distribution": "What the release costs: how far the class’s distribution lies from each person’s own value, on average.",
    "utility-entropy": "What the release costs: how many bits remain open about a person’s value.",
    "emd": "How much probability must be moved how far to turn the prior into what the class shows. t-closeness bounds it.",
    "l1": "The sum of all changes of a share; large changes weigh no more than small ones.",
    "kl": "Relative changes: a rare value that becomes frequent weighs most. Infinite where the prior rules out a value that occurs.",
    "js": "Relative changes in both directions; always finite.",
    "hellinger": "Relative changes, most of all values that appear or vanish.",
    "chi2": "Relative changes, rare values most strongly. Infinite where the prior rules out a value that occurs.",
    "loss": "How wide the labels are: 0 if every value stands as it was, 1 if nothing is told.",
    "precision": "How far values were raised in their hierarchies, as a share of the height. More is worse.",
    "discernibility": "The sum over people of the size of their class.",
    "class-size": "The mean size of the classes.",
    "nonuniform-entropy": "The share of the quasi-identifiers’ information that is lost, frequent values weighing more.",
}

PLAIN_RISKS = {
    "prosecutor_max": ("Prosecutor, highest", "Somebody knows that a person is in the release and guesses which row is theirs."),
    "prosecutor_mean": ("Prosecutor, mean", "The same, on average over all people."),
    "journalist_max": ("Journalist, highest", "Somebody does not know whether a person of the population is in the release."),
    "journalist_mean": ("Journalist, mean", "The same, on average over all people."),
    "marketer": ("Marketer", "Somebody matches everybody: the share of matches that are expected to be right."),
    "unique": ("Unique", "The share of people who are alone in their class."),
    "at_risk": ("At risk", "The share of people in a class of fewer than five."),
}

PLAIN_WORDS = {
    "class": "The records that share all published quasi-identifiers. Classes are numbered from 1, in the order of their labels; "
    "anybody with the file can number them in the same way.",
    "quasi-identifier": "A column that others may know about a person, such as age or sex. Together such values tell who somebody is, "
    "so they are generalized.",
    "sensitive attribute": "A column that nobody should learn about a person. It is published as it is.",
    "prior": "What somebody believes about the sensitive value of a person before seeing the release: its distribution over the whole "
    "original table, unless beliefs were stated.",
    "posterior": "What somebody believes having seen the release, who knows in which class a person is: the distribution in that class.",
    "witness": "The class that decided what a model says, by its number and size.",
    "suppressed": "Left out, or published with * in every quasi-identifier.",
    "certificate": "The file beside a release that says what it holds, from how many people and under which recoding.",
}


@dataclass(frozen=True, slots=True)
class ModelDefinition:
    """A model: how it is written, what it stops, what it says, and the parts of its docstring with their leads."""

    name: str
    written: str
    stops: tuple[str, ...]
    says: str
    parts: tuple[tuple[str, str], ...]


def model_definition(name: str) -> ModelDefinition:
    """From the model's own docstring."""
    model = MODELS[name]
    says, *rest = parts_of(about(model))
    stops = tuple(ATTACKS[letter] for letter in model.stops.split(",") if letter)
    return ModelDefinition(name, f"{name}:{parameters_of(model)}", stops, _line(says), tuple(_led(_line(part)) for part in rest))


def _led(part: str) -> tuple[str, str]:
    lead, colon, rest = part.partition(": ")
    return (lead, rest) if colon and len(lead) < 40 else ("", part)


def _line(part: str) -> str:
    return " ".join(part.split())


def loss_formula(name: str) -> tuple[str, str] | None:
    """The formula of a class-wise loss and its source."""
    return (LOSSES[name].definition, LOSSES[name].source) if name in LOSSES else None
