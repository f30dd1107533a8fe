"""The pictures of channels."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pytest

from sfumato.channel import ChannelMatrix, constant, identity, waste
from sfumato.errors import UsageError
from tests.unit.channel.channels import appendix


def values(chart: Any) -> list[dict[str, Any]]:
    """The rows of a chart, wherever they are kept."""
    spec = chart.to_dict()
    own = [row for layer in (spec, *spec.get("layer", ())) for row in layer.get("data", {}).get("values", ())]
    return own + [row for rows in spec.get("datasets", {}).values() for row in rows]


def test_a_heat_map_has_every_cell_and_writes_none_where_nothing_is_possible() -> None:
    chart = appendix().plot()
    assert isinstance(chart, alt.TopLevelMixin)
    cells = {(row["input"], row["output"]): row for row in values(chart)}
    assert len(cells) == 16
    assert cells["2", "2"]["probability"] == pytest.approx(4 / 7)
    assert [cells[x, y]["number"] for x, y in (("2", "2"), ("1", "3"))] == ["0.57", ""]
    small = {row["number"] for row in values(ChannelMatrix.of([[0.999, 0.001], [0, 1]]).plot())}
    assert small == {"1.00", "<0.01", ""}


def test_a_heat_map_that_nobody_could_read_is_refused() -> None:
    with pytest.raises(UsageError, match="up to 10,000 cells; this would have 10,201"):
        identity(101).plot()


@pytest.mark.parametrize("loss", [None, np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]])])
def test_the_picture_of_what_is_wasted_shows_both_ends(loss: Any) -> None:
    two_and_four = ChannelMatrix.of([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]])
    result = waste({"k = 2": two_and_four}, loss=loss)
    points = {row["channel"]: row["value"] for row in values(result.plot()) if "channel" in row}
    assert points == {"of the rule": result.rules[0].value, "the best possible": result.rules[0].best}
    assert ("expected loss" if loss is not None else "bits") in str(result.plot().to_dict())
    assert len(values(waste({"a": constant(2), "b": identity(2)}).plot())) == 6
