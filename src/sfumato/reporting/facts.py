"""What a reading, its certificate and its schema say about a release besides numbers of losses; and what they leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sfumato.assessment.measurement import Cost
from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.models.base import TOLERANCE
from sfumato.question.priors import Priors
from sfumato.release.certificate import sha256
from sfumato.release.reading import Reading
from sfumato.reporting.document import Believed, Facts, Gone, Judgment, Level
from sfumato.reporting.hiding import shifted
from sfumato.vocabulary.schema import Schema

STYLES = {"drop": "they left the file", "star": "they stay in the file with * in every quasi-identifier"}
BASES = {"row": "a row", "owner": "the rows of one owner"}


def facts_of(reading: Reading, schema: Schema, original: str | None, node: Mapping[str, int] | None) -> Facts:
    """What was published. Without a certificate the levels are those that the original tells, if there is one."""
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


def removed_of(reading: Reading, priors: Priors, people: int | None) -> Gone:
    """Who was suppressed. How removing them shifted the table is reported where its distribution before and after is known."""
    if people is None:
        return Gone()
    certificate = reading.certificate.suppressed if reading.certificate else {}
    share = people / max(people + reading.counts.total_people, 1)
    changes = _changes(reading, priors) if people and reading.counts.basis == "row" else None
    return Gone(people, certificate.get("rows"), certificate.get("classes"), certificate.get("as"), share, changes)


def _changes(reading: Reading, priors: Priors) -> Mapping[str, Believed] | None:
    """Not certificate where starred records cannot be certificate from kept ones: then the file's distribution is not that of the kept."""
    after = {name: Prior.of(reading.counts, name) for name in priors.of}
    if any(int(prior.people.sum()) != reading.counts.total_people for prior in after.values()):
        return None
    return MappingProxyType({name: shifted(priors.of[name], prior) for name, prior in after.items()})


def settings_of(reading: Reading, schema: Schema, source: str) -> Mapping[str, str]:
    """The settings that matter, in words."""
    certificate = reading.certificate
    texts = ", ".join("an empty text" if text == "" else f"“{text}”" for text in schema.missing) or "nothing"
    style = certificate.suppressed["as"] if certificate else schema.suppressed.value
    found = {
        "missing values": f"{texts} in a CSV reading, and null; a value of its own, never a wildcard",
        "what counts as a person": BASES[reading.basis],
        "suppressed records": f"{style}: {STYLES[style]}",
        "prior": source,
        "tolerance": f"{certificate.tolerance if certificate else TOLERANCE:g} for real numbers; counts are compared exactly",
    }
    if certificate:
        found |= {"seed of the row order": str(certificate.seed), "digest of the schema": certificate.schema_sha256}
        found |= {f"search: {name}": _setting(value) for name, value in (certificate.search or {}).items()}
    return MappingProxyType(found)


def _setting(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def unknown_of(reading: Reading, cost: Cost | None, counts: FrequencySet) -> tuple[str, ...]:
    """What cannot be known, each with what would help."""
    return tuple(_unknown(reading, cost, counts))


def _unknown(reading: Reading, cost: Cost | None, counts: FrequencySet) -> Iterator[str]:
    if reading.certificate is None:
        yield "There is no certificate: who made the reading, when, and from which table is not known, nor whether it was changed since."
        yield "Without a certificate every row counts as a person; if people have several rows, classes are smaller than they seem."
        if cost is None:
            yield "Who was suppressed, and how far values were generalized, is not known; the original (--original) would tell."
            yield "The prior is the file’s own distribution. People who were left out are not in it."
    if cost is None:
        yield "What the recoding cost in detail is not measured; it needs the original (--original)."
    elif not cost.information:
        yield "What the recoding cost in detail is not known: the labels fit no level of the schema’s hierarchies."
    if counts.basis == "owner" and counts.incidence is None:
        yield "People have several rows, and the file does not show whose they are: combinations of quasi-identifiers need the original."


def warnings_of(facts: Facts, judgments: Sequence[Judgment]) -> tuple[str, ...]:
    """What should stop a reader."""
    found = []
    if facts.schema_fits is False:
        found.append("The schema of this report is not the one that the release was certified under: its digest differs.")
    for each in judgments:
        if each.agrees is False:
            of = f" of {each.sensitive}" if each.sensitive else ""
            found.append(
                f"The certificate and the file disagree about {each.model}{of}, unless beliefs were stated then (--prior)."
            )
    return tuple(found)
