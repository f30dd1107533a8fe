"""What alembic runs: the steps, in the transaction of whoever calls it."""

from __future__ import annotations

from alembic import context

from sfumato.web.service.store.tables import metadata

if hasattr(context, "config"):  # otherwise somebody only looks at every module
    context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()
