"""Links by which an account gets a new password."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """From the form before to this one."""
    op.create_table(
        "reset",
        sa.Column("account", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("by", sa.String(length=32), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name=op.f("fk_reset_account")),
        sa.ForeignKeyConstraint(["by"], ["account.id"], name=op.f("fk_reset_by")),
        sa.PrimaryKeyConstraint("account", name=op.f("pk_reset")),
        sa.UniqueConstraint("digest", name=op.f("uq_reset_digest")),
    )
