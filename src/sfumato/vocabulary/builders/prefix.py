"""Prefix masking for codes: `12345` → `1234*` → `12***` → `*`.

A masked code keeps its length, so that each level is a function of the one below even when codes differ in length. A code that is no
longer than the prefix stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sfumato.errors import SchemaError
from sfumato.vocabulary.builders.base import PrefixKey
from sfumato.vocabulary.builders.computed import computed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind


def mask(keep: int, code: str) -> str:
    """The first `keep` characters of a code, the others masked."""
    return code[:keep] + "*" * (len(code) - keep)


@dataclass(frozen=True, slots=True)
class Prefix:
    """`keep[i]` characters remain at level i + 1; strictly descending."""

    keep: tuple[int, ...]

    def __post_init__(self) -> None:
        descending = all(a > b for a, b in zip(self.keep, self.keep[1:], strict=False))
        if not self.keep or not descending or self.keep[-1] < 1:
            raise SchemaError(f"'keep' must descend from level to level and stay above 0, as in [4, 3]; it is {list(self.keep)}")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.TEXT, Kind.INTEGER})

    def height(self, kind: Kind) -> int:
        return len(self.keep) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        return self.build_above(attribute, kind, 0, values)

    def build_above(self, attribute: str, kind: Kind, floor: int, labels: Sequence[str]) -> Hierarchy:
        return computed(attribute, labels, [partial(mask, keep) for keep in self.keep], floor=floor)

    def key(self, kind: Kind, level: int) -> PrefixKey | None:
        return PrefixKey(self.keep[level - 1]) if 0 < level <= len(self.keep) else None

    def declared(self) -> dict[str, Any]:
        return {"builder": "prefix", "keep": list(self.keep)}
