"""A release in a notebook: how large it is, what became of each column, and the verdicts. A label is shown if five people share it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import several
from sfumato.naming import FEW
from sfumato.results import Rows, as_html

if TYPE_CHECKING:
    from sfumato.release.release import Release


def release_html(release: Release) -> str:
    """Two small tables: the columns, and the models."""
    certificate = release.certificate
    suppressed = several(int(certificate.suppressed["people"]), "person", "people")
    caption = f"{release!r}; smallest class {certificate.smallest_class:,}; {suppressed} suppressed"
    columns = as_html(
        Rows(("column", "role", "level", "for example"), tuple(_column(release, n) for n in certificate.columns)), caption
    )
    if not release.verdicts:
        return columns
    answers = {True: "yes", False: "no", None: "not applicable"}
    rows = tuple((v.model, v.sensitive or "", v.value, v.threshold, answers[v.satisfied]) for v in release.verdicts)
    return columns + as_html(Rows(("model", "sensitive", "value", "threshold", "satisfied"), rows))


def _column(release: Release, name: str) -> tuple[Any, ...]:
    role = release.schema[name].role.value
    counts = release.classes
    if name not in counts.node.attributes:
        return name, role, "as it is", ""
    level = release.certificate.node.get(name)
    height = release.schemas[-1][name].height()
    return name, role, "several" if level is None else f"{level} of {height}", _common_label(release, name)


def _common_label(release: Release, name: str) -> str:
    """The label that most people share, if five do."""
    counts = release.classes
    place = counts.node.attributes.index(name)
    people = np.bincount(counts.codes[:, place], weights=counts.people)
    label = counts.hierarchies[place].label(counts.node.levels[place], int(people.argmax()))
    return "" if people.max() < FEW or label is None else label
