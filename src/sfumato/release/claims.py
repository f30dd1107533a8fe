"""What a certificate claims about its file, compared with what was counted there; and what only the certificate can say."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.beliefs import Prior
from sfumato.errors import NotVerified
from sfumato.frequency import FrequencySet
from sfumato.release.certificate import Certificate


def contradiction(certificate: Certificate, counts: FrequencySet) -> str | None:
    """What a certificate says that cannot be true of the counted classes."""
    people = certificate.owners["people_per_class"] if certificate.owners else counts.people.tolist()
    everybody = certificate.people + certificate.suppressed["people"]
    rows = certificate.basis == "row"
    claims = {
        "its basis": certificate.basis == ("owner" if certificate.owners else "row"),
        "its people": certificate.people == certificate.rows if rows else max(people) <= certificate.people <= sum(people),
        "its people per class": len(people) == counts.classes
        and all(0 < a <= b for a, b in zip(people, counts.rows, strict=False)),
        "its smallest class": certificate.smallest_class == min(people),
        "its levels": certificate.promise.kind.plausible(certificate.node, certificate.heights),
        "its sensitive attributes": set(certificate.sensitive) <= set(certificate.columns)
        and set(certificate.prior) == set(certificate.sensitive),
        "its prior": all(_adds_up(prior, everybody, certificate.basis) for prior in certificate.prior.values()),
    }
    return next((claim for claim, holds in claims.items() if not holds), None)


def _adds_up(prior: list[dict[str, Any]], people: int, basis: str) -> bool:
    """A row has one value; an owner may have several."""
    total = sum(int(entry["people"]) for entry in prior)
    return total == people if basis == "row" else total >= people


def with_owners(counts: FrequencySet, certificate: Certificate) -> FrequencySet:
    """People as the certificate counts them: the file does not show who has several rows."""
    if certificate.owners is None:
        return counts
    people = np.array(certificate.owners["people_per_class"], np.int64)
    payloads = {}
    for name, payload in counts.payloads.items():
        people_per_value = np.array([count for row in certificate.owners["people_per_value"][name] for count in row], np.int64)
        if len(people_per_value) != len(payload.values):
            raise NotVerified("the certificate counts other people than the file holds", where=certificate.file)
        payloads[name] = replace(payload, people=people_per_value)
    if len(people) != counts.classes:
        raise NotVerified("the certificate counts other classes than the file holds", where=certificate.file)
    return replace(counts, people=people, total_people=certificate.people, payloads=MappingProxyType(payloads), basis="owner")


def certified_prior(certificate: Certificate, own: Prior) -> Prior:
    """The prior that a certificate states. Values it does not name are those of the file that it names nowhere, in order."""
    entries: list[dict[str, Any]] = certificate.prior.get(own.attribute, [])
    named = {entry["value"] for entry in entries if "value" in entry}
    unnamed = iter([value for value in own.values if value not in named])
    values: list[str | None] = []
    for place, entry in enumerate(entries):
        if "value" in entry:
            values.append(entry["value"])
        else:  # a value that the release does not show stands in its place under no name
            values.append(next(unnamed, f"unnamed {place}") if entry["released"] else f"unnamed {place}")
    return Prior(own.attribute, tuple(values), np.array([entry["people"] for entry in entries], np.int64))
