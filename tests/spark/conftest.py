"""Everything here runs on the one small Spark of the process, unless it starts its own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _spark(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("own_spark") is None:
        request.getfixturevalue("small_spark")
