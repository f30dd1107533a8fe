"""What a running service works with, beside its store: the desks that answer, the benches, the workers, and the news."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from sfumato.errors import SfumatoError
from sfumato.web.service.benches import Benches
from sfumato.web.service.desks import Desks
from sfumato.web.service.jobs.supervisor import Supervisor
from sfumato.web.service.jobs.tasks import OFFER, owner_key
from sfumato.web.service.negotiating import Negotiating
from sfumato.web.service.news import News
from sfumato.web.service.places import Places
from sfumato.web.service.service import Service
from sfumato.web.service.store import datasets, negotiations
from sfumato.web.service.store.database import AT_ONCE
from sfumato.web.service.store.jobs import JobState, StoredJob

LOG = logging.getLogger("sfumato.service")
_SWEEP = 60.0  # seconds


class Rooms:
    """One for each service."""

    def __init__(self, service: Service) -> None:
        database = service.database
        self.service = service
        self.places = Places(service.folder)
        self.news = News()
        self.desks = Desks(self.places)
        self.negotiating = Negotiating(database, self.desks, owner_key, service.now)
        self.supervisor = Supervisor(database, service.folder, self._changed, service.workers)
        self.benches = Benches(database, self.places, self.supervisor.wake, service.now)

    def _changed(self, job: StoredJob) -> None:
        """Those whom a job is for hear of it; of a table that can be asked for now, everybody does."""
        if job.task == OFFER and job.state is JobState.DONE:
            self.news.tell_everybody()
            return
        with self.service.database.reading() as connection:
            owner = datasets.owner_of(connection, job.dataset)
            found = None if job.negotiation is None else negotiations.parties(connection, job.negotiation)
        self.news.tell(*([owner] if owner else []), *(found or ())[:2])

    async def _sweep(self) -> None:
        """Now and then, let offers expire that nobody took."""
        while True:
            try:
                for each in await run_in_threadpool(self.negotiating.expire):
                    self.news.tell(each.owner, each.user)
            except (SfumatoError, SQLAlchemyError) as error:
                LOG.warning("offers could not expire: %s", type(error).__name__)
            await asyncio.sleep(_SWEEP)

    @asynccontextmanager
    async def open(self, _: FastAPI) -> AsyncIterator[None]:
        """From the first request to the last."""
        current_default_thread_limiter().total_tokens = AT_ONCE
        self.news.open()
        self.supervisor.start()
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            self.news.close()
            self.supervisor.stop()


def rooms_of(request: Request) -> Rooms:
    """The rooms of the service that a request is for."""
    rooms: Rooms = request.app.state.rooms
    return rooms
