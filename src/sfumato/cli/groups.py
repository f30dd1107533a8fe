"""How a command takes groups of options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from copy import copy
from typing import Annotated, Any, get_type_hints

from typer.models import OptionInfo

from sfumato.cli.warning import warnings_in_lines

Group = Callable[..., dict[str, Any]]
Groups = Group | tuple[Group, ...]
Request = dict[str, Any]


def takes(*given: Groups) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command take groups of options. Its first parameter gets their keyword arguments; the others are its own options."""
    groups = [group for each in given for group in (each if isinstance(each, tuple) else (each,))]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        _, *own = inspect.signature(command).parameters.values()
        parameters: dict[str, inspect.Parameter] = {}
        for group in groups:
            types = get_type_hints(group, include_extras=True)
            for parameter in inspect.signature(group).parameters.values():
                parameters[parameter.name] = parameter.replace(
                    annotation=_in_panel(types[parameter.name], group), kind=inspect.Parameter.KEYWORD_ONLY
                )
        for parameter in own:
            parameters[parameter.name] = parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY)

        @functools.wraps(command)
        def collected(**values: Any) -> None:
            request: Request = {}
            for group in groups:
                request |= group(**{name: values[name] for name in inspect.signature(group).parameters})
            with warnings_in_lines():
                command(request, **{parameter.name: values[parameter.name] for parameter in own})

        collected.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        collected.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
        return collected

    return decorate


def _in_panel(annotation: Any, group: Group) -> Any:
    """An option that the help shows under the first sentence of its group."""
    (option,) = annotation.__metadata__
    if not isinstance(option, OptionInfo):
        return annotation
    placed = copy(option)
    placed.rich_help_panel = (group.__doc__ or "").partition(".")[0] or None
    return Annotated[annotation.__origin__, placed]
