"""TOML documents: the parser follows nesting by calling itself, so depth is limited by what it can follow, and numbers by their digits."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput, raise_alone
from sfumato.inputs.files import NO_SUCH, text

_MARK = "\ufeff"  # of the order of bytes, as some editors write it
# A key of so many parts, which the parser takes minutes to read.
_LONG_KEY = re.compile(r"""(?<![\w.-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){200}""")


def read_toml(path: Path, most: int, *, error: type[BadInput], missing: str = NO_SUCH) -> dict[str, Any]:
    """The document in a file."""
    read = text(path, most, error=error, missing=missing)
    try:
        return parsed_toml(read, error=error)
    except error as wrong:
        raise_alone(error(wrong.message, where=str(path)))


def parsed_toml(read: str, *, error: type[BadInput]) -> dict[str, Any]:
    """The document that a text holds; real numbers keep all their digits."""
    if _LONG_KEY.search(read):
        raise error("nested too deeply")
    try:
        return tomllib.loads(read.removeprefix(_MARK), parse_float=Decimal)
    except tomllib.TOMLDecodeError as wrong:
        raise_alone(error(f"not TOML: {wrong}"))
    except ValueError:  # Python refuses to read a whole number of thousands of digits
        raise_alone(error("not TOML: a number with too many digits"))
    except RecursionError:
        raise_alone(error("nested too deeply"))
