"""Spaces to negotiate about: the census with four QIDs, and any lattice with losses that a test writes down."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

import sfumato as sf
from sfumato.data import adult
from sfumato.search.evaluation import Evaluations, Measure
from sfumato.search.lattice import Lattice
from sfumato.search.space import About, PolicySpace

QUASI = ("age", "sex", "workclass", "education")


@cache
def census() -> PolicySpace:
    with adult() as table:
        return sf.explore(table, quasi=list(QUASI), models=["k-anonymity:2"])


def invented(heights: dict[str, int], losses: npt.NDArray[np.float64] | None = None) -> PolicySpace:
    """A lattice whose utility loss is given, or grows with the levels."""
    lattice = Lattice(tuple(heights), (0,) * len(heights), tuple(heights.values()))
    levels = lattice.levels()
    utility = levels.sum(axis=1) / sum(heights.values()) if losses is None else losses
    columns = {Measure("utility-distribution", worst=False): np.asarray(utility, np.float64)}
    about = About(100, 100, "row", ("ill",), "", (), 0, "the table")
    return PolicySpace(lattice, Evaluations(levels, columns), about)
