"""The script and the style of the explorer: a few small files, concatenated."""

from __future__ import annotations

from importlib.resources import files

from sfumato.reporting.style import style

SCRIPTS = ("data.js", "read.js", "choose.js", "plot.js", "panel.js", "main.js")
# In addition to the colors of the report: the front, and the nodes outside the bounds.
LIGHT = {"front": "#a3127f", "faint": "#bcc4bf"}
DARK = {"front": "#f59be0", "faint": "#4d5a5b"}


def script() -> str:
    """The whole script."""
    return "\n" + "\n".join(part(name) for name in SCRIPTS)


def rules() -> str:
    """The style of the report, and the additions of the explorer."""
    return style() + additions()


def additions() -> str:
    """The style of the explorer alone."""
    light, dark = (";".join(f"--{name}:{color}" for name, color in colors.items()) for colors in (LIGHT, DARK))
    own = f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    return own + part("explorer.css")


def part(name: str) -> str:
    """One of the files."""
    return files("sfumato.reporting.explorer").joinpath(name).read_text(encoding="utf-8")
