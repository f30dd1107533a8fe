"""The data of the page: every shown node with its exact losses, and as many of its worst classes as there is room for.

The numbers of the nodes are the bytes of 64-bit floats, so the browser compares the same values as the library. The same trade-off gives
the same bytes.
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

from sfumato.models.base import TOLERANCE
from sfumato.progress import Progress
from sfumato.reporting.again import names_of, share_of
from sfumato.reporting.explorer.classes import MOST, NodeClasses, ShownClass, classes_by_node, labels_of, values_of
from sfumato.reporting.explorer.naming import loss_words, phrases_of
from sfumato.reporting.explorer.thinning import MOST_ON_PAGE, Places, losses_in, nodes_to_show
from sfumato.reporting.hiding import few_among, rare_values
from sfumato.reporting.markup import inline_json
from sfumato.search.space.trade_off import TradeOff
from sfumato.search.space.within import LOSS_OF

MOST_BYTES = 4_800_000
MOST_ROWS = 60  # of the table of the front
COUNTED = ("classes", "smallest", "suppressed")


@dataclass(frozen=True, slots=True)
class FileNames:
    """The file names of the table and its schema in the commands on the page, without folders."""

    table: str = "TABLE"
    schema: str = "SCHEMA"


def data_of(result: TradeOff, files: FileNames, progress: Progress | None = None, most: int = MOST_ON_PAGE) -> dict[str, Any]:
    """All data of the page."""
    places = nodes_to_show(result, most)
    nodes = result.space.evaluations
    few = few_among(result.problem.models)
    classes = classes_by_node(
        result.problem, result.sensitive, nodes.levels[places], result.space["classes"][places], few, progress
    )
    values = values_of(result.problem, result.sensitive)
    data = plot_data(result, places) | {
        "suppresses": flags(np.array([each.suppresses for each in classes], bool)),
        "sensitive": result.sensitive,
        "values": [*values.names, *([rare_values(values.rare)] if values.rare else [])],
        "prior": values.prior,
        "few": few,
        "publish": _publish(result, files),
        "search": _search(result, files),
    }
    return data | _class_data(result, classes, MOST_BYTES - len(inline_json(data)))


def plot_data(result: TradeOff, places: Places) -> dict[str, Any]:
    """The data of the plot: some nodes of a space with their losses."""
    nodes, lattice = result.space.evaluations, result.space.lattice
    return {
        "attributes": [list(each) for each in zip(lattice.attributes, lattice.heights, strict=True)],
        "phrases": phrases_of(result),
        "words": {name: loss_words(name) for name in losses_in(result.space)},
        "levels": _bytes(nodes.levels[places].astype(np.uint8)),
        "nodes": len(places),
        "lattice": len(result.space),
        "feasible": flags(result.feasible[places]),
        "counted": {name: _floats(result.space[name][places]) for name in COUNTED},
        "losses": {name: _floats(result.space[name][places]) for name in losses_in(result.space)},
        "axes": list(result.axes),
        "models": bool(result.space.about.models),
        "rows": MOST_ROWS,
        "bounds": result.bounds.given,
        "scope": result.bounds.scope,
        "parameters": dict(LOSS_OF),
        "tolerance": TOLERANCE,
    }


def _class_data(result: TradeOff, classes: Sequence[NodeClasses], room: int) -> dict[str, Any]:
    """The worst classes of every node, as many as there is room for, and their labels."""
    labels = labels_of(result.problem.counts, list(classes))
    heights = result.space.lattice.heights
    named = [[list(labels.get((q, level), {}).values()) for level in range(height + 1)] for q, height in enumerate(heights)]
    place_of = {key: {code: place for place, code in enumerate(each)} for key, each in labels.items()}
    rows = [[_row(each, shown, place_of) for shown in each.shown] for each in classes]
    small = [[s.classes, s.number, s.people, _short(s.loss)] if (s := each.hidden).classes else 0 for each in classes]
    fits = _fitting(rows, room - len(inline_json({"labels": named, "small": small})))
    return {"labels": named, "small": small, "most": fits, "worst": [row[:fits] for row in rows]}


def _row(each: NodeClasses, shown: ShownClass, place_of: dict[tuple[int, int], dict[int, int]]) -> list[Any]:
    """Number, people, loss, the places of the labels, and people per value."""
    levels = each.node.levels
    labels = [place_of[q, level][code] for q, (level, code) in enumerate(zip(levels, shown.codes, strict=True))]
    return [shown.number, shown.people, _short(shown.loss), *labels, *shown.values]


def _fitting(rows: Sequence[Sequence[list[Any]]], room: int) -> int:
    """How many classes per node there is room for."""
    sizes = np.zeros(MOST + 1, np.int64)
    for row in rows:
        sizes[0] += 3
        for place, each in enumerate(row, start=1):
            sizes[place] += len(json.dumps(each, separators=(",", ":"))) + 1
    return int(np.count_nonzero(np.cumsum(sizes)[1:] <= room))


def _publish(result: TradeOff, files: FileNames) -> list[str]:
    """The command that publishes a node: the text before its levels, and the text after them."""
    quasi = names_of(result.space.lattice.attributes)
    words = ["sfumato", "publish", files.table, "-s", files.schema, "--quasi", quasi, "--node"]
    return [shlex.join(words) + " ", " -o out.parquet"]


def _search(result: TradeOff, files: FileNames) -> str | None:
    """With suppression: the command that searches for a release and suppresses people."""
    about = result.space.about
    if not about.limit:
        return None
    words = ["sfumato", "anonymize", files.table, "-s", files.schema, "--quasi", names_of(result.space.lattice.attributes)]
    words += ["--sensitive", names_of([result.sensitive])]
    words += [word for model in about.models for word in ("-m", model)]
    return shlex.join([*words, "--suppress", share_of(about.limit, about.people), "-o", "out.parquet"])


def flags(column: npt.NDArray[np.bool_]) -> str:
    """One byte per node: 1 or 0."""
    return _bytes(column.astype(np.uint8))


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _floats(column: npt.NDArray[Any]) -> str:
    return _bytes(column.astype("<f8"))


def _bytes(column: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(column).tobytes()).decode()
