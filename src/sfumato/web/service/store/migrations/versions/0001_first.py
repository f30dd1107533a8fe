"""The tables of the first version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """From the form before to this one."""
    op.create_table(
        "account",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("mail", sa.String(length=254), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("closed", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
        sa.UniqueConstraint("mail", name=op.f("uq_account_mail")),
    )
    op.create_table(
        "attempt",
        sa.Column("who", sa.String(length=64), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("who", name=op.f("pk_attempt")),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=True),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("about", sa.String(length=80), nullable=True),
        sa.Column("address", sa.String(length=45), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_account"), "audit", ["account"], unique=False)
    op.create_table(
        "dataset",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("title", sa.String(length=120), nullable=False),
        sa.Column("bytes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_dataset_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dataset")),
    )
    op.create_index(op.f("ix_dataset_account"), "dataset", ["account"], unique=False)
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("mail", sa.String(length=254), nullable=True),
        sa.Column("by", sa.String(length=32), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["by"], ["account.id"], name=op.f("fk_invitation_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitation_digest")),
    )
    op.create_table(
        "session",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_session_account")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_account"), "session", ["account"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("used", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_token_account")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_token_digest")),
    )
    op.create_index(op.f("ix_token_account"), "token", ["account"], unique=False)
    op.create_table(
        "offering",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("dataset", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("sheet", sa.JSON(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("closed", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_offering_account")),
        sa.ForeignKeyConstraint(["dataset"], ["dataset.id"], name=op.f("fk_offering_dataset")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offering")),
    )
    op.create_index(op.f("ix_offering_account"), "offering", ["account"], unique=False)
    op.create_index(op.f("ix_offering_content"), "offering", ["content"], unique=False)
    op.create_index(op.f("ix_offering_dataset"), "offering", ["dataset"], unique=False)
    op.create_table(
        "negotiation",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("offering", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=32), nullable=False),
        sa.Column("user", sa.String(length=32), nullable=False),
        sa.Column("head", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("changed", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["offering"], ["offering.id"], name=op.f("fk_negotiation_offering")),
        sa.ForeignKeyConstraint(["owner"], ["account.id"], name=op.f("fk_negotiation_owner")),
        sa.ForeignKeyConstraint(["user"], ["account.id"], name=op.f("fk_negotiation_user")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_negotiation")),
    )
    op.create_index(op.f("ix_negotiation_offering"), "negotiation", ["offering"], unique=False)
    op.create_index(op.f("ix_negotiation_owner_changed"), "negotiation", ["owner", "changed"], unique=False)
    op.create_index(op.f("ix_negotiation_user_changed"), "negotiation", ["user", "changed"], unique=False)
    op.create_table(
        "event",
        sa.Column("negotiation", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["negotiation"], ["negotiation.id"], name=op.f("fk_event_negotiation")),
        sa.PrimaryKeyConstraint("negotiation", "number", name=op.f("pk_event")),
    )
    op.create_table(
        "given",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("negotiation", sa.String(length=32), nullable=False),
        sa.Column("offering", sa.String(length=32), nullable=False),
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("levels", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_given_account")),
        sa.ForeignKeyConstraint(["negotiation"], ["negotiation.id"], name=op.f("fk_given_negotiation")),
        sa.ForeignKeyConstraint(["offering"], ["offering.id"], name=op.f("fk_given_offering")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_given")),
        sa.UniqueConstraint("event", name=op.f("uq_given_event")),
    )
    op.create_index(op.f("ix_given_content"), "given", ["content"], unique=False)
    op.create_table(
        "job",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("dataset", sa.String(length=32), nullable=False),
        sa.Column("negotiation", sa.String(length=32), nullable=True),
        sa.Column("task", sa.String(length=12), nullable=False),
        sa.Column("arguments", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("step", sa.String(length=200), nullable=False),
        sa.Column("share", sa.Double(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["dataset"], ["dataset.id"], name=op.f("fk_job_dataset")),
        sa.ForeignKeyConstraint(["negotiation"], ["negotiation.id"], name=op.f("fk_job_negotiation")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_job")),
    )
    op.create_index(op.f("ix_job_dataset"), "job", ["dataset"], unique=False)
    op.create_index(op.f("ix_job_negotiation"), "job", ["negotiation"], unique=False)
    op.create_index(op.f("ix_job_state"), "job", ["state"], unique=False)
