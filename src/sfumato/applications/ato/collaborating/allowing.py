"""Addresses and subnets that shared reputation never accuses: those of carriers, say, which very many people share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.inputs import text
from sfumato.inputs.files import MB

Network = IPv4Network | IPv6Network
_LARGEST = 16 * MB


def read_allowed(file: str | PathLike[str]) -> tuple[Network, ...]:
    """The addresses and subnets of a text, one a line; what follows # is a remark. Refuses a line that is neither, by its number."""
    path, found = Path(file), []
    for number, line in enumerate(text(path, _LARGEST).splitlines(), start=1):
        if written := line.partition("#")[0].strip():
            try:
                found.append(ip_network(written, strict=False))
            except ValueError:
                raise DataError(
                    f"line {number} is no address and no subnet; 192.0.2.7 and 192.0.2.0/24 would work", where=str(path)
                ) from None
    if not found:
        raise DataError("no address in it; write one a line, or leave the list out", where=str(path))
    return tuple(found)


def allowed_in(keys: pa.Array, allowed: Iterable[Network]) -> npt.NDArray[np.bool_]:
    """Which keys are an allowed address, are within an allowed subnet, or have an allowed address in them."""
    listed: dict[int, list[Network]] = {4: [], 6: []}
    for each in allowed:
        listed[each.version].append(each)
    if not any(listed.values()):
        return np.zeros(len(keys), bool)
    ranges = {version: _ranges(some) for version, some in listed.items()}
    return np.array([_meets(ip_network(key), ranges) for key in keys.to_pylist()], bool)


def _ranges(networks: list[Network]) -> tuple[list[int], list[int]]:
    """The first and last addresses of networks that do not overlap, in their order."""
    apart: list[Network] = list(collapse_addresses(networks))  # type: ignore[type-var]
    return [int(each.network_address) for each in apart], [int(each.broadcast_address) for each in apart]


def _meets(key: Network, ranges: dict[int, tuple[list[int], list[int]]]) -> bool:
    firsts, lasts = ranges[key.version]
    place = bisect_right(firsts, int(key.broadcast_address)) - 1
    return place >= 0 and lasts[place] >= int(key.network_address)
