"""The classes of a written release, counted again from the file itself: the guarantee rests on this, not on the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import BadInput, NotVerified
from sfumato.frequency import FrequencySet
from sfumato.release.certificate import Certificate
from sfumato.table import Table
from sfumato.vocabulary.builders import Builder
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy, require_covered
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.recoding import AnyRecoding
from sfumato.vocabulary.schema import Attribute, Schema, Suppressed


@dataclass(frozen=True, slots=True)
class Published:
    """The hierarchy of a published column: its labels as they stand (those given, or those that occur), and the root."""

    labels: tuple[str, ...] | None = None

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(Kind)

    def height(self, kind: Kind) -> int:
        return 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        labels = tuple(values) if self.labels is None else self.labels
        require_covered(attribute, values, labels)
        return Hierarchy.flat(labels)

    def declared(self) -> dict[str, Any]:
        return {"builder": "published"}


def published_schema(schema: Schema, recoding: AnyRecoding, hierarchies: Mapping[str, Hierarchy]) -> Schema:
    """How the written file is read back: QIDs by the labels of their level, sensitive attributes by their own values."""
    attributes = []
    for attribute in schema.attributes:
        if attribute.name in recoding.attributes:
            kind = attribute.kind if recoding.keeps_type(attribute.name) else Kind.TEXT
            builder: Builder = Published(recoding.published_labels(attribute.name))
            attributes.append(Attribute(attribute.name, Role.QUASI, kind, builder))
        elif attribute.role is Role.SENSITIVE:
            attributes.append(replace(attribute, builder=Published(hierarchies[attribute.name].labels[0])))
    return Schema(tuple(attributes), missing=())  # the release writes what is missing as nothing


def rederive(path: Path, schema: Schema, memory_limit: str | None) -> FrequencySet:
    """The frequency set of a written file."""
    with Table.open(path, schema, memory_limit=memory_limit) as written:
        return written.count()


def require_same(written: FrequencySet, promised: FrequencySet, recoding: AnyRecoding, starred: int) -> FrequencySet:
    """The classes that a file holds, starred records aside; refuses others than the promised ones.

    People of owners do not show in the file: rows are compared.
    """
    if recoding.stars:
        written = _without_stars(written, recoding, starred)
    same = np.array_equal(written.codes, promised.codes) and np.array_equal(written.rows, promised.rows)
    for name, payload in promised.payloads.items():
        found = written.payloads[name]
        same &= all(np.array_equal(getattr(found, part), getattr(payload, part)) for part in ("offsets", "values", "rows"))
    if not same:
        raise NotVerified("the written file does not hold the promised classes; nothing was published")
    return written


def _without_stars(written: FrequencySet, recoding: AnyRecoding, starred: int) -> FrequencySet:
    """The classes without the suppressed records, which stand as `*` in every QID, and with the codes of the node."""
    star = [labels.index(ROOT) for labels in map(recoding.published_labels, written.node.attributes)]
    is_star = (written.codes == star).all(axis=1)
    if int(written.rows[is_star].sum()) != starred:
        raise NotVerified("the written file does not hold the suppressed records as promised; nothing was published")
    kept = written.keep(~is_star)
    # `*` was appended after the labels of the level, so the missing value stands one place later than at the node.
    shift = [ROOT not in recoding.labels(name) for name in kept.node.attributes]
    return replace(kept, codes=np.where(np.array(shift) & (kept.codes > star), kept.codes - 1, kept.codes).astype(np.int32))


def without_stars(counts: FrequencySet, told: Certificate) -> FrequencySet:
    """The classes of a file without the records that its certificate counts as starred.

    Where every QID stands at its root the kept people look like the starred ones: then the class loses as many rows.
    """
    starred = int(told.suppressed["rows"]) if told.suppressed["as"] == Suppressed.STAR.value else 0
    stars = np.array([starred > 0 and set(counts.labels(number)) == {ROOT} for number in range(1, counts.classes + 1)])
    if int(counts.rows[stars].sum()) == starred:
        return counts.keep(~stars)
    rows = counts.rows - np.where(stars, starred, 0)
    return replace(counts, rows=rows, people=rows, total_people=int(rows.sum()))


def contradiction(told: Certificate, counts: FrequencySet) -> str | None:
    """What a certificate says that cannot be true of the counted classes."""
    people = told.owners["people_per_class"] if told.owners else counts.people.tolist()
    whole = told.people + told.suppressed["people"]
    claims = {
        "its basis": told.basis == ("owner" if told.owners else "row"),
        "its people": told.people == told.rows if told.basis == "row" else max(people) <= told.people <= sum(people),
        "its people per class": len(people) == counts.classes
        and all(0 < a <= b for a, b in zip(people, counts.rows, strict=False)),
        "its smallest class": told.smallest_class == min(people),
        "its levels": all(0 <= level <= told.heights.get(name, -1) for name, level in told.node.items()),
        "its recoding": set(told.node) == (set() if told.local else set(told.heights)),
        "its sensitive attributes": set(told.sensitive) <= set(told.columns) and set(told.prior) == set(told.sensitive),
        "its prior": all(_adds_up(prior, whole, told.basis) for prior in told.prior.values()),
    }
    return next((claim for claim, holds in claims.items() if not holds), None)


def _adds_up(prior: list[dict[str, Any]], people: int, basis: str) -> bool:
    """A row has one value; an owner may have several."""
    total = sum(int(entry["people"]) for entry in prior)
    return total == people if basis == "row" else total >= people


def as_no(error: BadInput) -> NotVerified:
    """A written file that cannot even be read back is not what was promised."""
    return NotVerified(f"the written file cannot be read back as promised ({error.code}); nothing was published")
