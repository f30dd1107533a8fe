"""Nodes and losses in words: what the axes, the menus and the table of the front show instead of levels and short names."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES
from sfumato.reporting.markup import Html, tag
from sfumato.reporting.sentences import listed_names
from sfumato.reporting.words import UNCHANGED, level_words
from sfumato.search.evaluation import MAX
from sfumato.search.lattice import Lattice
from sfumato.search.space.trade_off import TradeOff

WORDS = {
    "distribution": "what classes reveal",
    "entropy": "how much surer others become",
    "emd": "distance of classes from the table",
    "l1": "change of shares (L1)",
    "kl": "surprise (Kullback–Leibler)",
    "js": "difference (Jensen–Shannon)",
    "hellinger": "difference (Hellinger)",
    "chi2": "surprise in rare values (chi-square)",
    "utility-distribution": "how unsure readers stay",
    "utility-entropy": "what stays open, in bits",
    "map-error": "how often the best guess is wrong",
    "loss": "detail that the labels lose",
    "precision": "how far values are raised",
    "nonuniform-entropy": "information that the labels lose",
    "discernibility": "people who look alike, summed",
    "class-size": "mean size of the classes",
    "learning": "accuracy that a model loses",
}
GROUPS = {
    "Privacy: what others learn": ("distribution", "entropy", "emd", "l1", "kl", "js", "hellinger", "chi2"),
    "Utility: what it costs": (
        "utility-distribution",
        "utility-entropy",
        "map-error",
        "loss",
        "precision",
        "nonuniform-entropy",
        "learning",
    ),
    "Sizes of classes": ("discernibility", "class-size"),
}
OTHERS = "Other losses"


def loss_words(name: str) -> str:
    """A loss of a node in words: of the worst class, as the mean over people, or in total.

    >>> loss_words("distribution.max"), loss_words("distribution"), loss_words("loss"), loss_words("mine.max")
    ('what classes reveal, worst class', 'what classes reveal, mean', 'detail that the labels lose', 'mine, worst class')
    """
    loss = name.removesuffix(MAX)
    words = WORDS.get(loss, loss)
    if name.endswith(MAX):
        return f"{words}, worst class"
    return f"{words}, mean" if loss in LOSSES else words


def loss_options(names: Sequence[str], chosen: str) -> list[Html]:
    """The options of a menu of losses, in groups."""
    grouped = {loss: title for title, losses in GROUPS.items() for loss in losses}
    groups: dict[str, list[Html]] = {title: [] for title in (*GROUPS, OTHERS)}
    for name in names:
        option = tag("option", f"{loss_words(name)} · {name}", value=name, selected=name == chosen)
        groups[grouped.get(name.removesuffix(MAX), OTHERS)].append(option)
    return [tag("optgroup", *options, label=title) for title, options in groups.items() if options]


def phrases_of(result: TradeOff) -> list[list[str]]:
    """For each QID and level how the column looks."""
    return level_phrases(result.problem.counts, result.space.lattice)


def level_phrases(counts: FrequencySet, lattice: Lattice) -> list[list[str]]:
    """For each QID of a lattice and each level how the column looks."""
    phrases = []
    for name, height in zip(lattice.attributes, lattice.heights, strict=True):
        hierarchy = counts.hierarchy(name)
        # A level that was not counted is not in the space.
        labels = [hierarchy.at(level) if level >= hierarchy.floor else () for level in range(height + 1)]
        phrases.append([level_words(name, level, height, labels[level]) for level in range(height + 1)])
    return phrases


def node_words(names: Sequence[str], phrases: Sequence[Sequence[str]], levels: Sequence[int]) -> str:
    """A node by its columns: those with labels first, then those that are as they are, then those that have one label for everybody.

    >>> phrases = [["as it is", "in 2 groups", "*"], ["as it is", "*"], ["as it is", "*"]]
    >>> node_words(["age", "sex", "race"], phrases, [1, 0, 1]), node_words(["age", "sex", "race"], phrases, [2, 1, 1])
    ('age in 2 groups · sex as it is · race *', 'age, sex and race *')
    """
    columns = list(zip(names, phrases, levels, strict=True))
    parts = [f"{name} {own[level]}" for name, own, level in columns if 0 < level < len(own) - 1]
    same = [name for name, own, level in columns if level == 0]
    stars = [name for name, own, level in columns if level == len(own) - 1 and level]
    parts += [f"{listed_names(same, len(same))} {UNCHANGED if len(same) == 1 else 'as they are'}"] if same else []
    parts += [f"{listed_names(stars, len(stars))} *"] if stars else []
    return " · ".join(parts)


def named_nodes(result: TradeOff, places: Sequence[int]) -> list[str]:
    """Nodes of a trade-off in words."""
    phrases, levels = phrases_of(result), result.space.evaluations.levels
    return [node_words(result.space.lattice.attributes, phrases, levels[place].tolist()) for place in places]


def named_node(result: TradeOff, place: int) -> str:
    """A node of a trade-off in words."""
    return named_nodes(result, [place])[0]
