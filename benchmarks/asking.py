"""Programs that negotiate with a service: fifty connections in one thread, so that the answers are measured and not who asks for them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

NAMES = ("age", "sex", "workclass", "education", "race", "income", "marital-status", "native-country")
_PATIENCE = 120.0  # seconds for one answer


@dataclass
class Took:
    """How long each answer took, and how much of its processor the side that asks has used meanwhile, in seconds."""

    answers: list[float] = field(default_factory=list)
    cpu: float = 0.0
    wall: float = 0.0


class Connection:
    """One connection that is kept, with a token; what is not needed of HTTP is not read."""

    def __init__(self, address: str, token: str) -> None:
        place = urlsplit(address)
        self._host, self._port = place.hostname, place.port
        self._head = f" HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"

    async def open(self) -> None:
        self._read, self._write = await asyncio.open_connection(self._host, self._port)

    def close(self) -> None:
        self._write.close()

    async def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """The status and the body of an answer."""
        content = b"" if body is None else json.dumps(body).encode()
        self._write.write(f"{method} {path}{self._head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        head = (await asyncio.wait_for(self._read.readuntil(b"\r\n\r\n"), _PATIENCE)).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), json.loads(await self._read.readexactly(length))


def negotiated(address: str, tokens: Sequence[str], listing: str, answers: int, pause: float) -> Took:
    """Everybody negotiates at once, and thinks for a while between two moves."""
    return asyncio.run(_all(address, tokens, listing, answers, pause))


async def _all(address: str, tokens: Sequence[str], listing: str, answers: int, pause: float) -> Took:
    took = Took()
    connections = [Connection(address, token) for token in tokens]
    for each in connections:
        await each.open()
    await asyncio.gather(*(each.ask("GET", "/api/v1/account") for each in connections))
    begun, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(_one(each, Random(place), listing, answers, pause, took) for place, each in enumerate(connections)))
    took.wall, took.cpu = time.perf_counter() - begun, time.process_time() - used
    for each in connections:
        each.close()
    return took


async def _one(connection: Connection, rng: Random, listing: str, answers: int, pause: float, took: Took) -> None:
    async def say(path: str, body: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(rng.uniform(0, 2 * pause))
        started = time.perf_counter()
        status, view = await connection.ask("POST", path, body)
        took.answers.append(time.perf_counter() - started)
        assert status < 300, view
        return view

    layers = [[each] for each in rng.sample(NAMES, 3)]
    view = await say("/api/v1/negotiations", {"offering": listing, "pattern": {"layers": layers}})
    for _ in range(answers - 1):
        place = f"/api/v1/negotiations/{view['id']}/moves"
        if view["offer"] is not None:
            view = await say(place, {"move": "reject", "offer": view["offer"]["id"]})
        elif "relax" in view["moves"]:
            layers = [[each] for each in rng.sample(NAMES, 2)]
            view = await say(place, {"move": "relax", "pattern": {"layers": layers}})
        else:
            break
