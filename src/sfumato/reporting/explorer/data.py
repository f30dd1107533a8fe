"""What the page holds: every shown node with its losses, exactly, and its worst classes, as many as there is room for.

Numbers of nodes are the bytes of 64-bit floats, so that the browser compares what the library compares. The same trade-off gives the
same bytes.
"""

from __future__ import annotations

import base64
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import several
from sfumato.models.base import TOLERANCE
from sfumato.progress import Progress
from sfumato.reporting.again import names_of, share_of
from sfumato.reporting.explorer.classes import MOST, OfNode, classes_of, labels_of, values_of
from sfumato.reporting.explorer.thinning import MOST_ON_PAGE, losses_in, shown
from sfumato.reporting.hiding import few_among
from sfumato.search.space.trade_off import TradeOff
from sfumato.search.space.within import LOSS_OF

MOST_BYTES = 4_800_000
COUNTED = ("classes", "smallest", "suppressed")
_LINE_END = "\u2028"


@dataclass(frozen=True, slots=True)
class Source:
    """What the table and its schema are called in the commands of the page: names of files, no folders."""

    table: str = "TABLE"
    schema: str = "SCHEMA"


def data_of(found: TradeOff, source: Source, progress: Progress | None = None, most: int = MOST_ON_PAGE) -> dict[str, Any]:
    """Everything that the page knows."""
    places = shown(found, most)
    nodes, lattice = found.space.evaluations, found.space.lattice
    few = few_among(found.problem.models)
    classes = classes_of(found.problem, found.sensitive, nodes.levels[places], found.space["classes"][places], few, progress)
    values = values_of(found.problem, found.sensitive)
    told: dict[str, Any] = {
        "attributes": [list(each) for each in zip(lattice.attributes, lattice.heights, strict=True)],
        "levels": _bytes(nodes.levels[places].astype(np.uint8)),
        "nodes": len(places),
        "lattice": len(found.space),
        "feasible": _bytes(found.feasible[places].astype(np.uint8)),
        "left": _bytes(np.array([each.left for each in classes], np.uint8)),
        "counted": {name: _floats(found.space[name][places]) for name in COUNTED},
        "losses": {name: _floats(found.space[name][places]) for name in losses_in(found.space)},
        "axes": list(found.axes),
        "bounds": found.bounds.given,
        "basis": found.bounds.scope,
        "parameters": dict(LOSS_OF),
        "tolerance": TOLERANCE,
        "sensitive": found.sensitive,
        "values": [*values.names, *([_rare(values.rare)] if values.rare else [])],
        "prior": values.prior,
        "few": few,
        "publish": _publish(found, source),
        "search": _search(found, source),
    }
    return told | _told(found, classes, MOST_BYTES - len(encoded(told)))


def encoded(told: dict[str, Any]) -> str:
    """As JSON that is safe within a page."""
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e").replace(_LINE_END, "\\u2028")


def _told(found: TradeOff, classes: Sequence[OfNode], room: int) -> dict[str, Any]:
    """The classes of every node, as many of the worst as there is room for, and the labels that they have."""
    labels = labels_of(found.problem.counts, list(classes))
    heights = found.space.lattice.heights
    named = [[list(labels.get((q, level), {}).values()) for level in range(height + 1)] for q, height in enumerate(heights)]
    place_of = {key: {code: place for place, code in enumerate(each)} for key, each in labels.items()}
    rows = [[_row(each, told, place_of) for told in each.told] for each in classes]
    small = [[s.classes, s.number, s.people, _short(s.loss)] if (s := each.small).classes else 0 for each in classes]
    fits = _fitting(rows, room - len(encoded({"labels": named, "small": small})))
    return {"labels": named, "small": small, "most": fits, "worst": [row[:fits] for row in rows]}


def _row(each: OfNode, told: Any, place_of: dict[tuple[int, int], dict[int, int]]) -> list[Any]:
    """Number, people, loss, the places of its labels, and people per value."""
    levels = each.node.levels
    labels = [place_of[q, level][code] for q, (level, code) in enumerate(zip(levels, told.codes, strict=True))]
    return [told.number, told.people, _short(told.loss), *labels, *told.values]


def _fitting(rows: Sequence[Sequence[list[Any]]], room: int) -> int:
    """How many classes per node there is room for."""
    sizes = np.zeros(MOST + 1, np.int64)
    for row in rows:
        sizes[0] += 3
        for place, each in enumerate(row, start=1):
            sizes[place] += len(json.dumps(each, separators=(",", ":"))) + 1
    return int(np.count_nonzero(np.cumsum(sizes)[1:] <= room))


def _publish(found: TradeOff, source: Source) -> list[str]:
    """The command that makes the release of a node, before and after its levels."""
    quasi = names_of(found.space.lattice.attributes)
    words = ["sfumato", "publish", source.table, "-s", source.schema, "--quasi", quasi, "--node"]
    return [shlex.join(words) + " ", " -o out.parquet"]


def _search(found: TradeOff, source: Source) -> str | None:
    """With suppression: the command that searches for a release and leaves people out."""
    about = found.space.about
    if not about.limit:
        return None
    words = ["sfumato", "anonymize", source.table, "-s", source.schema, "--quasi", names_of(found.space.lattice.attributes)]
    words += ["--sensitive", names_of([found.sensitive])]
    words += [word for model in about.models for word in ("-m", model)]
    return shlex.join([*words, "--suppress", share_of(about.limit, about.people), "-o", "out.parquet"])


def _rare(count: int) -> str:
    return f"{several(count, 'rare value')} (fewer than 5 people each)" if count > 1 else "a rare value (fewer than 5 people)"


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _floats(column: npt.NDArray[Any]) -> str:
    return _bytes(column.astype("<f8"))


def _bytes(column: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(column).tobytes()).decode()
