"""A loop of its own for what a test awaits: in the main thread one may be running, that of a browser in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def awaited(work: Coroutine[Any, Any, object]) -> None:
    """Wait for what is to be done, in a thread."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
