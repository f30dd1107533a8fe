"""A stop of the tour: what it shows, the commands that show it, and what they make."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A command line after `sfumato`, and the exit status that answers it: 1 where the data say no.

    One that `serves` runs until it is ended: its page is asked for once it has printed an address.
    """

    line: str
    status: int = 0
    serves: bool = False

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line)


@dataclass(frozen=True, slots=True)
class Stop:
    """Commands that are run one after the other in the folder of the tour.

    `pictures` (SVG or PNG, each with its caption) and `pages` (HTML) are made by the commands; `files` is written before them.
    `needs` are extras, `programs` what the system must have; a stop without them is left out, with the reason.
    """

    title: str
    about: str
    commands: tuple[Command, ...]
    pictures: tuple[tuple[str, str], ...] = ()
    pages: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


def lines(text: str) -> tuple[Command, ...]:
    """Commands from text, one a line; one that ends in `# no` exits with 1, and one that ends in `# serves` runs until it is ended.

    A line that ends in a backslash goes on in the next.
    """
    found = []
    for line in filter(None, map(str.strip, text.replace("\\\n", " ").splitlines())):
        command, _, note = line.partition("  # ")
        found.append(Command(shlex.join(shlex.split(command)), int(note == "no"), note == "serves"))
    return tuple(found)
