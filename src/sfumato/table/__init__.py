"""Tables: where they come from, and what is opened of them."""

from sfumato.table.source import Source
from sfumato.table.table import Table

__all__ = ["Source", "Table"]
