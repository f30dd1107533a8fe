"""Generalization mechanisms over small domains as channels: every input enumerated, or one of every orbit; and how many there are."""

from sfumato.channel.enumeration.counts import (
    count_behind,
    count_generalizations,
    count_inputs,
    count_k_anonymous,
    count_outputs,
)
from sfumato.channel.enumeration.mechanism import Choice, Enumerated, enumerate_mechanism
from sfumato.channel.enumeration.orbits import Orbits, enumerate_orbits
from sfumato.channel.enumeration.universe import Universe

__all__ = [
    "Choice",
    "Enumerated",
    "Orbits",
    "Universe",
    "count_behind",
    "count_generalizations",
    "count_inputs",
    "count_k_anonymous",
    "count_outputs",
    "enumerate_mechanism",
    "enumerate_orbits",
]
