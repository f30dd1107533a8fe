"""Commands of other distributions: the entry points of the group `sfumato.commands`, each a name and `module:function`.

They cost the commands of the core nothing and cannot break them. They are looked up only when help lists all commands, or when the
core has no command of that name; they cannot replace a command of the core. A plug-in that cannot be loaded is not listed, and gives
an error when it is called.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from sfumato.cli.words import read_plainly
from sfumato.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "sfumato.commands"
PANEL = "From other packages"
# Commands that an extra provides.
EXTRAS = {"reproduce": "studies"}


class Group(TyperGroup):
    """A group of commands whose help shows no type for a flag, which takes no value."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None and not isinstance(command, Group):
            read_plainly(_without_types(command.get_params(ctx)))
        return command

    def get_params(self, ctx: Any) -> list[Any]:
        return read_plainly(_without_types(super().get_params(ctx)))


def _without_types(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if getattr(each, "is_flag", False):
            each.metavar = ""
    return parameters


class Commands(Group):
    """The commands of the core, followed by those of plug-ins."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name. If there is none, all plug-ins are listed, so that typer can suggest a similar name."""
        if cmd_name not in self.commands:
            if point := installed().get(cmd_name):
                self.add_command(load_command(point))
            elif extra := EXTRAS.get(cmd_name):
                raise UsageError(f'needs the extra {extra!r}: pip install "sfumato[{extra}]"', where=cmd_name)
            else:
                self.list_commands(ctx)
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        """Every name, the core's first."""
        for name, point in sorted(installed().items()):
            if name not in self.commands:
                with suppress(UsageError):
                    self.add_command(load_command(point))
        return super().list_commands(ctx)


def installed() -> dict[str, EntryPoint]:
    """The installed plug-ins by name, not loaded."""
    from importlib.metadata import distributions  # some 20 ms that most commands do not need

    points: dict[str, EntryPoint] = {}
    for each in distributions():
        with suppress(Exception):  # the metadata of others may be malformed
            if GROUP in (each.read_text("entry_points.txt") or ""):
                for point in each.entry_points.select(group=GROUP):
                    points.setdefault(point.name, point)
    return points


def load_command(point: EntryPoint) -> Any:
    """The command of an entry point."""
    alone = typer.Typer(rich_markup_mode="markdown", add_completion=False, pretty_exceptions_enable=False)
    try:
        alone.command(point.name, rich_help_panel=PANEL)(point.load())
        return get_command(alone)
    except (Exception, SystemExit) as error:
        whose = point.dist.name if point.dist else "unknown"
        raise UsageError(
            f"this command comes from the package {whose!r} and cannot be loaded ({type(error).__name__}); update or remove the package",
            where=point.name,
        ) from error
