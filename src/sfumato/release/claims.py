"""What a certificate claims about its file, compared with what was counted there; and what only the certificate can say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from sfumato.beliefs import Prior, in_attribute_order
from sfumato.errors import BadInput, NotVerified, UsageError, argument
from sfumato.frequency import FrequencySet, Payload
from sfumato.operations import operation_of
from sfumato.release.certificate import Certificate, PriorOf
from sfumato.release.invariant import M_INVARIANCE, plausible
from sfumato.release.numbering import as_recorded, by_value, is_order, numbered, shown_labels, shown_values
from sfumato.release.shapes import Method
from sfumato.vocabulary.recoding import Sanitized
from sfumato.vocabulary.schema import Attribute


def renumbered(counts: FrequencySet, certificate: Certificate) -> FrequencySet:
    """The classes of a file, numbered in the order that its certificate records."""
    shown = {name: shown_labels(counts, place) for place, name in enumerate(counts.node.attributes)}
    shown |= {name: shown_values(payload) for name, payload in counts.payloads.items() if name in certificate.sensitive}
    recorded = certificate.order
    if not all(name in shown and is_order(each, shown[name]) for name, each in recorded.items()):
        raise NotVerified("the certificate contradicts the file: the order of its labels", where=certificate.file)
    return numbered(counts, lambda name, labels: as_recorded(recorded.get(name), labels))


def contradiction(certificate: Certificate, counts: FrequencySet) -> str | None:
    """What a certificate says that cannot be true of the counted classes."""
    people = certificate.owners["people_per_class"] if certificate.owners else counts.people.tolist()
    rows = certificate.basis == "row"
    claims = {
        "its basis": certificate.basis == ("owner" if certificate.owners else "row"),
        "its people": certificate.people == certificate.rows if rows else max(people) <= certificate.people <= sum(people),
        "its people per class": len(people) == counts.classes
        and all(0 < a <= b for a, b in zip(people, counts.rows, strict=False)),
        "its smallest class": certificate.smallest_class == min(people),
        "its levels": certificate.promise.kind.plausible(certificate.node, certificate.heights),
        "its sensitive attributes": set(certificate.sensitive) <= set(certificate.columns),
        "its prior": _plausible_prior(certificate, counts),
        "its method": _plausible_method(certificate, min(people)),
    }
    return next((claim for claim, holds in claims.items() if not holds), None)


def _plausible_method(certificate: Certificate, smallest: int) -> bool:
    """Whether an operation can have made the file: one that promises k people in every class has kept it,
    and what it states is what it was asked for."""
    method = certificate.method
    if (method is None) != (certificate.recoding != Sanitized.kind):
        return False
    return method is None or (smallest >= method.get("k", 1) and _is_known(method))


def _is_known(method: Method) -> bool:
    """Whether a method is an operation of this version that states what its name and parameters say."""
    if method["name"] == M_INVARIANCE:
        return plausible(method)
    try:
        operation = operation_of(f"{method['name']}:{method['parameters']}")
    except BadInput:
        return False
    stated = all(method.get(name) == getattr(operation, name, None) for name in ("l", "epsilon", "delta"))
    return stated and method["judged"] == operation.judged.value and method.get("k") in (None, getattr(operation, "k", None))


def _plausible_prior(certificate: Certificate, counts: FrequencySet) -> bool:
    """Whether the prior can be that of a table which the file is part of."""
    prior, rows = certificate.prior, certificate.basis == "row"
    if prior.people is None:
        nobody = certificate.suppressed["rows"] == 0
        return prior.of == (PriorOf.FILE.value if nobody else PriorOf.WITHHELD.value) and (rows or not nobody)
    if prior.of != PriorOf.ORIGINAL.value or set(prior.people) != set(certificate.sensitive):
        return False
    everybody = certificate.people + certificate.suppressed["people"]
    return all(
        _includes(stated_people(certificate, name, payload), Prior.of(counts, name), everybody, rows=rows)
        for name, payload in counts.payloads.items()
        if name in prior.people
    )


def _includes(stated: Mapping[str | None, int] | None, own: Prior, everybody: int, *, rows: bool) -> bool:
    """Whether a stated distribution has at least the people of the file. A row has one value, an owner may have several."""
    if stated is None:
        return False
    total = sum(stated.values())
    if not rows:
        return total >= everybody
    return total == everybody and all(stated[value] >= people for value, people in zip(own.values, own.people, strict=True))


def stated_people(certificate: Certificate, name: str, payload: Payload) -> Mapping[str | None, int] | None:
    """The prior of an attribute as its certificate states it, value by value; None if it states none, or not of these values."""
    stated = (certificate.prior.people or {}).get(name)
    if stated is None:
        return None
    values: list[str | None] = list(as_recorded(certificate.order.get(name), shown_values(payload)))
    values += [None] if (payload.values == len(payload.hierarchy.labels[0])).any() else []
    others = {entry["value"]: int(entry["people"]) for entry in stated["others"]}
    if len(values) != len(stated["shown"]) or set(values) & set(others) or any(people <= 0 for people in others.values()):
        return None
    return {**dict(zip(values, map(int, stated["shown"]), strict=True)), **others}


def with_owners(counts: FrequencySet, certificate: Certificate) -> FrequencySet:
    """People as the certificate counts them: the file does not show who has several rows."""
    if certificate.owners is None:
        return counts
    people = np.array(certificate.owners["people_per_class"], np.int64)
    payloads = {}
    for name, payload in counts.payloads.items():
        listed = certificate.owners.get("people_per_value", {}).get(name)
        if listed is None and name in certificate.sensitive:
            raise NotVerified("the certificate counts other people than the file holds", where=certificate.file)
        if listed is None:
            raise UsageError(
                f"the certificate does not say how many people hold each value of {name!r}", where=argument("models")
            )
        stated = np.array([count for row in listed for count in row], np.int64)
        if [len(row) for row in listed] != np.diff(payload.offsets).tolist():
            raise NotVerified("the certificate counts other people than the file holds", where=certificate.file)
        places = by_value(payload, certificate.order.get(name))
        classes = np.repeat(np.arange(len(listed)), np.diff(payload.offsets))
        too_few = len(people) != len(listed) or (np.bincount(classes, stated, len(listed)) < people).any()
        if (stated > payload.rows[places]).any() or (stated <= 0).any() or too_few:  # everybody in a class has a value
            raise NotVerified("the certificate counts other people than the file holds", where=certificate.file)
        people_per_value = np.empty_like(stated)
        people_per_value[places] = stated
        payloads[name] = replace(payload, people=people_per_value)
    if len(people) != counts.classes:
        raise NotVerified("the certificate counts other classes than the file holds", where=certificate.file)
    return replace(counts, people=people, total_people=certificate.people, payloads=MappingProxyType(payloads), basis="owner")


def certified_prior(certificate: Certificate, payload: Payload, attribute: Attribute) -> Prior | None:
    """The prior that a certificate states for an attribute, if it does, in the attribute's order: everybody's, the suppressed included."""
    stated = stated_people(certificate, attribute.name, payload)
    if stated is None:
        return None
    values = in_attribute_order(payload.hierarchy, attribute, stated)
    return Prior(attribute.name, values, np.array([stated[value] for value in values], np.int64))
