"""How far something is: the steps done, and all of them."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
