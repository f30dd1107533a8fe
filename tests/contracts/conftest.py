"""The contract suites run once for every engine there is."""

from __future__ import annotations

import pytest

from sfumato.engines.base import ENGINES


@pytest.fixture(params=sorted(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if name == "spark":
        request.getfixturevalue("small_spark")
    return name
