"""IP addresses: host → /24 → /16 → `*`, and for IPv6 host → /64 → /48 → `*`, side by side in one column."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sfumato.errors import HierarchyError, SchemaError, several
from sfumato.vocabulary.builders.computed import computed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind


def network(v4: int, v6: int, label: str) -> str:
    """The network of the given size around an address or a smaller network."""
    host = label.partition("/")[0]
    if ":" not in host:  # by hand, because a table may have very many
        whole = int.from_bytes(bytes(map(int, host.split("."))), "big") >> 32 - v4 << 32 - v4
        return ".".join(map(str, whole.to_bytes(4, "big"))) + f"/{v4}"
    return str(ipaddress.IPv6Address(int(ipaddress.IPv6Address(host)) >> 128 - v6 << 128 - v6)) + f"/{v6}"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _descending(sizes: tuple[int, ...], bits: int) -> bool:
    return bool(sizes) and bits > sizes[0] and all(a > b for a, b in zip(sizes, (*sizes[1:], 0), strict=True))


@dataclass(frozen=True, slots=True)
class Addresses:
    """Prefix lengths per level for IPv4 and IPv6, equally many, in descending order."""

    v4: tuple[int, ...] = (24, 16)
    v6: tuple[int, ...] = (64, 48)

    def __post_init__(self) -> None:
        if len(self.v4) != len(self.v6) or not _descending(self.v4, 32) or not _descending(self.v6, 128):
            raise SchemaError(
                f"'v4' and 'v6' must be equally long and descend, as in v4 = [24, 16], v6 = [64, 48]; "
                f"they are {list(self.v4)} and {list(self.v6)}"
            )

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.TEXT})

    def height(self, kind: Kind) -> int:
        return len(self.v4) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        wrong = sum(not _is_address(value) for value in values)
        if wrong:
            raise HierarchyError(
                f"level 0 holds {several(wrong, 'value')} that {'is not an IP address' if wrong == 1 else 'are not IP addresses'}",
                where=f"attribute {attribute!r}",
            )
        steps = [partial(network, v4, v6) for v4, v6 in zip(self.v4, self.v6, strict=True)]
        return computed(attribute, values, steps)

    def declared(self) -> dict[str, Any]:
        return {"builder": "addresses", "v4": list(self.v4), "v6": list(self.v6)}
