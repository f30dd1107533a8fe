"""Write the explorer: what `sfumato tradeoff -o` does. A page appears whole or not at all."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import DataSayNo
from sfumato.progress import Progress
from sfumato.release.files import written_whole
from sfumato.reporting.explorer.data import Source
from sfumato.reporting.explorer.page import page
from sfumato.search.space.trade_off import TradeOff


def write_explorer(
    found: TradeOff, path: Path, source: Source | None = None, *, force: bool = False, progress: Progress | None = None
) -> None:
    """Write the page of a trade-off that has a node within its bounds."""
    if found.knee is None:
        raise DataSayNo("no node is within the bounds: there is nothing to explore", where="tradeoff")
    made = page(found, source, progress)
    with written_whole(path, force) as hidden:
        hidden.write_text(made, encoding="utf-8")
