"""Compile the loops of the search and keep them: `python -m sfumato.search.compiled.warm`.

What is compiled depends on the types that the loops are called with, so a small problem is searched in every way that calls them.
"""

from __future__ import annotations

import numpy as np

from sfumato.beliefs import Prior
from sfumato.frequency import CellTable, FrequencySet
from sfumato.models import model_of
from sfumato.search.algorithms.explain import explain
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.compiled.evaluator import QuickEvaluator
from sfumato.search.compiled.narrow import NARROW
from sfumato.search.compiled.walk import walked
from sfumato.search.evaluation import every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute

_MODELS = ("k-anonymity:2", "recursive-diversity:2,2", "t-closeness:0.5,ordered", "t-closeness:0.5,hierarchical")


def compile_loops() -> None:
    """Run every loop once."""
    for values, owned in ((4, False), (NARROW + 16, False), (4, True)):
        problem = _small(values, owned=owned)
        quick = QuickEvaluator(problem, every_loss(), compiled=True)
        lattice = Lattice.of(problem.counts)
        quick.evaluate(lattice.levels())
        walked(quick.batches, quick.base, lattice, threads=1)
        optimal(problem, "loss")
        explain(problem)


def _small(values: int, *, owned: bool) -> Problem:
    """As many rows as there are values of the sensitive attribute, at least sixteen, with two QIDs; `owned`: three of each person."""
    tree = Hierarchy.of_columns("x", [list("abcd"), list("ppqq")])
    labels = [f"v{value}" for value in range(values)]
    held = Hierarchy.of_columns("s", [labels, [str(value % 2) for value in range(values)]])
    codes = np.arange(max(16, values), dtype=np.int32)
    owners = codes.astype(np.int64) // 3 if owned else None
    cells = CellTable([codes % 4, codes // 4 % 4], np.ones(len(codes), np.int64), {"s": (held, codes * 7 % values)}, owners)
    counts = FrequencySet.of_cells(Node(("a", "b"), (0, 0)), (tree, tree), cells)
    attribute = Attribute("s", Role.SENSITIVE, Kind.INTEGER)
    return Problem(counts, {"s": attribute}, {"s": Prior.of(counts, "s")}, tuple(map(model_of, _MODELS)), 4)


if __name__ == "__main__":
    compile_loops()
