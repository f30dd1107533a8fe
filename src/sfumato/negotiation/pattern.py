"""Utility patterns: what a data user wants of a table, in ranked layers ([T] Definition 19).

Each layer has a largest share: how far its attributes may be generalized, as a part of their heights. A policy matches a pattern if no
attribute exceeds the share of its layer, and none of a higher layer is generalized further than one of a lower layer. Attributes
outside the pattern are withheld: they stand at their root, so that one exploration of the owner's table answers every pattern.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import Mask
from sfumato.search.lattice import Lattice
from sfumato.search.space import PolicySpace

EXACT = 1e-9  # shares are compared with this tolerance
_HALF = 0.5
Layers = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class UtilityPattern:
    """The attributes of interest in layers, the most important first, and the largest share of each layer.

    No attribute stands twice, no layer is empty, and shares do not fall: 0 is as it is, 1 is anything up to the root. Left out, they are
    0 for the first layer, 1 for the last, and evenly spread between them.

    >>> UtilityPattern.parse("age,sex > workclass > education").shares
    (0.0, 0.5, 1.0)
    """

    layers: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(tuple(layer) for layer in self.layers))
        object.__setattr__(self, "shares", tuple(map(float, self.shares)) or _spread(len(self.layers)))
        if not self.layers or not all(self.layers):
            raise UsageError("a pattern names an attribute in every layer, as in age,sex > education", where=argument("pattern"))
        for name in self.attributes:
            if self.attributes.count(name) > 1:
                raise UsageError(f"{name!r} stands twice; an attribute is of one layer", where=argument("pattern"))
        if len(self.shares) != len(self.layers):
            raise UsageError(
                f"{len(self.layers)} layers need as many shares; there are {len(self.shares)}", where=argument("shares")
            )
        if not all(0 <= share <= 1 for share in self.shares) or list(self.shares) != sorted(self.shares):
            raise UsageError("shares are from 0 to 1, and a later layer has no smaller one", where=argument("shares"))

    @classmethod
    def parse(cls, text: str, shares: Sequence[float] = ()) -> UtilityPattern:
        """A pattern as it is written: `age,sex > workclass > education`; or as JSON, for names with commas or such signs.

        >>> UtilityPattern.parse('[["age", "town, street"], ["sex"]]').attributes
        ('age', 'town, street', 'sex')
        """
        if text.lstrip().startswith("["):
            return cls(_layers(text), tuple(shares))
        layers = [[name.strip() for name in layer.split(",") if name.strip()] for layer in text.split(">")]
        return cls(tuple(map(tuple, layers)), tuple(shares))

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes of interest."""
        return tuple(name for layer in self.layers for name in layer)

    def __str__(self) -> str:
        if any(sign in name or name != name.strip() for name in self.attributes for sign in ",>["):
            return json.dumps([list(layer) for layer in self.layers], ensure_ascii=False)
        return " > ".join(",".join(layer) for layer in self.layers)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"layers": [list(layer) for layer in self.layers], "shares": list(self.shares)}

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> UtilityPattern:
        """A pattern from what `as_dict` made."""
        return cls(tuple(map(tuple, entry["layers"])), tuple(entry["shares"]))

    def promote(self, name: str) -> UtilityPattern:
        """The pattern with an attribute one layer further up."""
        layer = self._layer(name)
        if layer == 0:
            raise UsageError(f"{name!r} is in the first layer already", where=argument("pattern"))
        return self._moved(name, layer - 1)

    def demote(self, name: str) -> UtilityPattern:
        """The pattern with an attribute one layer further down; below the last one is a new one, with share 1."""
        return self._moved(name, self._layer(name) + 1)

    def relax(self) -> UtilityPattern | None:
        """A pattern that everything matches that matches this one, and more; None if all shares are 1.

        Where the first layer is published as it is, its last attribute goes one layer down. Otherwise the strictest layer may be
        generalized as far as the next one.
        """
        if self.shares[0] == 0 and len(self.layers[0]) > 1:
            return self.demote(self.layers[0][-1])
        if self.shares[0] == 1:
            return None
        place = max(place for place, share in enumerate(self.shares) if share == self.shares[0])
        following = self.shares[place + 1 :] or ((_HALF,) if self.shares[0] < _HALF else (1.0,))
        return replace(self, shares=(*self.shares[:place], following[0], *self.shares[place + 1 :]))

    def require_known(self, attributes: Sequence[str]) -> None:
        """Refuse a pattern with an attribute that is not offered."""
        for name in self.attributes:
            if name not in attributes:
                raise UsageError(unknown("quasi-identifier", name, attributes, within="the sheet"), where=argument("pattern"))

    def matching(self, space: PolicySpace) -> Mask:
        """Which nodes of a space match."""
        return self.matches(space.evaluations.levels, space.lattice)

    def matches(self, levels: npt.NDArray[Any], lattice: Lattice) -> Mask:
        """Which rows of levels match, the columns being those of a lattice."""
        self.require_known(lattice.attributes)
        column = {name: place for place, name in enumerate(lattice.attributes)}
        height = dict(zip(lattice.attributes, lattice.heights, strict=True))
        holds = np.ones(len(levels), bool)
        for name in lattice.attributes:
            if name not in self.attributes:
                holds &= levels[:, column[name]] == height[name]
        scale, above = math.lcm(*(height[name] for name in self.attributes)), None
        for layer, share in zip(self.layers, self.shares, strict=True):
            raised = np.stack([levels[:, column[name]].astype(np.int64) * (scale // height[name]) for name in layer])
            for row, name in zip(raised, layer, strict=True):
                holds &= row <= math.floor(share * height[name] + EXACT) * (scale // height[name])
            if above is not None:
                holds &= above <= raised.min(axis=0)
            above = raised.max(axis=0) if above is None else np.maximum(above, raised.max(axis=0))
        return holds

    def _layer(self, name: str) -> int:
        for place, layer in enumerate(self.layers):
            if name in layer:
                return place
        raise UsageError(unknown("attribute", name, self.attributes, within="the pattern"), where=argument("pattern"))

    def _moved(self, name: str, to: int) -> UtilityPattern:
        """An attribute at the end of another layer; a layer that is left empty is none."""
        layers = [[each for each in layer if each != name] for layer in self.layers] + [[]] * (to == len(self.layers))
        layers[to] = [*layers[to], name]
        shares = [*self.shares, *[1.0] * (to == len(self.layers))]
        kept = [(tuple(layer), share) for layer, share in zip(layers, shares, strict=True) if layer]
        return UtilityPattern(tuple(layer for layer, _ in kept), tuple(share for _, share in kept))


def _layers(text: str) -> tuple[tuple[str, ...], ...]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    lists = found if isinstance(found, list) else []
    if not lists or not all(isinstance(layer, list) and all(isinstance(name, str) for name in layer) for layer in lists):
        raise UsageError(
            'cannot read this pattern; write age,sex > education or [["age","sex"],["education"]]', where=argument("pattern")
        )
    return tuple(map(tuple, lists))


def _spread(layers: int) -> tuple[float, ...]:
    return (0.0,) if layers == 1 else tuple(place / (layers - 1) for place in range(layers))
