"""Write the explorer page, as `sfumato tradeoff -o` does. The page appears complete or not at all."""

from __future__ import annotations

from pathlib import Path

from sfumato.commit.writing import write_text
from sfumato.errors import DataSayNo
from sfumato.progress import Progress
from sfumato.reporting.explorer.data import FileNames
from sfumato.reporting.explorer.page import page
from sfumato.search.space.trade_off import TradeOff


def write_explorer(
    result: TradeOff, path: Path, files: FileNames | None = None, *, force: bool = False, progress: Progress | None = None
) -> None:
    """Write the page of a trade-off that has a node within its bounds.

    Parameters
    ----------
    result : TradeOff
        What the page shows.
    path : Path
        The page to write.
    files : FileNames, optional
        What the commands on the page call the table and its schema.
    force : bool
        Replace what exists.
    progress : callable, optional
        Called with the nodes done and all nodes.
    """
    if result.knee is None:
        raise DataSayNo("no node is within the bounds, so there is nothing to explore", where="tradeoff")
    write_text(path, page(result, files, progress), force=force)
