"""A generalization mechanism by orbits: of all inputs that relabeling makes alike, one is enumerated and counts for all of them.

If a relabeling maps input T to gT, it maps the outputs of T to those of gT with the same probabilities. So an output's best guess has
the same probability everywhere in its orbit, and it is found among the representatives of the inputs: those that are published as some
output of the orbit. The MAP error is a sum over orbits of outputs, each times its size. Nothing is approximated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.channel.enumeration.judging import Judge
from sfumato.channel.enumeration.mechanism import Choice, choice_of, probabilities
from sfumato.channel.enumeration.multisets import LARGEST, Codes, Counts, binomials, numbers
from sfumato.channel.enumeration.symmetry import Symmetry
from sfumato.channel.enumeration.universe import Universe
from sfumato.errors import UsageError, several
from sfumato.models import Models, PrivacyModel, models_of
from sfumato.results import Printed, Rows
from sfumato.statistics import Floats

MOST_REPRESENTATIVES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Orbits(Printed):
    """A mechanism whose inputs are counted by orbits.

    `inputs` and `outputs` are how many there are, `representatives` and `output_representatives` how many of them were enumerated;
    `relabelings` is the size of the group; `unpublished` is how many inputs have no node that satisfies the models. `map_error` is that
    of an adversary to whom all inputs are equally likely.
    """

    universe: Universe
    models: tuple[PrivacyModel, ...]
    choice: Choice
    relabelings: int
    inputs: int
    representatives: int
    outputs: int
    output_representatives: int
    unpublished: int
    map_error: float

    @property
    def not_enumerated(self) -> int:
        """The inputs that were counted and not enumerated."""
        return self.inputs - self.representatives

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        names = ("inputs", "representatives", "not_enumerated", "outputs", "output_representatives", "unpublished", "map_error")
        record = {"models": [str(model) for model in self.models], "choice": self.choice.value, "relabelings": self.relabelings}
        return {**record, **{name: getattr(self, name) for name in names}}

    def table(self) -> Rows:
        """One row."""
        values = (self.choice.value, self.inputs, self.representatives, self.not_enumerated, self.outputs, self.map_error)
        return Rows(("choice", "inputs", "enumerated", "not enumerated", "outputs", "MAP error"), (values,))


def enumerate_orbits(
    universe: Universe, models: Models, *, choice: str | Choice = Choice.UNIFORM, most: int = MOST_REPRESENTATIVES
) -> Orbits:
    """The MAP error of a generalization mechanism, from one input of every orbit of relabelings.

    Parameters
    ----------
    universe : Universe
        All tables of so many rows over small domains.
    models : str, PrivacyModel, or a collection of them
        What a published table must satisfy. Models that read labels are refused.
    choice : str
        `uniform` or `deterministic`, as for `enumerate_mechanism`.
    most : int
        The most representatives that are enumerated; more are refused.

    Returns
    -------
    Orbits
        The MAP error and the counts; exact.
    """
    chosen, wanted = choice_of(choice), models_of(models)
    judge = Judge(universe, wanted)
    _require_numbers(universe)
    symmetry = Symmetry.of(judge)
    _require_few(symmetry, most)
    tables, sizes = representatives(symmetry, universe.rows)
    satisfied = np.stack([judge(tables, node) for node in universe.nodes], axis=1)
    weights = probabilities(satisfied, chosen)
    unpublished = int(sizes[~satisfied.any(axis=1)].sum())
    best, outputs, shown = float(unpublished > 0), int(unpublished > 0), int(unpublished > 0)
    for place, node in enumerate(universe.nodes):
        published = weights[:, place] > 0
        each, size = _best(symmetry.at(node), universe.released(node)[tables[published]], weights[published, place])
        best, outputs, shown = best + float((each * size).sum()), outputs + int(size.sum()), shown + len(size)
    counts = (universe.inputs(), len(tables), outputs, shown, unpublished)
    return Orbits(universe, wanted, chosen, symmetry.order, *counts, 1 - best / universe.inputs())


def _best(group: Codes, released: Codes, weights: Floats) -> tuple[Floats, Counts]:
    """Of every orbit of outputs, the largest probability with which an input leads to one of them, and its size."""
    first, size = canonical(group, np.sort(released, axis=1))
    table = binomials(group.shape[1], released.shape[1])
    _, place, orbit_of = np.unique(numbers(first, table), return_index=True, return_inverse=True)
    best = np.zeros(len(place))
    np.maximum.at(best, orbit_of, weights)
    return best, size[place]


def representatives(symmetry: Symmetry, rows: int) -> tuple[Codes, Counts]:
    """One table of every orbit, and how many tables each orbit has.

    Row by row: a table without one of its rows is like a representative, so a representative and any row gives a table of every orbit.
    """
    kinds = symmetry.elements.shape[1]
    tables, sizes = np.zeros((1, 0), np.int64), np.ones(1, np.int64)
    for length in range(1, rows + 1):
        longer = np.column_stack([np.repeat(tables, kinds, axis=0), np.tile(np.arange(kinds), len(tables))])
        longer = _distinct(np.sort(longer, axis=1), kinds)
        first, size = canonical(symmetry.elements, longer)
        _, place = np.unique(numbers(first, binomials(kinds, length)), return_index=True)
        tables, sizes = first[place], size[place]
    return tables, sizes


def _distinct(tables: Codes, kinds: int) -> Codes:
    _, place = np.unique(numbers(tables, binomials(kinds, tables.shape[1])), return_index=True)
    return tables[place]


def canonical(group: Codes, tables: Codes) -> tuple[Codes, Counts]:
    """The first table in the orbit of each, by number, and the size of the orbit: how many relabelings there are to one that leaves it
    as it is."""
    table = binomials(group.shape[1], tables.shape[1])
    own = numbers(tables, table)
    best, first, fixed = own.copy(), tables.copy(), np.zeros(len(tables), np.int64)
    for element in group:
        image = np.sort(element[tables], axis=1)
        number = numbers(image, table)
        fixed += number == own
        lower = number < best
        best[lower], first[lower] = number[lower], image[lower]
    return first, len(group) // fixed


def _require_numbers(universe: Universe) -> None:
    if universe.inputs() >= LARGEST:
        raise UsageError(
            f"{universe.inputs():,} inputs are more than can be numbered; sample the mechanism with estimate_map_error (--samples)",
            where="enumeration",
        )


def _require_few(symmetry: Symmetry, most: int) -> None:
    """Refuse more orbits than that; there are at least as many as inputs to a relabeling."""
    inputs = symmetry.universe.inputs()
    if inputs > most * symmetry.order:
        least = -(-inputs // symmetry.order)
        raise UsageError(
            f"{several(inputs, 'input')} are too many, even by orbits (at least {least:,}, and at most {most:,} are enumerated): sample "
            "the mechanism with estimate_map_error (--samples)",
            where="enumeration",
        )
