"""The state diagrams in the guide are those of the protocol's tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import docs_protocol

from sfumato.negotiation.protocol import TABLES, Rate


@pytest.mark.parametrize("rate", list(Rate))
def test_the_diagram_is_drawn_from_the_table(rate: Rate) -> None:
    drawn = (docs_protocol.FIGURES / f"negotiation-{rate.value}.svg").read_text(encoding="utf-8")
    assert drawn == docs_protocol.diagram(rate)
    for (state, following), labels in docs_protocol.moves(TABLES[rate]).items():
        assert f">{state.value}<" in drawn
        assert f">{following.value}<" in drawn
        assert all(f">{label}<" in drawn for label in labels)
    guide = Path(__file__).parents[2] / "docs" / "guides" / "negotiate.md"
    assert f"negotiation-{rate.value}.svg" in guide.read_text(encoding="utf-8")
