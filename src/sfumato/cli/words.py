"""Words of the command line that need no conversion: texts, paths, and options that were not given.

Typer converts every option with validators, also those that were not given, and loading and making these takes longer than a small search.
Numbers and whatever else asks for a check are left to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

_CONVERT = object()
_CHECKS = ("exists", "resolve_path", "writable", "parser", "path_type")


def read_plainly(parameters: list[Any]) -> list[Any]:
    """Let parameters take words as they are where nothing is to be converted."""
    for each in parameters:
        if "process_value" not in vars(each):  # parameters are asked for more than once
            each.process_value = partial(_processed, each, each.process_value)
    return parameters


def _processed(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    plain = _CONVERT if parameter.required and not value else _plain(parameter, value)
    if plain is _CONVERT:
        return convert(context, value)
    return parameter.callback(context, parameter, plain) if parameter.callback else plain


def _plain(parameter: Any, value: Any) -> Any:
    described = getattr(parameter, "type_descriptor", None)  # other versions of typer convert without validators
    if described is None or any(getattr(described.parameter_info, check, None) for check in _CHECKS):
        return _CONVERT
    if value is None:
        return () if parameter.multiple or parameter.nargs == -1 else None
    if described.annotation == list[str] and not isinstance(value, str) and all(isinstance(each, str) for each in value):
        return list(value)
    if described.annotation in (str, Path) and isinstance(value, str):
        return described.annotation(value)
    return _CONVERT
