"""What another command printed with `--json`, for the report: from its file, a dict like it, or the value that it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import UsageError, argument, raise_alone
from sfumato.inputs.files import MB, text
from sfumato.inputs.shape import Misshapen, shaped

_MOST_BYTES = 64 * MB


def printed(given: Any, shape: Any, name: str, command: str) -> Any:
    """The document in its shape; refuses any other, naming the argument and the command that prints it."""
    where = str(given) if isinstance(given, str | PathLike) else argument(name)
    document = given.as_dict() if hasattr(given, "as_dict") else given
    try:
        if isinstance(given, str | PathLike):
            document = json.loads(text(Path(given), _MOST_BYTES, error=UsageError))
        return shaped(dict(document) if isinstance(document, Mapping) else document, shape, name)
    except (json.JSONDecodeError, RecursionError):
        raise_alone(UsageError(f"not JSON; '{command} --json' prints what is wanted", where=where))
    except Misshapen as wrong:
        raise_alone(UsageError(f"not what '{command} --json' prints: {wrong}", where=where))
