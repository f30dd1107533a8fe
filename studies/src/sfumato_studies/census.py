"""The census experiment: the releases of the bundled sample that the sources examine, and their losses class by class.

The sources number the QIDs: age 1, workclass 2, education 3, native-country 4, marital-status 5, race 6, sex 7. They do not print
their hierarchies; those of the sample give their numbers of classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sfumato as sf
from sfumato.assessment.measurement import Measurement
from sfumato.errors import DataSayNo
from sfumato.frequency import FrequencySet
from sfumato.verbs.anonymize import Infeasible

SENSITIVE = "occupation"
QIDS = ("age", "workclass", "education", "native-country", "marital-status", "race", "sex")
# The levels of the experiment: bands of 25 years, Gov and Non-Gov, three levels of schooling, the United States and others.
LEVELS = {"age": 2, "workclass": 1, "education": 2, "native-country": 1}
PAIRS: tuple[tuple[int, ...], ...] = ((1, 2), (2, 3), (2, 4), (3, 4))
COPY = "the authors' copy of the data differs slightly: they print a share of 0.1077 where 3,212 of 30,162 are 0.1065"


@dataclass(frozen=True, slots=True)
class Released:
    """A release of the sample: losses by name and class, and the shares of occupations in the table and in every class."""

    people: tuple[int, ...]
    losses: dict[str, list[float]]
    values: tuple[str, ...]
    prior: tuple[float, ...]
    posteriors: tuple[tuple[float, ...], ...]
    suppressed: int = 0

    @property
    def classes(self) -> int:
        return len(self.people)

    def distinct(self, number: int) -> int:
        """How many occupations occur in a class."""
        return sum(share > 0 for share in self.posteriors[number - 1])

    def of(self, loss: str, number: int) -> float:
        """A loss of one class."""
        return self.losses[loss][number - 1]

    def lines(self, *losses: str) -> list[dict[str, Any]]:
        """A record per class and loss, for charts."""
        return [
            {"class": number, "loss": loss, "value": value}
            for loss in losses
            for number, value in enumerate(self.losses[loss], start=1)
        ]


def named(numbers: Sequence[int]) -> list[str]:
    """The QIDs with these numbers in the sources."""
    return [QIDS[number - 1] for number in numbers]


def at_levels(levels: dict[str, int]) -> Released:
    """The release of these QIDs at these levels."""
    with sf.data.adult() as table:
        measured = sf.measure(table, node=levels, quasi=list(levels))
        counts = table.count(list(levels), floor=levels)
        return _released(measured, counts, sf.Prior.of(counts, SENSITIVE))


def pair(numbers: Sequence[int]) -> Released:
    """The release of these QIDs at the levels of the experiment."""
    return at_levels({name: LEVELS[name] for name in named(numbers)})


def anonymized(quasi: Sequence[str], models: Sequence[str], suppress: str) -> tuple[Released, dict[str, int]]:
    """The release with the least utility loss that satisfies models, and its node."""
    with sf.data.adult() as table:
        result = sf.anonymize(table, models=models, suppress=suppress, quasi=quasi, minimize="utility-distribution")
        if isinstance(result, Infeasible):
            raise DataSayNo("no release of the sample satisfies these models", where="reproduction")
        measured = sf.measure(result.release, original=table)
        released = _released(measured, result.release.reading.counts, sf.Prior.of(table.count(quasi), SENSITIVE))
    return released, dict(result.release.certificate.node)


def _released(measured: Measurement, counts: FrequencySet, prior: sf.Prior) -> Released:
    """The measured losses and the counted shares of occupations; both number the classes alike."""
    rows = measured.attributes[0].per_class
    columns = {head: [row[at] for row in rows.rows] for at, head in enumerate(rows.heads)}
    values = tuple(map(str, prior.values))
    return Released(
        people=tuple(columns.pop("people")),
        losses={head: column for head, column in columns.items() if head != "class"},
        values=values,
        prior=tuple(prior.shares.tolist()),
        posteriors=tuple(_shares(counts, place, values) for place in range(counts.classes)),
        suppressed=measured.suppressed,
    )


def _shares(counts: FrequencySet, place: int, values: Sequence[str]) -> tuple[float, ...]:
    payload = counts.payloads[SENSITIVE]
    cells = slice(*payload.offsets[place : place + 2])
    people = dict(
        zip((payload.hierarchy.label(0, int(code)) for code in payload.values[cells]), payload.people[cells], strict=True)
    )
    return tuple(float(people.get(value, 0) / counts.people[place]) for value in values)
