"""What follows from one event: its outcome, whether it is good or bad, the subnet of its address, the flag of its user agent."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

import duckdb
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.applications.ato.events import described, flag
from sfumato.applications.ato.outcomes import OTHER, RIGHT_PASSWORD, WRONG_PASSWORD
from sfumato.applications.ato.subnets import subnet
from tests.unit.ato.logs import random_log, table_of

# Addresses with many zeros in them, for these are what `::` stands for.
GROUPS = st.lists(st.one_of(st.just(0), st.integers(0, 0xFFFF)), min_size=8, max_size=8)
NEW = GROUPS.map(lambda groups: IPv6Address(b"".join(each.to_bytes(2, "big") for each in groups)))
OLD = st.ip_addresses(v=4)


def asked(expression: str, values: list[str | None]) -> list[object]:
    table = pa.table({"a": pa.array(values, pa.string())})
    connection = duckdb.connect()
    connection.register("t", table)
    return [row[0] for row in connection.execute(f"SELECT {expression} FROM t").fetchall()]


@settings(max_examples=30)
@given(st.lists(st.one_of(OLD, NEW), min_size=1, max_size=20))
def test_the_subnet_of_an_address_is_that_of_the_standard_library(addresses: list[object]) -> None:
    plain = [address for address in map(str, addresses) if not address.startswith("::ffff:") or "." not in address]
    expected = [str(ip_network(f"{each}/{64 if ':' in each else 24}", strict=False)) for each in plain]
    assert asked(subnet("a"), list(plain)) == expected
    assert all(str(ip_address(each)) == each for each in plain)


def test_a_user_agent_is_flagged_by_how_it_begins_in_either_case() -> None:
    agents = ["CBAInPROD", "cbainprod", "python-requests/2.31", "Mozilla/5.0 CBAInPROD", "Mozilla/5.0", "", None, "CBAİnPROD"]
    assert asked(flag("a"), agents) == [1, 1, 1, 0, 0, 0, 0, 0]


def test_a_failure_that_proves_the_password_right_is_good_and_every_other_failure_is_bad() -> None:
    errors: list[str | None] = [*WRONG_PASSWORD.values(), *RIGHT_PASSWORD.values(), *OTHER.values(), "NeverSeen", None]
    log = [{**random_log(1, 1)[0], "Operation": "UserLoginFailed", "LogonError": error} for error in errors]
    rows = table_of([*log, {**log[0], "Operation": "UserLoggedIn", "LogonError": None}])
    connection = duckdb.connect()
    connection.register("events", rows)
    outcomes = connection.execute(f"SELECT Outcome, Bad, Good FROM ({described()})").fetchall()
    wrong, right, other = len(WRONG_PASSWORD), len(RIGHT_PASSWORD), len(OTHER) + 2
    assert outcomes == (
        [("wrong-password", 1, 0)] * wrong
        + [("right-password-failure", 0, 1)] * right
        + [("other-failure", 1, 0)] * other
        + [("success", 0, 1)]
    )
