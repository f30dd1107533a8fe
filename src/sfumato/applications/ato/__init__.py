"""Account takeover: who signs in with somebody else's password, found in sign-in logs.

    logs ──import──▶ events ──features──▶ what is known of each address, subnet, country ──▶ reputation ──▶ labels ──▶ detector

Everything starts from one table, the events (`events`): real logs become one, and `generating` makes one with a known truth. Nothing
of a user id, an address or a user agent is in any message.
"""
