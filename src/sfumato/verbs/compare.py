"""Two releases side by side: what each gives away and costs, and what they tell together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from sfumato.assessment.measurement import Cost, Measurement, beside_original, measured
from sfumato.assessment.published import Inquiry, promised_by, released, schema_for, source_for
from sfumato.assessment.together import Together, together_of
from sfumato.frequency import FrequencySet
from sfumato.models import PrivacyModel, Verdict
from sfumato.naming import FEW
from sfumato.options import divided
from sfumato.question.question import QUESTION_OPTIONS, Question, QuestionOptions
from sfumato.release import Reading, Release
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions
from sfumato.upward import above

# The losses that a short table shows; `as_dict` has all.
SHOWN = ("distribution", "entropy", "emd", "utility-distribution", "utility-entropy")
NO_ORIGINAL = "what the releases tell together: give the original table"
LOCAL = "what the releases tell together: one of them has labels of several levels (a local recoding)"


@dataclass(frozen=True, slots=True)
class Side:
    """One of two releases: its name, what it gives away and costs, its smallest class, and the verdicts of the models."""

    name: str
    measurement: Measurement
    smallest_class: int
    verdicts: tuple[Verdict, ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        models = [verdict.as_dict() for verdict in self.verdicts]
        return {"name": self.name, "smallest_class": self.smallest_class, **self.measurement.as_dict(), "models": models}


@dataclass(frozen=True, slots=True)
class Distribution:
    """How people are distributed over a sensitive attribute in two releases: value, share in the first, share in the second.

    A value that fewer than five people have in both is not named: it is in `others`, with all such values. `distance` is half the sum of
    the differences, over all values.
    """

    sensitive: str
    shares: tuple[tuple[str | None, float, float], ...]
    others: tuple[float, float]
    distance: float

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        values = [{"value": value, "first": first, "second": second} for value, first, second in self.shares]
        others = dict(zip(("first", "second"), self.others, strict=True))
        return {"attribute": self.sensitive, "distance": self.distance, "values": values, "others": others}


@dataclass(frozen=True, slots=True)
class Compared(Printed):
    """Two releases side by side. `together` is what somebody learns who has both; None where `unknown` says why."""

    first: Side
    second: Side
    distributions: tuple[Distribution, ...]
    together: Together | None
    prior: str
    unknown: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "first": self.first.as_dict(),
            "second": self.second.as_dict(),
            "distributions": [each.as_dict() for each in self.distributions],
            "together": self.together and self.together.as_dict(),
            "prior": self.prior,
            "unknown": list(self.unknown),
        }

    def plot(self) -> Any:
        """The distributions of the sensitive attributes side by side: an altair chart. Needs the extra `report`."""
        return above("Compared.plot")(self)

    def table(self) -> Rows:
        """One row per quantity: its name, the sensitive attribute, the first release, the second, and both together."""
        heads = ("quantity", "sensitive", "first", "second", "together")
        return Rows(heads, (*_sizes(self), *_models(self), *_losses(self)))

    def models(self) -> Rows:
        """One row per model: which release satisfies it."""
        verdicts = zip(self.first.verdicts, self.second.verdicts, strict=True)
        rows = ((one.model, one.sensitive, _answer(one), _answer(other)) for one, other in verdicts)
        return Rows(("model", "sensitive", "first", "second"), tuple(rows))


class CompareOptions(SourceOptions, QuestionOptions, total=False):
    """What `compare` takes besides."""


def compare(
    first: Any,
    second: Any,
    schema: SchemaLike | None = None,
    *,
    original: Any = None,
    **options: Unpack[CompareOptions],
) -> Compared:
    """Compare two releases of one table: losses, models, risk and distributions of each, and what they tell together.

    Parameters
    ----------
    first, second : path, table in memory, Release, Anonymized
        The releases.
    schema : Schema, path or dict, optional
        The schema that they were made under. A release knows its own.
    original : path, frame, Source, Table, optional
        The table that both were made of. A release knows its own. Without it, every release is judged against the prior in its
        certificate, or its own distribution, and what they tell together is not known.
    **options
        The fields of `Question`, for the models to judge both by (those of their certificates are judged, too), and of `Source`.

    Returns
    -------
    Compared
        The two sides, their distributions, and `together`: people grouped by the pair of their classes, which bounds what somebody can
        learn who has both releases.
    """
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    first, second = released(first), released(second)
    known = first if isinstance(first, Release) else second
    original = known.source if original is None and isinstance(known, Release) else original
    inquiry = Inquiry(schema_for(known, schema), Question(**asked), source_for(known, source))
    inquiry = replace(inquiry, question=Question(**{**asked, "models": _asked(inquiry, first, second)}))
    readings = [inquiry.read(each) for each in (first, second)]
    with inquiry.original(original) as table:
        return _compared(inquiry, readings, table)


def _asked(inquiry: Inquiry, *published: Any) -> list[PrivacyModel]:
    """The models asked for, and those of the certificates, each once."""
    models = [*inquiry.question.models, *(m for each in published for m in promised_by(inquiry.read(each).certificate))]
    return list({str(model): model for model in models}.values())


def _compared(inquiry: Inquiry, readings: list[Reading], table: Table | None) -> Compared:
    if table is not None:
        readings = [beside_original(reading, table) for reading in readings]
    first, second = (_side(inquiry, reading, table) for reading in readings)
    judged = inquiry.question.judged(readings[0].schema)
    both = [name for name in judged if all(name in reading.counts.payloads for reading in readings)]
    together = None if table is None else together_of(readings, table, inquiry.priors(readings[0], table))
    return Compared(
        first=first,
        second=second,
        distributions=tuple(_distribution(name, readings[0].counts, readings[1].counts) for name in both),
        together=together,
        prior="; ".join(sorted({first.measurement.prior, second.measurement.prior})),
        unknown=() if together else (NO_ORIGINAL if table is None else LOCAL,),
    )


def _side(inquiry: Inquiry, reading: Reading, table: Table | None) -> Side:
    cost = Cost() if table is None else Cost.of_file(reading, table)
    priors = inquiry.priors(reading, table)
    assessed = inquiry.assess(reading, priors)
    measurement = measured(assessed, cost, priors, reading.schema)
    verdicts = tuple(assessed.verdicts(inquiry.question.models))
    return Side(reading.name, measurement, int(reading.counts.people.min()), verdicts)


def _distribution(name: str, first: FrequencySet, second: FrequencySet) -> Distribution:
    people = [_people_by_value(counts, name) for counts in (first, second)]
    order = list(dict.fromkeys([*people[0], *people[1]]))
    sizes = np.array([[each.get(value, 0) for value in order] for each in people])
    shares = sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1)
    most = sizes.max(axis=0)
    others = shares[:, (most > 0) & (most < FEW)].sum(axis=1)
    return Distribution(
        sensitive=name,
        shares=tuple((order[place], float(shares[0, place]), float(shares[1, place])) for place in np.flatnonzero(most >= FEW)),
        others=(float(others[0]), float(others[1])),
        distance=float(np.abs(shares[0] - shares[1]).sum() / 2),
    )


def _people_by_value(counts: FrequencySet, name: str) -> dict[str | None, int]:
    payload = counts.payloads[name]
    labels = (*payload.hierarchy.labels[0], None)
    return dict(zip(labels, payload.distribution().tolist(), strict=False))


Row = tuple[Any, ...]


def _sizes(compared: Compared) -> list[Row]:
    first, second, both = compared.first.measurement, compared.second.measurement, compared.together
    rows: list[Row] = [
        ("people", None, first.people, second.people, both and both.people),
        ("suppressed", None, first.suppressed, second.suppressed, None),
        ("classes", None, first.classes, second.classes, both and both.pairs),
        ("smallest class", None, compared.first.smallest_class, compared.second.smallest_class, both and both.smallest_pair),
    ]
    risks = [first.risk.as_dict(), second.risk.as_dict(), both.risk.as_dict() if both else {}]
    rows += [(f"risk: {name.replace('_', ' ')}", None, *(each.get(name) for each in risks)) for name in risks[0]]
    for name, certain in both.certain.items() if both else ():
        rows.append(("one value remains (share of people)", name, certain.first, certain.second, certain.together))
    return rows


def _models(compared: Compared) -> list[Row]:
    """What each model measures, beside its threshold."""
    verdicts = zip(compared.first.verdicts, compared.second.verdicts, strict=True)
    return [(f"{one.model} ({_bound(one)})", one.sensitive, _value(one), _value(other), None) for one, other in verdicts]


def _bound(verdict: Verdict) -> str:
    return f"at {'least' if verdict.direction == 'at_least' else 'most'} {verdict.threshold:g}"


def _value(verdict: Verdict) -> float | None:
    return verdict.value if verdict.value is not None or verdict.satisfied is None else float("inf")


def _answer(verdict: Verdict) -> str:
    return {True: "yes", False: "no", None: "not applicable"}[verdict.satisfied]


def _losses(compared: Compared) -> list[Row]:
    rows: list[Row] = []
    for one, other in zip(compared.first.measurement.attributes, compared.second.measurement.attributes, strict=False):
        both = compared.together.losses.get(one.sensitive or "", {}) if compared.together else {}
        for name in SHOWN:
            sides = [one.losses.get(name), other.losses.get(name), both.get(name)]
            rows.append((f"{name}, worst class", one.sensitive, *(each and each.max for each in sides)))
            rows.append((f"{name}, mean over people", one.sensitive, *(each and each.people_mean for each in sides)))
    first, second = compared.first.measurement.information, compared.second.measurement.information
    return rows + [(name, None, first[name], second.get(name), None) for name in first]
