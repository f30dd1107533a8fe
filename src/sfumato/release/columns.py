"""What the columns of a release look like."""

from __future__ import annotations

import numpy as np

from sfumato.naming import FEW
from sfumato.release.release import Release
from sfumato.results import Rows


def columns_of(release: Release) -> Rows:
    """Per published QID: its level, how many labels it has, and the label that most people have, if enough people have it."""
    certificate, classes = release.certificate, release.classes
    rows: list[tuple[object, ...]] = []
    for place, name in enumerate(certificate.quasi):
        codes, column = np.unique(classes.codes[:, place], return_inverse=True)
        people = np.bincount(column, weights=classes.people)
        most = int(people.argmax())
        label = classes.labels(int(np.flatnonzero(column == most)[0]) + 1)[place]
        shown = "(fewer than 5 people)" if people[most] < FEW else "(missing)" if label is None else label
        level = certificate.node.get(name)
        height = classes.hierarchies[place].height
        rows.append((name, "" if level is None else f"{level} of {height}", len(codes), shown))
    return Rows(("column", "level", "labels", "most people have"), tuple(rows))
