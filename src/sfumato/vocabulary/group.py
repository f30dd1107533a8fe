"""A group of people: those whose QIDs have certain labels, as in `age=[75, 100] & sex=Female`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.errors import UsageError, argument

AND = " & "
# Followed by another QID, with or without blanks; a label may contain the sign.
_AND = re.compile(r"\s*&\s*(?=[^&=]+=)")


@dataclass(frozen=True, slots=True)
class Group:
    """Pairs of a QID and one of its labels, of any level; people with all of them are in the group. QIDs are distinct."""

    labels: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, text: str) -> Group:
        """
        >>> Group.parse("age=[75, 100] & sex=Female").labels
        (('age', '[75, 100]'), ('sex', 'Female'))
        """
        pairs = [part.partition("=") for part in _AND.split(text)]
        labels = tuple((name.strip(), label.strip()) for name, _, label in pairs)
        if not all(name and label for name, label in labels) or len({name for name, _ in labels}) < len(labels):
            raise UsageError(
                f"a group is written as age=[75, 100] or born=[1900, 1944], several QIDs with '&' between them, each once; it is {text!r}",
                where=argument("models"),
            )
        return cls(labels)

    def __str__(self) -> str:
        return AND.join(f"{name}={label}" for name, label in self.labels)
