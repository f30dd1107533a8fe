"""The tables of the service. Times are seconds since 1970; what is secret is there as a digest only.

What a party says in a negotiation is kept as it was signed (`event.entry`); `negotiation.state` and `events` repeat what follows from
that, for lists and for telling two who answer at once apart.
"""

from __future__ import annotations

import sqlalchemy as sa

_NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}
metadata = sa.MetaData(naming_convention=_NAMES)

Id = sa.String(32)
Digest = sa.String(64)
Time = sa.Double
_BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # only INTEGER counts up by itself there


def _to(table: str, *, null: bool = False, column: str = "id", index: bool = False) -> sa.Column[str]:
    return sa.Column(table, sa.ForeignKey(f"{table}.{column}"), nullable=null, index=index)


account = sa.Table(
    "account",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("mail", sa.String(254), nullable=False, unique=True),  # in small letters
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("password", sa.Text, nullable=False),  # argon2's text, with its salt
    sa.Column("key", sa.Text, nullable=False),  # signs what the account says in a negotiation
    sa.Column("created", Time, nullable=False),
    sa.Column("closed", Time),
)

session = sa.Table(
    "session",
    metadata,
    sa.Column("digest", Digest, primary_key=True),
    _to("account", index=True),
    sa.Column("created", Time, nullable=False),
    sa.Column("expires", Time, nullable=False),
)

token = sa.Table(
    "token",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("digest", Digest, nullable=False, unique=True),
    _to("account", index=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("created", Time, nullable=False),
    sa.Column("expires", Time, nullable=False),
    sa.Column("used", Time),
)

invitation = sa.Table(
    "invitation",
    metadata,
    sa.Column("id", Id, primary_key=True),
    sa.Column("digest", Digest, nullable=False, unique=True),
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("mail", sa.String(254)),
    sa.Column("by", sa.ForeignKey("account.id")),  # nobody: the link that the service prints for its first owner
    sa.Column("created", Time, nullable=False),
    sa.Column("expires", Time, nullable=False),
    sa.Column("used", Time),
)

reset = sa.Table(  # a link by which an account gets a new password; a newer one replaces it
    "reset",
    metadata,
    sa.Column("account", sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("digest", Digest, nullable=False, unique=True),
    sa.Column("by", sa.ForeignKey("account.id")),  # nobody: whoever runs the service has printed it
    sa.Column("created", Time, nullable=False),
    sa.Column("expires", Time, nullable=False),
)

attempt = sa.Table(  # to sign in, without success: how often since when
    "attempt",
    metadata,
    sa.Column("who", Digest, primary_key=True),  # of an address, or of a name
    sa.Column("since", Time, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", _BIG, primary_key=True, autoincrement=True),
    sa.Column("time", Time, nullable=False),
    sa.Column("account", Id, index=True),
    sa.Column("action", sa.String(40), nullable=False),
    sa.Column("about", sa.String(80)),
    sa.Column("address", sa.String(45)),
)

dataset = sa.Table(  # a table about people, uploaded by its owner; its files are in a folder with its id
    "dataset",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _to("account", index=True),
    sa.Column("title", sa.String(120), nullable=False),
    sa.Column("bytes", _BIG, nullable=False),
    sa.Column("created", Time, nullable=False),
)

offering = sa.Table(  # a table that can be asked for, under rules
    "offering",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _to("dataset", index=True),
    _to("account", index=True),
    sa.Column("content", Digest, nullable=False, index=True),  # all offerings of the same table share their ledger
    sa.Column("sheet", sa.JSON, nullable=False),
    sa.Column("rules", sa.JSON, nullable=False),
    sa.Column("created", Time, nullable=False),
    sa.Column("closed", Time),
)

negotiation = sa.Table(
    "negotiation",
    metadata,
    sa.Column("id", Id, primary_key=True),
    _to("offering", index=True),
    sa.Column("owner", sa.ForeignKey("account.id"), nullable=False),
    sa.Column("user", sa.ForeignKey("account.id"), nullable=False),
    sa.Column("head", sa.JSON, nullable=False),  # the transcript without its entries
    sa.Column("state", sa.String(12), nullable=False),
    sa.Column("events", sa.Integer, nullable=False),
    sa.Column("created", Time, nullable=False),
    sa.Column("changed", Time, nullable=False),
    sa.Index(None, "owner", "changed"),
    sa.Index(None, "user", "changed"),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("negotiation", sa.ForeignKey("negotiation.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("entry", sa.JSON, nullable=False),
)

given = sa.Table(  # an answer that an account got about a table: the levels of an offer, or none for a refusal
    "given",
    metadata,
    sa.Column("number", _BIG, primary_key=True, autoincrement=True),
    sa.Column("event", Id, nullable=False, unique=True),
    _to("negotiation"),
    _to("offering"),
    _to("account"),
    sa.Column("content", Digest, nullable=False, index=True),
    sa.Column("levels", sa.JSON(none_as_null=True)),
)

job = sa.Table(
    "job",
    metadata,
    sa.Column("number", _BIG, primary_key=True, autoincrement=True),
    _to("dataset", index=True),
    _to("negotiation", null=True, index=True),
    sa.Column("task", sa.String(12), nullable=False),
    sa.Column("arguments", sa.JSON(none_as_null=True)),
    sa.Column("state", sa.String(8), nullable=False, index=True),
    sa.Column("step", sa.String(200), nullable=False, default=""),
    sa.Column("share", sa.Double),
    sa.Column("error", sa.Text),
    sa.Column("result", sa.JSON(none_as_null=True)),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("created", Time, nullable=False),
    sa.Column("ended", Time),
)
