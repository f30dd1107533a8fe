"""Where the service keeps what was said and done: SQLite in a folder, or PostgreSQL. Every change is one transaction."""

from sfumato.web.service.store.database import Database

__all__ = ["Database"]
