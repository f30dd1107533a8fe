"""The facts of a release besides its losses, from the file, its certificate and its schema; and what remains unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sfumato.assessment.measurement import Cost
from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.models.base import TOLERANCE
from sfumato.question.priors import Priors
from sfumato.release.certificate import PriorOf, sha256
from sfumato.release.reading import Reading
from sfumato.reporting.document import BeliefChange, Facts, Judgment, Level, Suppression
from sfumato.reporting.hiding import shift_between
from sfumato.vocabulary.schema import Schema

STYLES = {"drop": "they are not in the file", "star": "they are in the file with * in every quasi-identifier"}
BASES = {"row": "a row", "owner": "the rows of one owner"}


def facts_of(reading: Reading, schema: Schema, original: str | None, node: Mapping[str, int] | None) -> Facts:
    """What was published. Without a certificate, the levels are inferred from the original, if there is one."""
    certificate, counts = reading.certificate, reading.counts
    columns = {attribute.name: attribute.role.value for attribute in reading.schema.attributes}
    absent = {attribute.name: attribute.role.value for attribute in schema.attributes if attribute.name not in columns}
    levels = certificate.node if certificate else node or {}
    heights = certificate.heights if certificate else {name: schema[name].height() for name in counts.node.attributes}
    return Facts(
        file=reading.name,
        sha256=certificate.sha256 if certificate else sha256(reading.path) if reading.path else None,
        bytes=certificate.bytes if certificate else reading.path.stat().st_size if reading.path else None,
        certified=certificate is not None,
        people=counts.total_people,
        rows=counts.total_rows,
        classes=counts.classes,
        smallest_class=int(counts.people.min()),
        basis=reading.basis,
        columns=MappingProxyType({name: columns[name] for name in certificate.columns} if certificate else columns),
        withheld=MappingProxyType(dict(certificate.withheld) if certificate else absent),
        levels=tuple(Level(name, levels.get(name), height) for name, height in heights.items()),
        local=certificate is not None and not certificate.node,
        original=original,
        schema_fits=schema.digest() == certificate.schema_sha256 if certificate else None,
        time=certificate.time if certificate else None,
        version=certificate.version if certificate else None,
        engine=f"{certificate.engine['name']} {certificate.engine['version']}" if certificate else None,
    )


def audience_of(cost: Cost | None) -> str:
    """Who may see a report: the owner alone if it was made with the original. It then shows columns as they were before, and with the
    file it discloses the suppressed people."""
    return "public" if cost is None else "owner"


def suppression_of(reading: Reading, priors: Priors, cost: Cost | None) -> Suppression:
    """How many people were suppressed. How removing them shifted the table is reported where both distributions are known."""
    if reading.certificate is None and cost is None:
        return Suppression()
    people = reading.suppressed
    certificate: Mapping[str, Any] = reading.certificate.suppressed if reading.certificate else {}
    share = people / max(people + reading.counts.total_people, 1)
    withheld = cost is None and reading.certificate is not None and reading.certificate.prior.of == PriorOf.WITHHELD.value
    changes = _changes(reading, priors) if people and reading.counts.basis == "row" and not withheld else None
    return Suppression(
        people,
        certificate.get("rows"),
        certificate.get("classes"),
        certificate.get("as"),
        "sensitive" in certificate,
        share,
        changes,
    )


def _changes(reading: Reading, priors: Priors) -> Mapping[str, BeliefChange] | None:
    """None if starred records cannot be told from kept ones: then the distribution in the file is not that of the kept records."""
    after = {name: Prior.of(reading.counts, name) for name in priors.of}
    if any(int(prior.people.sum()) != reading.counts.total_people for prior in after.values()):
        return None
    return MappingProxyType(
        {name: shift_between(priors.of[name], prior, reading.schema[name].kind) for name, prior in after.items()}
    )


def settings_of(reading: Reading, schema: Schema, source: str) -> Mapping[str, str]:
    """The settings that matter, in words."""
    certificate = reading.certificate
    texts = ", ".join("an empty text" if text == "" else f"“{text}”" for text in schema.missing) or "nothing"
    style = certificate.suppressed["as"] if certificate else schema.suppressed.value
    settings = {
        "missing values": f"{texts} in a CSV file, and null; a missing value is a value of its own, never a wildcard",
        "what counts as a person": BASES[reading.basis],
        "suppressed records": f"{style}: {STYLES[style]}",
        "prior": source,
        "tolerance": f"{certificate.tolerance if certificate else TOLERANCE:g} for real numbers; counts are compared exactly",
    }
    if certificate:
        settings |= {"seed of the row order": str(certificate.seed), "digest of the schema": certificate.schema_sha256}
        settings |= {f"search: {name}": _setting(value) for name, value in (certificate.search or {}).items()}
    return MappingProxyType(settings)


def _setting(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def unknown_of(reading: Reading, cost: Cost | None, counts: FrequencySet) -> tuple[str, ...]:
    """What is unknown, each with the input that would help."""
    return tuple(_unknown(reading, cost, counts))


def _unknown(reading: Reading, cost: Cost | None, counts: FrequencySet) -> Iterator[str]:
    if reading.certificate is None:
        yield "There is no certificate. It is not known who made the file, when, from which table, and whether it was changed since."
        yield "Without a certificate every row counts as one person. If people have several rows, classes are smaller than they seem."
        if cost is None:
            yield "It is not known who was suppressed and how far values were generalized. The original table (--original) would show it."
            yield "The prior is the distribution in the file itself. It does not include people who were left out."
    elif cost is None and reading.certificate.prior.of == PriorOf.WITHHELD.value:
        yield (
            "The prior is the distribution in the file itself. The certificate withholds that of the original table: together with the "
            "file it would disclose the sensitive values of the suppressed people."
        )
    if cost is None:
        yield "How much detail the generalization removed was not measured. This needs the original table (--original)."
    elif not cost.information:
        yield "How much detail the generalization removed is not known: the labels match no level of the schema’s hierarchies."
    if counts.basis == "owner" and counts.incidence is None:
        yield (
            "People have several rows, and the file does not show which rows belong together. To measure combinations of columns, give "
            "the original table (--original)."
        )


def warnings_of(facts: Facts, judgments: Sequence[Judgment], audience: str, spellings: Sequence[str]) -> tuple[str, ...]:
    """What should make a reader stop; `spellings` are the warnings about values in several spellings."""
    warnings = []
    if audience == "owner":
        warnings.append(
            "For the owner only. This page was made with the original table: it shows columns as they were before, and with the file it "
            "discloses values of suppressed people. The report to pass on is the one made without it (leave out --original)."
        )
    warnings += [f"{line[0].upper()}{line[1:]}." for line in spellings]
    if facts.schema_fits is False:
        warnings.append("The schema of this report is not the one that the release was certified under: the digests differ.")
    for each in judgments:
        if each.agrees is False:
            of = f" of {each.sensitive}" if each.sensitive else ""
            warnings.append(
                f"The certificate and the file disagree about {each.model}{of}, unless the release was made under stated beliefs (--prior)."
            )
    return tuple(warnings)
