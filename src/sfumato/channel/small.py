"""A generalization mechanism over a small domain, measured: how many inputs and outputs, the MAP error, and the bounds on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.channel.bounds import Bound, error_bounds
from sfumato.channel.enumeration.counts import count_generalizations
from sfumato.channel.enumeration.mechanism import MOST_INPUTS, Choice, Enumerated, enumerate_mechanism
from sfumato.channel.enumeration.universe import Universe
from sfumato.channel.information import mutual_information
from sfumato.channel.utility.mechanism import MechanismUtility, mechanism_utility
from sfumato.models import Models
from sfumato.results import Printed, Rows
from sfumato.table.source import SchemaLike


@dataclass(frozen=True, slots=True, eq=False)
class MechanismMeasures(Printed):
    """An enumerated mechanism with its measures, all inputs equally likely: `bounds` on its MAP error, the information of its outputs about
    the input in bits, and the utility of inputs and outputs."""

    mechanism: Enumerated
    bounds: tuple[Bound, ...]
    information: float
    utility: MechanismUtility

    def values(self) -> dict[str, float]:
        """Counts and measures by name."""
        found, (outputs, entropy) = self.mechanism, self.bounds
        return {
            "inputs": found.channel.inputs,
            "nodes": count_generalizations(found.universe),
            "outputs": found.channel.outputs,
            "inputs without a node": found.unpublished,
            "MAP error": found.map_error,
            "at least (outputs)": outputs.lower,
            "at most (a guess without output)": outputs.upper,
            "at most (Santhi-Vardy)": entropy.upper,
            "information (bits)": self.information,
            "utility of inputs (bits)": self.utility.before,
            "utility of outputs (bits)": self.utility.after,
        }

    def table(self) -> Rows:
        """One row per count or measure."""
        return Rows(("measure", "value"), tuple(self.values().items()))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        found, (outputs, entropy) = self.mechanism, self.bounds
        return {
            "models": [str(model) for model in found.models],
            "choice": found.choice.value,
            "rows": found.universe.rows,
            "inputs": found.channel.inputs,
            "nodes": count_generalizations(found.universe),
            "outputs": found.channel.outputs,
            "unpublished": found.unpublished,
            "map_error": found.map_error,
            "bounds": {"lower": outputs.lower, "upper": outputs.upper, "santhi_vardy": entropy.upper},
            "information": self.information,
            "utility": {"inputs": self.utility.before, "outputs": self.utility.after},
        }


def measure_mechanism(
    schema: SchemaLike, rows: int, models: Models, *, choice: str | Choice = Choice.UNIFORM, most: int = MOST_INPUTS
) -> MechanismMeasures:
    """Enumerate a generalization mechanism and measure it.

    Parameters
    ----------
    schema : Schema, path or dict
        Its hierarchies list their leaves; at most one attribute is sensitive.
    rows : int
        The rows of every table.
    models : str, PrivacyModel, or a collection of them
        What a published table must satisfy.
    choice : str
        Which of the satisfying nodes is published: `uniform`, any of them; `deterministic`, the one with the least sum of levels.
    most : int
        The most inputs that are enumerated; more are refused.

    Returns
    -------
    MechanismMeasures
        The mechanism, its counts, MAP error, bounds, information and utility.
    """
    found = enumerate_mechanism(Universe.of(schema, rows), models, choice=choice, most=most)
    return MechanismMeasures(found, error_bounds(found.channel), mutual_information(found.channel), mechanism_utility(found))
