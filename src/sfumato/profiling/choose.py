"""Which columns to publish as quasi-identifiers in a first release: few, and those that tell most together.

A column that tells people apart and is not chosen is withheld. Published as it is, it would divide the classes of the release again,
and whoever knows it would find people whom the models protect (decision record 0020).

Columns that nearly everybody knows (age, sex, place) come first, then those that others often know, then the others. Among them, the
next one is always the column with which most people are alone in their combination and most pairs differ. It is taken if the widest
groups of all columns so far still have at least five people each, so that a release with k = 5 keeps something of every column, and if
the lattice stays small. One column in three may leave a few people in smaller groups: the search decides which of them to give up, and
suppressing a few people keeps all. Where fewer than two columns come through, as in a table with a few missing values in every column,
all that suppressing 2 % of the people would keep are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.errors import visible
from sfumato.profiling.sample import Codes, Sample, joined
from sfumato.profiling.suggest import FEW_PAIRS, Suggestion
from sfumato.vocabulary.kinds import Role

CANDIDATES = 16
MOST = 8
FEW = 5  # with so many, a column that nobody is known to know is not added
NODES = 20_000
PEOPLE = 5
RESCUED = 0.02  # of the people may be in smaller groups, who could be suppressed
_A_PERCENT = 0.005  # and what is rounded to it
_ROBUST = 2  # columns that a release keeps without suppressing anybody; if there are fewer, others are taken all the same
_TOO_SMALL = 50  # people: in a smaller table nothing can be said about groups


def candidates_of(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """The columns that are worth a look together: those that others know, then those that separate most."""
    quasi = [each for each in suggestions if each.attribute.role is Role.QUASI and each.separation >= FEW_PAIRS]
    return sorted(quasi, key=lambda each: (-each.known, -each.separation))[:CANDIDATES]


@dataclass(slots=True)
class _Choice:
    """What is chosen so far: the classes of its values and of its widest groups, and how many nodes its lattice has."""

    sample: Sample
    values: Codes
    groups: Codes
    all_groups: Codes  # with the fragile columns
    names: list[str] = field(default_factory=list)
    fragile: int = 0  # chosen columns whose widest groups leave a few people in small groups; they are not in `groups`
    nodes: int = 1
    reasons: dict[str, str] = field(default_factory=dict)

    def score(self, name: str) -> float:
        """How much the chosen columns and one more tell together: the share of people alone, and of pairs that differ."""
        classes = joined(self.values, self.sample.values[name])
        sizes = self.sample.sizes(classes).astype(np.float64)
        total = float(sizes.sum())
        same = float((sizes * (sizes - 1)).sum()) / max(total * (total - 1), 1)
        return self.sample.alone(classes) / max(self.sample.people, 1) + 1 - same

    def take(self, suggestion: Suggestion) -> bool:
        """Take one more column if there is room for it; else note why not."""
        name, levels = suggestion.attribute.name, suggestion.attribute.height() + 1
        enough = MOST if suggestion.known else FEW
        if len(self.names) >= enough or self.nodes * levels > NODES:
            self.reasons[name] = f"tells people apart, and {len(self.names)} columns are enough for a first release"
            return False
        if (same := self._determined_by(name)) is not None:
            self.reasons[name] = f"follows from {visible(same)}"
            return False
        groups = joined(self.groups, self.sample.groups[name])
        small = self._in_small_groups(groups)
        if small == 0:
            self.groups = groups
        elif not self.names or (small <= RESCUED * self.sample.people and self.fragile < max(1, (len(self.names) + 1) // 3)):
            self.fragile += 1
        else:
            self.reasons[name] = f"with {_listed(self.names)}, even its widest groups leave fewer than five people together"
            return False
        self._add(name, levels, small)
        return True

    def rescue(self, suggestion: Suggestion) -> None:
        """Take a column that suppressing a few people would keep: where every column has a few missing values, there is no other."""
        name, levels = suggestion.attribute.name, suggestion.attribute.height() + 1
        small = self._in_small_groups(joined(self.all_groups, self.sample.groups[name]))
        room = len(self.names) < FEW and self.nodes * levels <= NODES and self._determined_by(name) is None
        if room and small <= RESCUED * self.sample.people:
            self.fragile += 1
            self._add(name, levels, small)

    def _add(self, name: str, levels: int, small: int) -> None:
        self.names.append(name)
        self.values, self.nodes = joined(self.values, self.sample.values[name]), self.nodes * levels
        self.all_groups = joined(self.all_groups, self.sample.groups[name])
        self.reasons[name] = self._together() + (
            f"; unless about {self._scaled(small)} are suppressed, it may become *" if small else ""
        )

    def _scaled(self, small: int) -> str:
        """So many people of the sample, as a share of all."""
        return f"{max(small / max(self.sample.people, 1), 0.001):.1%}"

    def _determined_by(self, name: str) -> str | None:
        """A chosen column whose value says that of another one; a column of values of one's own says nothing of this kind."""
        for chosen in self.names:
            values = self.sample.values[chosen]
            count = int(values.max(initial=0)) + 1
            if count <= self.sample.rows / 2 and int(joined(values, self.sample.values[name]).max(initial=0)) < count:
                return chosen
        return None

    def _in_small_groups(self, groups: Codes) -> int:
        """People in groups of fewer than five."""
        if self.sample.people < _TOO_SMALL:
            return 0
        sizes = self.sample.sizes(groups)
        return int(sizes[sizes < PEOPLE].sum())

    def _together(self) -> str:
        share = self.sample.alone(self.values) / max(self.sample.people, 1)
        before = f"with {_listed(self.names[:-1])} " if len(self.names) > 1 else ""
        alone = "nobody" if share == 0 else f"{share:.0%} of the people" if share >= _A_PERCENT else "fewer than 1% of the people"
        return f"{before}it leaves {alone} alone"


def choose(suggestions: Sequence[Suggestion], sample: Sample) -> tuple[Suggestion, ...]:
    """The suggestions with the chosen columns as quasi-identifiers and the others withheld, each with its reason."""
    start = np.zeros(sample.rows, np.int64)
    choice = _Choice(sample, start, start, start)
    tried = candidates_of(suggestions)
    waiting = [each for each in tried if each.attribute.name in sample.values]
    refused: list[Suggestion] = []
    while waiting:
        most = max(each.known for each in waiting)
        first = [each for each in waiting if each.known == most]
        best = max(first, key=lambda each: choice.score(each.attribute.name))
        waiting.remove(best)
        if not choice.take(best):
            refused.append(best)
    if len(choice.names) - choice.fragile < _ROBUST:
        for each in refused:
            choice.rescue(each)
    return tuple(_decided(each, choice, tried) if each.attribute.role is Role.QUASI else each for each in suggestions)


def _decided(suggestion: Suggestion, choice: _Choice, tried: Sequence[Suggestion]) -> Suggestion:
    name = suggestion.attribute.name
    if name in choice.names:
        return replace(suggestion, reason=f"{suggestion.reason}; {choice.reasons[name]}")
    if suggestion.separation < FEW_PAIRS:
        return suggestion.withheld("nearly the same for everybody, so the few who differ would stand out")
    if name not in choice.reasons and name in (each.attribute.name for each in tried):
        return suggestion.withheld("some of its values do not fit its type or its levels")
    return suggestion.withheld(choice.reasons.get(name, f"tells people apart, and {len(choice.names)} other columns tell more"))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(visible, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
