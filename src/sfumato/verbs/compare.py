"""Two releases side by side: what each gives away and costs, and what they tell together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from sfumato.assessment.measurement import Cost, Measurement, beside_original, measured
from sfumato.assessment.published import Inquiry, is_file, promised_by, released, schema_for, source_for
from sfumato.assessment.together import Together, together_of
from sfumato.frequency import FrequencySet
from sfumato.models import PrivacyModel, Verdict
from sfumato.naming import FEW
from sfumato.options import divided
from sfumato.question.priors import Priors
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions, Question
from sfumato.release import Reading, Release
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions
from sfumato.upward import above
from sfumato.vocabulary.schema import Schema

# The losses that a short table shows; `as_dict` has all.
SHOWN = ("distribution", "entropy", "emd", "utility-distribution", "utility-entropy")
NO_ORIGINAL = "what the releases tell together: give the original table"
LOCAL = "what the releases tell together: one has labels of several levels (a local recoding), or a column other types in each"


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


class CompareOptions(SourceOptions, JudgingOptions, total=False):
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
    source, asked = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS)
    published = (released(first), released(second))
    known = next((each for each in published if isinstance(each, Release)), None)
    original = known.source if original is None and known else original
    inquiries = [replace(_inquiry(each, known, schema, asked, source), of_original=is_file(original)) for each in published]
    models = list({str(each): each for pair in zip(inquiries, published, strict=True) for each in _models_of(*pair)}.values())
    inquiries = [replace(each, question=Question(**{**asked, "models": models})) for each in inquiries]
    return _compared(inquiries, published, original.source if isinstance(original, Table) else original)


def _inquiry(published: Any, known: Release | None, schema: SchemaLike | None, asked: Any, source: Any) -> Inquiry:
    """A release is read under its own schema, a file under the one that is given, or that of the other release."""
    own = published if isinstance(published, Release) else known
    return Inquiry(schema_for(own, schema), Question(**asked), source_for(own, source))


def _models_of(inquiry: Inquiry, published: Any) -> list[PrivacyModel]:
    """The models asked for, and those of the certificate."""
    return [*inquiry.question.models, *promised_by(inquiry.read(published).certificate)]


def _compared(inquiries: Sequence[Inquiry], published: Sequence[Any], original: Any) -> Compared:
    first, second = (_Measured.of(*each, original) for each in zip(inquiries, published, strict=True))
    readings = (first.reading, second.reading)
    judged = [name for name in first.priors.of if all(name in reading.counts.payloads for reading in readings)]
    together = None
    if original is not None:
        schemas = (first.schema, second.schema)
        together = together_of(
            readings, schemas, replace(inquiries[0].as_original(original), schema=None), first.priors.only(judged)
        )
    return Compared(
        first=first.side,
        second=second.side,
        distributions=tuple(_distribution(name, *(reading.counts for reading in readings)) for name in judged),
        together=together,
        prior="; ".join(sorted({first.priors.source, second.priors.source})),
        unknown=() if together else (NO_ORIGINAL if original is None else LOCAL,),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """One release, read and measured: its side of the comparison, its priors, and its schema with the types of the original."""

    side: Side
    reading: Reading
    priors: Priors
    schema: Schema

    @classmethod
    def of(cls, inquiry: Inquiry, published: Any, original: Any) -> _Measured:
        reading = inquiry.read_classes(published)
        with inquiry.original(original) as table:
            reading = reading if table is None else beside_original(reading, table)
            cost = Cost() if table is None else Cost.of_file(reading, table)
            priors = inquiry.priors(reading, table)
            schema = inquiry.schema if table is None else table.schema
        assessed = inquiry.assess(reading, priors)
        measurement = measured(assessed, cost, priors)
        verdicts = tuple(assessed.verdicts(inquiry.question.models))
        return cls(Side(reading.name, measurement, int(reading.counts.people.min()), verdicts), reading, priors, schema)


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
