"""How the suppressed differ from those who are in the file, in every column. For the owner's report only: it needs the original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.beliefs import Prior
from sfumato.frequency import Counts, FrequencySet, Mask, added, packed
from sfumato.release.reading import at_levels
from sfumato.reporting.bins import binned
from sfumato.reporting.hiding import MISSING
from sfumato.reporting.overview import Difference
from sfumato.reporting.views.columns import Compared
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node

MOST_ROWS = 12


def differences_of(compared: Compared) -> tuple[Difference, ...] | None:
    """One entry per column; None if nobody was suppressed, or if it is not known who."""
    leaves, counts = compared.leaves, compared.reading.counts
    levels = [compared.levels.get(name) for name in counts.node.attributes]
    if leaves is None or not compared.reading.suppressed or None in levels:
        return None
    node = Node(counts.node.attributes, tuple(level or 0 for level in levels))
    kept = at_levels(counts, node, leaves.hierarchies)
    if kept is None:
        return None
    inside = _inside(leaves, kept, node)
    if (
        int(leaves.rows[inside].sum()) != counts.total_rows
    ):  # not the table that the file was made from, or rows without their classes
        return None
    return tuple(_differences(compared, leaves, node, inside))


def _inside(leaves: FrequencySet, kept: FrequencySet, node: Node) -> Mask:
    """Which cells of the original are in a class of the file."""
    steps = list(zip(leaves.hierarchies, node.levels, strict=True))
    columns = [h.ancestors(0, level)[leaves.codes[:, place]] for place, (h, level) in enumerate(steps)]
    both = [np.concatenate([one, other]) for one, other in zip(columns, kept.codes.T, strict=True)]
    keys = packed(both, [h.codes(level) for h, level in steps], len(leaves.codes) + len(kept.codes))
    return np.isin(keys[: len(leaves.codes)], keys[len(leaves.codes) :])


def _differences(compared: Compared, leaves: FrequencySet, node: Node, inside: Mask) -> Iterator[Difference]:
    for place, (name, level) in enumerate(node.as_dict().items()):
        hierarchy = leaves.hierarchies[place]
        # Where everybody has the same label, the level below shows who they were.
        shown = min(level, hierarchy.height - 1)
        codes = hierarchy.ancestors(0, shown)[leaves.codes[:, place]]
        kept, left = (added(leaves.rows[mask], codes[mask], hierarchy.codes(shown)) for mask in (inside, ~inside))
        labels = [hierarchy.label(shown, code) for code in range(hierarchy.codes(shown))]
        yield _difference(name, labels, kept, left, compared.kind(compared.schema[name]) if shown == 0 else None, compared.few)
    for name, payload in leaves.payloads.items():
        width = payload.hierarchy.codes(0)
        cells = np.repeat(inside, np.diff(payload.offsets))
        kept, left = (added(payload.rows[mask], payload.values[mask], width) for mask in (cells, ~cells))
        labels = [payload.hierarchy.label(0, code) for code in range(width)]
        yield _difference(name, labels, kept, left, compared.kind(compared.schema[name]), compared.few)
    for name in (each for each in compared.plain if each in compared.plain_before):
        values = compared.plain_before[name].values
        kept, whole = (_people(prior[name], values) for prior in (compared.plain, compared.plain_before))
        if int((whole - kept).sum()) == int(leaves.rows[~inside].sum()):  # not so where their rows stand in the file as stars
            yield _difference(name, values, kept, whole - kept, compared.kind(compared.schema[name]), compared.few)


def _people(prior: Prior, values: Sequence[str | None]) -> Counts:
    people = dict(zip(prior.values, prior.people.tolist(), strict=True))
    return np.array([people.get(value, 0) for value in values], np.int64)


def _difference(name: str, labels: Sequence[str | None], kept: Counts, left: Counts, kind: Kind | None, few: int) -> Difference:
    """Shares per label, the largest difference first; a label that few people of the table have is counted among the others."""
    present = np.flatnonzero(kept + left)
    labels, kept, left = [labels[int(place)] for place in present], kept[present], left[present]
    if bins := binned(labels, (kept + left).tolist(), kind):
        groups = np.array(bins.places) % (len(bins.names) + 1)
        kept, left = (added(people, groups, len(bins.names) + 1) for people in (kept, left))
        labels = [*bins.names, None]
    common = np.flatnonzero(kept + left >= few)
    shares = np.abs(kept / max(kept.sum(), 1) - left / max(left.sum(), 1))
    most = common[np.argsort(-shares[common], kind="stable")][:MOST_ROWS]
    rows = tuple((MISSING if (label := labels[place]) is None else label, int(kept[place]), int(left[place])) for place in most)
    return Difference(name, rows, int((kept + left > 0).sum()) - len(rows))
