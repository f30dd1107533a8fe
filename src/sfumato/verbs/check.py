"""Is this file private enough? Judge a published file by any models, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.assessment.assess import judge, seen
from sfumato.errors import UsageError, several
from sfumato.models import MODELS, Context, Models, PrivacyModel, Verdict, columns_of, models_of
from sfumato.models.protected import Members, Protected, require_groups
from sfumato.question.population import population_of
from sfumato.question.priors import Priors, Stated, priors_of_file, priors_of_table, stated_beliefs
from sfumato.question.question import choose_sensitive
from sfumato.release.reading import PublishedFile, open_published
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.vocabulary.schema import Schema

HEADS = ("model", "value", "", "threshold", "satisfied", "witness")


@dataclass(frozen=True, slots=True)
class Checked(Printed):
    """The verdicts on a published file, in the order of the models, and the prior they rest on."""

    path: Path
    verdicts: tuple[Verdict, ...]
    classes: int
    people: int
    rows: int
    basis: str
    suppressed: int
    prior: str

    @property
    def satisfied(self) -> bool:
        """Whether no model is violated."""
        return all(verdict.satisfied is not False for verdict in self.verdicts)

    @property
    def status(self) -> str:
        """`violated` if one model is, `not_applicable` if none could be judged, else `satisfied`."""
        if not self.satisfied:
            return "violated"
        return "satisfied" if any(verdict.satisfied for verdict in self.verdicts) else "not_applicable"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        told = {name: getattr(self, name) for name in ("classes", "people", "rows", "basis", "suppressed", "prior", "satisfied")}
        return {"status": self.status, "file": str(self.path), **told, "models": [verdict.as_dict() for verdict in self.verdicts]}

    def table(self) -> Rows:
        """One row per verdict."""
        return Rows(HEADS, tuple(_row(verdict) for verdict in self.verdicts))


def _row(verdict: Verdict) -> tuple[Any, ...]:
    sign = "≥" if verdict.direction == "at_least" else "≤"
    said = {True: "yes", False: "no", None: "not applicable"}[verdict.satisfied]
    value = verdict.value if verdict.value is not None or verdict.satisfied is None else float("inf")
    people = several(verdict.witness_size or 0, "person", "people")
    witness = f"class {verdict.witness} ({people})" if verdict.witness else verdict.reason or ""
    name = f"{verdict.model} [{verdict.sensitive}]" if verdict.sensitive else verdict.model
    return name, value, sign, verdict.threshold, said, witness


def check(
    published: str | PathLike[str],
    schema: Schema | str | PathLike[str],
    models: Models,
    *,
    sensitive: Sequence[str] | None = None,
    original: Any = None,
    prior: Stated | None = None,
    certificate: str | PathLike[str] | None = None,
    population: Any = None,
    population_size: int | None = None,
    memory_limit: str | None = None,
) -> Checked:
    """Judge a published file. The prior is the certificate's, the original's if given, else the file's own.

    `population` is a larger table with the same QIDs, `population_size` the number of people in one that is not at hand.
    """
    declared = schema if isinstance(schema, Schema) else Schema.read(schema)
    published = getattr(published, "path", published)  # a release knows its file
    asked = models_of(models)
    if not asked:
        raise UsageError(f"name at least one model, as in k-anonymity:5; there are {', '.join(MODELS)}", where="model")
    members = Members(declared)
    require_groups(asked, members)
    file = open_published(
        Path(published),
        declared,
        Path(certificate) if certificate else None,
        memory_limit=memory_limit,
        counted=columns_of(asked),
    )
    require_held(asked, members, file, original, memory_limit)
    priors = choose_priors(file, declared, original, prior, memory_limit)
    chosen = choose_sensitive(file.schema, sensitive)
    priors = replace(priors, of={name: found for name, found in priors.of.items() if name in chosen})
    release = seen(file.counts, file.schema, priors, file.suppressed)
    larger = population_of(population, declared, file.counts, memory_limit) if population is not None else None
    verdicts = judge(release, asked, Context(members, larger, population_size))
    counts = file.counts
    size = (counts.classes, counts.total_people, counts.total_rows, file.certificate.basis if file.certificate else counts.basis)
    return Checked(file.path, tuple(verdicts), *size, file.suppressed, priors.source)


def require_held(
    models: Sequence[PrivacyModel], members: Members, file: PublishedFile, original: Any, memory_limit: str | None
) -> None:
    """Refuse a group that no class can hold, unless the file was made for it or the original has it: misspelled, it would look safe."""
    groups = [model.group for model in models if isinstance(model, Protected) and not members(file.counts, model.group).any()]
    told = [str(entry["model"]) for entry in (file.certificate.models if file.certificate else None) or ()]
    absent = [group for group in groups if not any(model.endswith(f" for {group}") for model in told)]
    if absent and original is not None:
        with Table.open(original, members.schema, memory_limit=memory_limit) as table:
            counted = [(group, table.count([name for name, _ in group.labels])) for group in absent]
        absent = [group for group, counts in counted if not members(counts, group).any()]
    for group in absent:
        raise UsageError(
            f"no class of the file can hold people of {group}; write it as the file's labels are, "
            "or show with --original that there are such people",
            where="group",
        )


def choose_priors(file: PublishedFile, schema: Schema, original: Any, prior: Any, memory_limit: str | None) -> Priors:
    """The prior to judge against, by the order of what is better known."""
    priors = priors_of_file(file)
    if original is not None:
        with Table.open(original, schema, memory_limit=memory_limit) as table:
            names = [name for name in file.counts.payloads if name in table.schema.sensitive]
            priors = Priors(priors_of_table(table, names), "the original table")
    if prior is not None:
        statements, name = stated_beliefs(prior, schema)
        priors = replace(priors, statements=statements, source=f"{name} over {priors.source}")
    return priors
