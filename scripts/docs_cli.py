"""The CLI reference, written from the commands themselves: `docs/reference/cli.md` is made by every build of the documentation.

Nothing about an option is written twice: what `--help` shows is what the page shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from sfumato.cli.commands import application

HEAD = """\
% Written by scripts/docs_cli.py from the commands themselves. Changes made here are lost.

# Commands

What `sfumato COMMAND --help` shows. Exit statuses and the form of errors are described in {doc}`errors`.

`sfumato reproduce` comes with the extra `studies`. Any distribution can add a command in the same way, as a function with typer's
options that an entry point of the group `sfumato.commands` names:

```toml
[project.entry-points."sfumato.commands"]
reproduce = "sfumato_studies.command:reproduce"
```

The names of sfumato's own commands cannot be taken.
"""

VALUES = {int: "NUMBER", Path: "PATH"}


def reference() -> str:
    """The whole page, in the order of `sfumato --help`."""
    parts = [HEAD, *_section("sfumato", typer.main.get_command(application()))]
    for name, command in commands().items():
        parts += _section(f"sfumato {name}", command)
    return "\n".join(parts)


def commands() -> dict[str, Any]:
    """Every command by its name, such as `verify` or `keys new`, those of installed plug-ins too."""
    group: Any = typer.main.get_command(application())
    group.list_commands(None)
    return dict(_flat(group.commands))


def _flat(commands: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in commands.items():
        if hasattr(command, "commands"):
            yield from _flat(command.commands, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _section(title: str, command: Any) -> Iterator[str]:
    """A command: what it does, its example, its arguments and options."""
    description, example = split_help(command.help or "")
    yield f"## {title}\n"
    yield f"{description}\n"
    if example:
        yield f"```sh\n{example}\n```\n"
    yield "| name | meaning | default |\n| --- | --- | --- |"
    for parameter in command.params:
        yield f"| {_names(parameter)} | {_cell(parameter.help or '')} | {_default(parameter)} |"
    yield "| `-h`, `--help` | Show this message and exit. | |\n"


def split_help(text: str) -> tuple[str, str]:
    """A help text without its example, and the example without its backticks."""
    description, _, example = text.partition("Example:")
    return description.strip(), example.strip().strip("`")


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar}`"
    value = "" if parameter.is_flag else " " + (parameter.metavar or VALUES.get(parameter.type_descriptor.annotation, "TEXT"))
    long, *others = parameter.opts
    return ", ".join(f"`{name}`" for name in [f"{long}{value}", *others])


def _default(parameter: Any) -> str:
    if parameter.required:
        return "*required*"
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    flag = getattr(parameter, "is_flag", False)  # arguments know no flags
    return "" if flag or parameter.default is None else f"`{parameter.default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def write(folder: Path) -> None:
    """Write the page into the documentation; an unchanged page is left alone, so that it is not built again."""
    path, text = folder / "reference" / "cli.md", reference()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent.parent / "docs")
