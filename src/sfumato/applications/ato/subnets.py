"""The subnet of an address, in SQL: /24 of IPv4, /64 of IPv6, in canonical text. No engine's own functions of addresses are used.

Addresses are in canonical text themselves, so `::` stands for the zeros that are not written, and there is at most one.
"""

from __future__ import annotations


def subnet(address: str) -> str:
    """192.0.2.77 is in 192.0.2.0/24, 2001:db8::1 in 2001:db8::/64."""
    old = f"substr({address}, 1, length({address}) - length(split_part({address}, '.', 4))) || '0/24'"
    return f"CASE WHEN {address} LIKE '%:%' THEN {_new(address)} ELSE {old} END"


def _new(address: str) -> str:
    """The first four groups without the zeros at their end: with those of the host these are the longest run, which `::` stands for."""
    groups = f"regexp_extract({_written_out(address)}, '^([^:]*:){{3}}[^:]*', 0)"
    return f"regexp_replace({groups}, '(^0)?(:0)+$', '') || '::/64'"


def _written_out(address: str) -> str:
    """An address with the zeros that `::` stands for; where it ends in them, the last group stays empty."""
    zeros = f"repeat('0:', 8 - length({address}) + length(replace({address}, ':', '')))"
    return f"CASE WHEN {address} LIKE '::%' THEN '0' ELSE '' END || replace({address}, '::', ':' || {zeros})"
