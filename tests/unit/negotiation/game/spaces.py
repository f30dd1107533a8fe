"""A space with both losses: six nodes over two attributes."""

from __future__ import annotations

import numpy as np

from sfumato.search.evaluation import Evaluations, Measure
from sfumato.search.lattice import Lattice
from sfumato.search.space import About, PolicySpace

HEIGHTS = {"age": 2, "sex": 1}
# By levels of age and sex: (0,0), (0,1), (1,0), (1,1), (2,0), (2,1).
UTILITY = np.array([0.1, 0.3, 0.4, 0.6, 0.8, 1.0])
PRIVACY = np.array([0.9, 0.7, 0.5, 0.4, 0.2, 0.0])


def six(people: int = 10, privacy: np.ndarray = PRIVACY, complete: bool = True) -> PolicySpace:
    lattice = Lattice(tuple(HEIGHTS), (0, 0), tuple(HEIGHTS.values()))
    columns = {
        Measure("utility-distribution", worst=False): UTILITY,
        Measure("distribution", worst=True): privacy,
        Measure("entropy", worst=True): 2 * privacy,
    }
    about = About(people, people, "row", ("ill",), "", (), 0, "the table", complete)
    return PolicySpace(lattice, Evaluations(lattice.levels(), columns), about)


def invented(heights: dict[str, int]) -> PolicySpace:
    """A lattice whose utility loss grows with the levels, and whose privacy loss falls."""
    lattice = Lattice(tuple(heights), (0,) * len(heights), tuple(heights.values()))
    levels = lattice.levels()
    share = levels.sum(axis=1) / max(sum(heights.values()), 1)
    columns = {Measure("utility-distribution", worst=False): share, Measure("distribution", worst=True): 1 - share}
    return PolicySpace(lattice, Evaluations(levels, columns), About(10, 10, "row", ("ill",), "", (), 0, "the table"))
