"""Every deliberate error.

    SfumatoError
    ├── BadInput             exit 2: what was given cannot be used
    │   ├── UsageError       an argument or option
    │   │   └── TooManyNodes a lattice with more nodes than the search can list
    │   ├── SchemaError      the schema file
    │   ├── HierarchyError   a hierarchy, or a value that it does not cover
    │   ├── NodeError        a level vector
    │   ├── DataError        the table
    │   └── OutputError      the place to write to
    └── DataSayNo            exit 1: the input is fine and the answer is no
        └── NotVerified      a release does not fit its certificate or its recoding

The rule: a message is one line that says what is wrong, where, and what would have worked. It may name columns,
levels, counts, files and hierarchy labels; it never holds a value of a record. An argument is named with `argument`, so that Python
reads `force=True` where the shell reads `--force`. The errors of libraries do quote values: what replaces one is raised with
`raise_alone`, for `raise … from None` only hides it. Names may hold control characters, which a terminal would obey: whatever is
printed goes through `visible`.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import ClassVar, NoReturn

_ARGUMENT = re.compile("\x02([a-z_]+)(=[^\x03]*)?\x03")
# Where an option is not spelled like its argument.
_OPTIONS = {"attacks": "attack", "models": "model", "mapping": "map", "others": "other"}


def argument(name: str, value: str | None = None) -> str:
    """Names an argument in a message: `suppress`, or with a value `force=True`, `header=False`, `decimal=','`; in the shell `--suppress`,
    `--force`, `--no-header`, `--decimal ','`."""
    return f"\x02{name}{'' if value is None else f'={value}'}\x03"


def _in_python(text: str) -> str:
    return _ARGUMENT.sub(lambda match: match[1] + (match[2] or ""), text)


def _in_shell(text: str) -> str:
    return _ARGUMENT.sub(lambda match: _option(match[1], (match[2] or "=True")[1:]), text)


def _option(name: str, value: str) -> str:
    option = _OPTIONS.get(name, name).replace("_", "-")
    if value in ("True", "False"):
        return f"--{option}" if value == "True" else f"--no-{option}"
    return f"--{option} {value}"


class SpellingWarning(UserWarning):
    """Several spellings of one sensitive value count as different values."""


class SearchWarning(UserWarning):
    """Something that should be known of a search before it begins."""

    def __init__(self, message: str) -> None:
        super().__init__(_in_python(message))
        self._marked = message

    def in_shell(self) -> str:
        """The message with options in the place of arguments."""
        return _in_shell(self._marked)


class FloorWarning(SearchWarning):
    """A table has so many different values that a search starts above some of them."""


class LongSearchWarning(SearchWarning):
    """A search takes more than about a minute, or a graph gets more than a million edges and more than it has."""


class TogetherWarning(UserWarning):
    """A release could not be judged together with some of the earlier ones in its ledger."""


class PrivacyWarning(UserWarning):
    """A release is as private as was asked, and that is little."""


class SfumatoError(Exception):
    """A deliberate error: `code` for machines, `message` for people, `where` it happened."""

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 2

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(_in_python(message))
        self._marked = message, where
        self.message = _in_python(message)
        self.where = None if where is None else _in_python(where)

    def add(self, more: str) -> None:
        """Say more, at the end of the message."""
        message, where = self._marked
        self._marked = message + more, where
        self.message = _in_python(message + more)
        self.args = (self.message,)

    def in_shell(self) -> tuple[str, str | None]:
        """Message and place with options in the place of arguments."""
        message, where = self._marked
        return _in_shell(message), None if where is None else _in_shell(where)

    def __str__(self) -> str:
        return visible(f"{self.where}: {self.message}" if self.where else self.message)


class BadInput(SfumatoError):
    """What was given cannot be used."""

    code = "bad_input"


class UsageError(BadInput):
    """An argument or option is wrong."""

    code = "usage"


class TooManyNodes(UsageError):
    """The lattice has more nodes than the search that was asked for can list."""

    code = "too_many_nodes"


class SchemaError(BadInput):
    """The schema is wrong, or does not fit the table."""

    code = "schema"


class HierarchyError(BadInput):
    """A hierarchy is malformed or does not cover the data."""

    code = "hierarchy"


class NodeError(BadInput):
    """A node names an unknown attribute or a level that does not exist."""

    code = "node"


class DataError(BadInput):
    """The table cannot be read as declared."""

    code = "data"


class OutputError(BadInput):
    """The result cannot be written where it was asked for."""

    code = "output"


class DataSayNo(SfumatoError):
    """The input is fine; the answer is no."""

    code = "no"
    exit_status = 1


class NotVerified(DataSayNo):
    """A release does not fit its certificate, or the recoding it was made with."""

    code = "not_verified"


def raise_alone(error: BaseException) -> NoReturn:
    """Raise an error that keeps nothing of the one that is being handled: neither shown nor in its `__context__`."""
    try:
        raise error
    finally:
        error.__context__ = None


def unknown(what: str, name: str, have: Iterable[str], *, within: str) -> str:
    """The message for a name that does not exist: the nearest one, and all there are. One that begins alike is nearest.

    >>> unknown("attribute", "zip", ["age", "zipcode"], within="the schema")
    "no attribute 'zip' in the schema; did you mean 'zipcode'? (have: age, zipcode)"
    >>> unknown("argument", "memory_limit", ["memory", "time_limit"], within="this verb")
    "no argument 'memory_limit' in this verb; did you mean 'memory'? (have: memory, time_limit)"
    """
    names = [visible(known) for known in have]
    folded = {known.casefold(): known for known in names}
    alike = [known for known in folded if known and (known.startswith(name.casefold()) or name.casefold().startswith(known))]
    near = difflib.get_close_matches(name.casefold(), alike or folded, n=1, cutoff=0.5)
    hint = f"; did you mean {folded[near[0]]!r}?" if near else ""
    return f"no {what} {name!r} in {within}{hint} (have: {', '.join(names) or 'none'})"


# Control characters, invisible formatting (which may turn the direction of writing), halves of characters, ends of lines.
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def size_of(people: int, rows: int, classes: int) -> str:
    """How large a release is, in words.

    >>> size_of(30162, 30162, 8), size_of(1, 2, 1)
    ('30,162 people in 30,162 rows, 8 classes', '1 person in 2 rows, 1 class')
    """
    return f"{several(people, 'person', 'people')} in {several(rows, 'row')}, {several(classes, 'class', 'classes')}"


def visible(text: str) -> str:
    r"""A text for a terminal, on one line: characters that a terminal obeys and does not show are written as escapes.

    >>> print(visible("a\x1b[31mb\n"), visible("naïve 年"))
    a\x1b[31mb\n naïve 年
    """
    if text.isprintable():
        return text
    return "".join(ascii(each)[1:-1] if unicodedata.category(each) in _OBEYED else each for each in text)


def several(count: int, noun: str, plural: str | None = None) -> str:
    """
    >>> several(1, "value"), several(1200, "value"), several(2, "leaf", "leaves")
    ('1 value', '1,200 values', '2 leaves')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"
