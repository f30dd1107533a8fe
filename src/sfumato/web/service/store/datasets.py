"""Tables about people, each of one owner."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.store.tables import dataset, job, offering


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table that an owner has uploaded."""

    id: str
    account: str
    title: str
    bytes: int
    created: float


def add(connection: Connection, new: Dataset) -> None:
    """Keep a table that lies in its folder."""
    values = {"id": new.id, "account": new.account, "title": new.title, "bytes": new.bytes, "created": new.created}
    connection.execute(sa.insert(dataset).values(values))


def of_owner(connection: Connection, account: str) -> list[Dataset]:
    """All tables of an owner, the newest first."""
    found = connection.execute(sa.select(dataset).where(dataset.c.account == account).order_by(dataset.c.created.desc()))
    return [Dataset(**row._mapping) for row in found]


def one(connection: Connection, identity: str, account: str) -> Dataset | None:
    """A table, if it is this owner's."""
    found = connection.execute(sa.select(dataset).where(dataset.c.id == identity, dataset.c.account == account)).first()
    return None if found is None else Dataset(**found._mapping)


def rename(connection: Connection, identity: str, title: str) -> None:
    """Call a table otherwise."""
    connection.execute(sa.update(dataset).where(dataset.c.id == identity).values(title=title))


def is_offered(connection: Connection, identity: str) -> bool:
    """Whether a table was ever offered; then it stays, since what was offered counts."""
    return connection.execute(sa.select(offering.c.id).where(offering.c.dataset == identity).limit(1)).first() is not None


def remove(connection: Connection, identity: str) -> None:
    """Forget a table that was never offered, and its jobs."""
    connection.execute(sa.delete(job).where(job.c.dataset == identity))
    connection.execute(sa.delete(dataset).where(dataset.c.id == identity))


def everything(connection: Connection) -> set[str]:
    """The ids of all tables."""
    return set(connection.scalars(sa.select(dataset.c.id)))


def owner_of(connection: Connection, identity: str) -> str | None:
    """The account that a table belongs to."""
    return connection.execute(sa.select(dataset.c.account).where(dataset.c.id == identity)).scalar()
