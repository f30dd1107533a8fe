"""What a running service knows of itself: its store, its folder, its address and its limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import Request

from sfumato.web.service.store.database import Database

UPLOAD = 2 * 10**9


@dataclass(frozen=True, slots=True)
class Service:
    """One service. `address` is the one that people type; `local` are other hosts that lead to it on this computer."""

    database: Database
    folder: Path
    address: str
    local: tuple[str, ...] = ()
    upload: int = UPLOAD  # bytes
    workers: int = 1  # processes for jobs
    now: Callable[[], float] = time.time

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by https."""
        return urlsplit(self.address).scheme == "https"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that a request may be for."""
        return (urlsplit(self.address).netloc, *self.local)

    @property
    def origins(self) -> tuple[str, ...]:
        """Where a change may come from: the pages of the service."""
        public = urlsplit(self.address)
        return (f"{public.scheme}://{public.netloc}", *(f"http://{host}" for host in self.local))

    @property
    def cookie(self) -> str:
        """The name of the session's cookie. `__Host-` makes browsers keep it from other hosts of the same domain; without https they do
        not know that, and share cookies between the ports of a host, so the name has the port."""
        return "__Host-sfumato" if self.secure else f"sfumato-service-{urlsplit(self.address).port or 80}"


def service_of(request: Request) -> Service:
    """The service that a request is for."""
    service: Service = request.app.state.service
    return service
