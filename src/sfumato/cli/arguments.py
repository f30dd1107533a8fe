"""The arguments of a command line before they are parsed."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import UsageError, argument

PROTECT = "--protect"


def joined(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command, with the two words of each --protect joined as `MODEL for GROUP`: an option takes one word.

    >>> joined(["check", "--protect", "age=[75, 100]", "k-anonymity:9", "--json"])
    ['check', '--protect', 'k-anonymity:9 for age=[75, 100]', '--json']
    """
    words: list[str] = []
    rest = [word for each in arguments for word in (each.split("=", 1) if each.startswith(f"{PROTECT}=") else [each])]
    while rest:
        words.append(rest.pop(0))
        if words[-1] == PROTECT:
            group, model = rest[:2] if len(rest) > 1 else ("", "")
            if "=" not in group or ":" not in model:
                raise UsageError(
                    "takes a group and a model, as in --protect 'age=[75, 100]' distribution-loss:0.1", where=argument("protect")
                )
            words.append(f"{model} for {group}")
            del rest[:2]
    return words
