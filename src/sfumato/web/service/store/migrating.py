"""Bring a store to its newest form. It is one transaction: whoever is interrupted has changed nothing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from sfumato.errors import UsageError, argument
from sfumato.web.service.store.database import Database
from sfumato.web.service.store.tables import metadata

_PLACE = "sfumato.web.service.store:migrations"
_LOCK = 0x7366756D61746F  # the number that those who start at once wait for on PostgreSQL


def up_to_date(database: Database) -> None:
    """Make what is missing. A store that a newer version has written is refused."""
    with database.writing() as connection:  # on SQLite a writer is alone
        if not database.embedded:
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        config = _config(connection)
        have, known = MigrationContext.configure(connection).get_current_revision(), ScriptDirectory.from_config(config)
        if have == known.get_current_head():
            return
        if have is not None and have not in {each.revision for each in known.walk_revisions()}:
            raise UsageError("a newer version of sfumato has written this database; install that one", where=argument("database"))
        if have is None:
            _require_room(connection)
        try:
            command.upgrade(config, "head")
        except DBAPIError:
            raise UsageError(
                "its tables cannot be changed; does the name in the address have the right to?", where=argument("database")
            ) from None


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", _PLACE)
    config.attributes["connection"] = connection
    return config


def _require_room(connection: Connection) -> None:
    """Somebody else's tables are left alone."""
    there = set(sa.inspect(connection).get_table_names()) & set(metadata.tables)
    if there:
        raise UsageError(
            f"not of this service, and has a table {min(there)!r} of its own; an empty database would work",
            where=argument("database"),
        )
