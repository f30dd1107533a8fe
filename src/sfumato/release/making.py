"""How the rows of a release were made, where an operation has changed them before they are published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.models import Verdict
from sfumato.release.shapes import Method
from sfumato.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Making:
    """The original table; what the certificate says about the operation; what only the owner may know, such as a seed that would undo it;
    and the verdicts of models that judge groups, which the classes of the file do not show."""

    original: Table
    method: Method
    secret: Mapping[str, Any] | None = None
    verdicts: tuple[Verdict, ...] = ()
