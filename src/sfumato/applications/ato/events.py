"""The events: one row per attempt to sign in, and what follows from a row alone.

What follows is plain SQL that every engine reads alike; `outcomes` holds the kinds of failure, `subnets` the parts of addresses.
"""

from __future__ import annotations

import pyarrow as pa

from sfumato.applications.ato.outcomes import outcome
from sfumato.applications.ato.subnets import subnet

SIGNED_IN, FAILED = "UserLoggedIn", "UserLoginFailed"
OPERATIONS = (SIGNED_IN, FAILED)

EVENTS = pa.schema(
    [
        pa.field("Id", pa.string(), nullable=False),
        pa.field("CreationTime", pa.timestamp("us"), nullable=False),
        pa.field("Operation", pa.string(), nullable=False),
        pa.field("LogonError", pa.string()),
        pa.field("UserId", pa.string(), nullable=False),
        pa.field("OrganizationId", pa.string(), nullable=False),
        pa.field("ClientIP", pa.string(), nullable=False),
        pa.field("Country", pa.string()),
        pa.field("UserAgent", pa.string()),
    ]
)
TRUTH = pa.schema(
    [
        pa.field("Id", pa.string(), nullable=False),
        pa.field("Campaign", pa.int32()),
        pa.field("Takeover", pa.bool_(), nullable=False),
    ]
)
COUNTS = ("IPBadLogins", "IPGoodLogins", "IPBadUsers", "IPGoodUsers", "IPBadOrgs", "IPGoodOrgs")
FLAG = "UserAgentFlag"
FEATURES = pa.schema(
    [pa.field("Key", pa.string(), nullable=False), *(pa.field(name, pa.int64()) for name in COUNTS), pa.field(FLAG, pa.int32())]
)

# A region that is not known, as the Unicode locale data write it.
UNKNOWN_COUNTRY = "ZZ"

# User agents of tools that guess passwords, by how they begin. The first is the thesis's, a client of old mail protocols; the others
# are libraries of programs, which people do not sign in with.
SUSPICIOUS = ("cbainprod", "cbaintar", "python-requests/", "go-http-client/", "fasthttp")
_UPPER, _LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"

# The key of each level: what the rows of a table of features stand for.
LEVELS = {"ip": "ClientIP", "subnet": subnet("ClientIP"), "country": f"coalesce(Country, '{UNKNOWN_COUNTRY}')"}


def flag(agent: str = "UserAgent") -> str:
    """1 for a suspicious user agent, 0 for any other and for none. Only ASCII letters are folded: engines differ in others."""
    folded = f"translate(substr({agent}, 1, {max(map(len, SUSPICIOUS))}), '{_UPPER}', '{_LOWER}')"
    listed = " OR ".join(f"{folded} LIKE '{start}%'" for start in SUSPICIOUS)
    return f"CASE WHEN {listed} THEN 1 ELSE 0 END"


def described(events: str = "events") -> str:
    """The events with `Outcome`, `Bad`, `Good`, `Subnet` and `UserAgentFlag`.

    A sign-in is good if the password was right, and bad otherwise: the features tell whether those at an address know their passwords.
    So a failure that proves the password right (a second factor asked for, an expired password) is good, though nobody got in. Counted
    as bad, it would make an office that asks for a second factor look like an attacker.

    Of the events only their own columns are taken: a further one that is called `Bad`, say, would be taken for what follows from a row.
    """
    outcomes = f"SELECT {', '.join(EVENTS.names)}, {outcome()} AS Outcome, {subnet('ClientIP')} AS Subnet, {flag()} AS {FLAG} FROM {events}"
    right = "Outcome IN ('success', 'right-password-failure')"
    return f"SELECT *, CASE WHEN {right} THEN 0 ELSE 1 END AS Bad, CASE WHEN {right} THEN 1 ELSE 0 END AS Good FROM ({outcomes}) AS logins"
