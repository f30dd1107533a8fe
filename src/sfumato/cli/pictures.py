"""Pictures that a command draws where -o names a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def require_picture(output: Path | None, force: bool) -> None:
    """Refuse a place that is taken, or a name of another format, before any work is done."""
    from sfumato.commit.places import require_free
    from sfumato.reporting.charts import require_format

    if output:
        require_format(output)
        require_free(output, force)


def draw(chart: Callable[[], dict[str, Any]], output: Path | None, force: bool) -> dict[str, str]:
    """Draw a chart if a file is named; for machines, where it was written to."""
    if output is None:
        return {}
    from sfumato.reporting.charts import write_chart

    write_chart(chart(), output, force=force)
    return {"written": str(output)}
