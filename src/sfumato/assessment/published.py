"""A published file beside everything that is known about it: its prior, the original table, a population. What `check`, `measure` and
`report` ask before they answer.

An operation may have changed values so that the classes of a file are nobody's. Then no loss and no verdict is derived from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.assessment.assess import Assessed
from sfumato.errors import DataError, SchemaError, UsageError, argument
from sfumato.models import Context, PrivacyModel, Verdict, models_of
from sfumato.models.protected import Members, Protected, require_groups
from sfumato.operations import Judged
from sfumato.question.population import PopulationOf
from sfumato.question.priors import Priors
from sfumato.question.question import Question
from sfumato.question.spelling import warn_of_spellings
from sfumato.release.certificate import Certificate, certificate_beside
from sfumato.release.reading import Reading
from sfumato.release.release import Release, reading_of
from sfumato.release.shapes import Method
from sfumato.table import Table
from sfumato.table.source import SchemaLike, Source, opened, schema_of
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry:
    """What is asked about a published file: the schema it was made under, the question, and how tables are read.

    Where a file of the original is given, what is said about reading is about that file (`of_original`): encoding, delimiter, signs. A
    release need not be written like it, and ours never are, so it is read as it is found.
    """

    schema: Schema
    question: Question
    source: Source
    certificate: str | PathLike[str] | None = None
    of_original: bool = False

    def __post_init__(self) -> None:
        for name in ("quasi", "suppress"):
            if getattr(self.question, name):
                raise UsageError(f"a published file is as it is; leave {argument(name)} out", where=argument(name))
        require_groups(self.question.models, Members(self.schema))

    @property
    def as_published(self) -> Source:
        """How the published file is read."""
        return self.source.beside(None) if self.of_original else self.source

    def as_original(self, data: Any) -> Source:
        """The original table, not opened yet."""
        return self.source.asked(data, self.schema) if self.of_original else self.source.beside(data, self.schema)

    def read_classes(self, published: Any, *, certified: bool = False) -> Reading:
        """The file, for its classes: refuses one whose classes are nobody's."""
        reading = self.read(published, certified=certified)
        require_classes(reading.method, reading.name)
        return reading

    def read(self, published: Any, *, certified: bool = False, counted: Sequence[str] = ()) -> Reading:
        """The file, with what the models count. `certified`: with what the models of its certificate count, too."""
        names = [*counted, *(name for model in self.question.models for name in model.columns)]
        reading = reading_of(published, self.schema, self.as_published, self.certificate, counted=names)
        if certified and reading.certificate:
            more = [n for model in promised_by(reading.certificate) for n in model.columns if n in reading.columns]
            if set(more) - set(reading.counts.payloads):
                return reading_of(published, self.schema, self.as_published, self.certificate, counted=[*names, *more])
        return reading

    @contextmanager
    def original(self, data: Any) -> Iterator[Table | None]:
        """The original table, if there is one."""
        if data is None:
            yield None
            return
        with opened(data if isinstance(data, Table) else self.as_original(data)) as table:
            yield table

    def priors(self, reading: Reading, original: Table | None) -> Priors:
        """The prior to judge against: the original's, else the certificate's, else the file's own; stated beliefs over it."""
        priors = reading.priors()
        if original is not None:
            names = [name for name in reading.counts.payloads if name in original.schema.sensitive]
            priors = Priors.of_table(original, names)
        return priors.with_beliefs(self.question.prior, self.schema).only(self.question.judged(reading.schema))

    def assess(self, reading: Reading, priors: Priors) -> Assessed:
        """The file beside its prior, with the population if there is one."""
        context = Context(
            members=Members(self.schema), population_size=self.question.population_size, suppressed=reading.suppressed
        )
        if self.question.population is not None:
            larger = self.source.beside(self.question.population)
            counted = PopulationOf.counted(larger, self.schema, reading.counts.node.attributes)
            context = replace(context, population=counted.of_labels(reading.counts))
        warn_of_spellings(reading.counts, priors.of)
        return Assessed.of(reading.counts, reading.schema, priors, context)

    def require_held(self, reading: Reading, original: Table | None) -> None:
        """Refuse a group that no class can hold, unless the file was made for it or the original has it: misspelled, it would look safe."""
        members = Members(self.schema)
        groups = [model.group for model in self.question.models if isinstance(model, Protected)]
        absent = [group for group in groups if not members(reading.counts, group).any()]
        certified = [str(model) for model in promised_by(reading.certificate)]
        absent = [group for group in absent if not any(text.endswith(f" for {group}") for text in certified)]
        if original is not None:
            absent = [g for g in absent if not members(original.count([name for name, _ in g.labels]), g).any()]
        for group in absent:
            raise UsageError(
                f"no class of the file can hold people of {group}; write it as the file's labels are, "
                f"or show with {argument('original')} that there are such people",
                where=argument("models"),
            )


def promised_by(certificate: Certificate | None) -> Sequence[PrivacyModel]:
    """The models that a certificate says are satisfied."""
    return models_of([str(entry["model"]) for entry in (certificate.models if certificate else None) or ()])


def method_of(published: Any) -> Method | None:
    """How values were changed, by the certificate of a release or beside a file; None if they are as they were, or nobody says."""
    if isinstance(published, Release):
        return published.certificate.method
    data = _source_of(published).data
    beside = certificate_beside(Path(data)) if isinstance(data, str | PathLike) and Path(data).name else None
    return Certificate.read(beside).method if beside is not None and beside.is_file() else None


def has_classes(method: Method | None) -> bool:
    """Whether the classes of a file are people who have its values."""
    return method is None or method["judged"] == Judged.CLASSES.value


def require_classes(method: Method | None, name: str) -> None:
    """Refuse losses of classes that are nobody's."""
    if method is not None and not has_classes(method):
        raise DataError(
            f"{_nobodys(method)}: the losses are those that 'sfumato sanitize' printed; 'sfumato attack' tries what the file gives away",
            where=name,
        )


def require_table(data: Any) -> None:
    """Refuse a published file in the place of a table, if its classes are nobody's."""
    require_classes(method_of(data), _source_of(data).name)


def _source_of(data: Any) -> Source:
    if isinstance(data, Table):
        return data.source
    return data if isinstance(data, Source) else Source(data)


def meant(verdict: Verdict, reading: Reading) -> Verdict:
    """The verdict, unless the classes of the file are nobody's."""
    if reading.method is None or has_classes(reading.method):
        return verdict
    return replace(verdict, value=None, satisfied=None, witness=None, witness_size=None, reason=_nobodys(reading.method))


def _nobodys(method: Method) -> str:
    return f"{method['name']} has changed values, so that classes of the file say nothing about people"


def released(published: Any) -> Any:
    """What is published; for a result of `anonymize`, its release."""
    inner = getattr(published, "release", None)
    return inner if isinstance(inner, Release) else published


def schema_for(published: Any, schema: SchemaLike | None) -> Schema:
    """The schema to read a published file under; a release was made under one."""
    if schema is None and isinstance(published, Release):
        return published.schemas[0]
    if schema is None:
        raise SchemaError("a published file needs the schema that it was made under", where=argument("schema"))
    return schema_of(schema)


def is_file(original: Any) -> bool:
    """Whether an original is a file or an address, so that it matters how it is read."""
    return isinstance(original, str | PathLike)


def source_for(published: Any, options: dict[str, Any]) -> Source:
    """How the tables of an inquiry are read: as the release was, or as is asked for."""
    known = published.source if isinstance(published, Release) else Source(None)
    return replace(known, data=None, schema=None, **options)
