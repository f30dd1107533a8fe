"""How many inputs, generalizations and outputs there are, without enumerating any (channel paper, eqs. 21 to 25).

Eq. 25 as printed loses r mod k records and ignores the sensitive values, and 5.5 adds up what must be multiplied; these are the right
ones. All numbers are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, prod

import numpy as np

from sfumato.channel.enumeration.multisets import how_many
from sfumato.channel.enumeration.universe import Universe
from sfumato.errors import UsageError, argument
from sfumato.vocabulary.node import Node


def count_inputs(universe: Universe) -> int:
    """The tables that may be the input (eq. 21).

    Parameters
    ----------
    universe : Universe
        All tables of so many rows.

    Returns
    -------
    int
        C(V + r - 1, r), for V different rows and r rows.
    """
    return universe.inputs()


def count_generalizations(universe: Universe) -> int:
    """The nodes (eq. 22): the product of the numbers of levels.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows.

    Returns
    -------
    int
        The number.
    """
    return prod(each.height + 1 for each in universe.hierarchies)


def count_outputs(universe: Universe, k: int = 1) -> int:
    """The tables that may be published, at all nodes together (eqs. 23 to 25): those whose classes have k people or more.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows.
    k : int
        The least number of people in a class; with 1, every table counts.

    Returns
    -------
    int
        The number.
    """
    return sum(count_k_anonymous(universe.cells(node), universe.spread, universe.rows, k) for node in universe.nodes)


def count_k_anonymous(cells: int, values: int, rows: int, k: int) -> int:
    """The k-anonymous tables at a node: the coefficient of x^r in (1 + sum_{n >= k} C(n + s - 1, s - 1) x^n)^D.

    A class is absent, or holds n people with one of C(n + s - 1, s - 1) multisets of sensitive values.

    Parameters
    ----------
    cells : int
        D, the combinations of QID labels at the node.
    values : int
        s, the sensitive values.
    rows : int
        r, the rows of the table.
    k : int
        The least number of people in a class.

    Returns
    -------
    int
        The number.
    """
    if min(cells, values, rows, k) < 1:
        raise UsageError("cells, values, rows and k are at least 1", where=argument("k"))
    one = [1] + [comb(n + values - 1, values - 1) if n >= k else 0 for n in range(1, rows + 1)]
    power, factor, left = [1] + [0] * rows, one, cells
    while left:  # by squaring
        power = _product(power, factor) if left % 2 else power
        factor, left = _product(factor, factor), left // 2
    return power[rows]


def _product(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The product of two polynomials, up to the degree that they have."""
    return [sum(one[place] * other[degree - place] for place in range(degree + 1)) for degree in range(len(one))]


def count_behind(universe: Universe, node: Node, released: Sequence[int]) -> int:
    """The inputs that a published table may come from (5.5): the product of C(w + c - 1, c) over its distinct rows.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows.
    node : Node
        The node that the table is published at.
    released : sequence of int
        Its rows, by their numbers at the node.

    Returns
    -------
    int
        The number: w rows of level 0 are published as a row, which occurs c times.
    """
    covers = np.bincount(universe.released(node), minlength=universe.kinds(node))
    return prod(how_many(int(covers[row]), count) for row, count in Counter(map(int, released)).items())
