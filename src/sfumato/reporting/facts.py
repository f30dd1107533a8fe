"""What a file, its certificate and its schema say about a release besides numbers of losses; and what they leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.models.base import TOLERANCE
from sfumato.question.priors import Priors
from sfumato.release.certificate import sha256
from sfumato.release.reading import PublishedFile
from sfumato.reporting.document import Believed, Facts, Gone, Judgment, Level
from sfumato.reporting.hiding import shifted
from sfumato.vocabulary.schema import Schema

STYLES = {"drop": "they left the file", "star": "they stay in the file with * in every quasi-identifier"}
BASES = {"row": "a row", "owner": "the rows of one owner"}


def facts_of(file: PublishedFile, schema: Schema, original: str | None, node: Mapping[str, int] | None) -> Facts:
    """What was published. Without a certificate the levels are those that the original tells, if there is one."""
    told, counts = file.certificate, file.counts
    columns = {attribute.name: attribute.role.value for attribute in file.schema.attributes}
    absent = {attribute.name: attribute.role.value for attribute in schema.attributes if attribute.name not in columns}
    levels = told.node if told else node or {}
    heights = told.heights if told else {name: schema[name].height() for name in counts.node.attributes}
    return Facts(
        file=file.path.name,
        sha256=told.sha256 if told else sha256(file.path),
        bytes=file.path.stat().st_size,
        certified=told is not None,
        people=counts.total_people,
        rows=counts.total_rows,
        classes=counts.classes,
        smallest_class=int(counts.people.min()),
        basis=told.basis if told else counts.basis,
        columns=MappingProxyType({name: columns[name] for name in told.columns} if told else columns),
        withheld=MappingProxyType(dict(told.withheld) if told else absent),
        levels=tuple(Level(name, levels.get(name), height) for name, height in heights.items()),
        local=told is not None and told.local,
        original=original,
        schema_fits=schema.digest() == told.schema_sha256 if told else None,
        time=told.time if told else None,
        version=told.version if told else None,
        engine=f"{told.engine['name']} {told.engine['version']}" if told else None,
    )


def gone_of(file: PublishedFile, priors: Priors, people: int | None) -> Gone:
    """Who was suppressed. How their going changed the table is told where its distribution before and after is known."""
    if people is None:
        return Gone()
    told = file.certificate.suppressed if file.certificate else {}
    share = people / max(people + file.counts.total_people, 1)
    changes = _changes(file, priors) if people and file.counts.basis == "row" else None
    return Gone(people, told.get("rows"), told.get("classes"), told.get("as"), share, changes)


def _changes(file: PublishedFile, priors: Priors) -> Mapping[str, Believed] | None:
    """Not told where starred records cannot be told from kept ones: then the file's distribution is not that of the kept."""
    after = {name: Prior.of(file.counts, name) for name in priors.of}
    if any(int(prior.people.sum()) != file.counts.total_people for prior in after.values()):
        return None
    return MappingProxyType({name: shifted(priors.of[name], prior) for name, prior in after.items()})


def settings_of(file: PublishedFile, schema: Schema, source: str) -> Mapping[str, str]:
    """The settings that matter, in words."""
    told = file.certificate
    texts = ", ".join("an empty text" if text == "" else f"“{text}”" for text in schema.missing) or "nothing"
    style = told.suppressed["as"] if told else schema.suppressed.value
    found = {
        "missing values": f"{texts} in a CSV file, and null; a value of its own, never a wildcard",
        "what counts as a person": BASES[told.basis if told else file.counts.basis],
        "suppressed records": f"{style}: {STYLES[style]}",
        "prior": source,
        "tolerance": f"{told.tolerance if told else TOLERANCE:g} for real numbers; counts are compared exactly",
    }
    if told:
        found |= {"seed of the row order": str(told.seed), "digest of the schema": told.schema_sha256}
        found |= {f"search: {name}": _setting(value) for name, value in (told.search or {}).items()}
    return MappingProxyType(found)


def _setting(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def unknown_of(file: PublishedFile, measured: Any, counts: FrequencySet) -> tuple[str, ...]:
    """What cannot be known, each with what would help."""
    return tuple(_unknown(file, measured, counts))


def _unknown(file: PublishedFile, measured: Any, counts: FrequencySet) -> Iterator[str]:
    if file.certificate is None:
        yield "There is no certificate: who made the file, when, and from which table is not known, nor whether it was changed since."
        yield "Without a certificate every row counts as a person; if people have several rows, classes are smaller than they seem."
        if measured is None:
            yield "Who was suppressed, and how far values were generalized, is not known; the original (--original) would tell."
            yield "The prior is the file’s own distribution. People who were left out are not in it."
    if measured is None:
        yield "What the recoding cost in detail is not measured; it needs the original (--original)."
    elif not measured.information:
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
