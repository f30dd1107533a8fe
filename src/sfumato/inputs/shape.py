"""The shape of a document, checked against types: a dataclass or TypedDict, its fields annotated with what they may hold.

msgspec compares (see docs/decisions/0018). What it says is put into our words here, and names keys and kinds, never a value: a document
may hold what nobody should read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from msgspec import Meta, ValidationError, convert

EXACT = 2**53  # beyond it, a whole number may be another one to its reader
Whole = Annotated[int, Meta(ge=-EXACT, le=EXACT)]
Count = Annotated[int, Meta(ge=0, le=EXACT)]
Positive = Annotated[int, Meta(ge=1, le=EXACT)]
Number = int | float  # a whole number stays one
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]

Shape = TypeVar("Shape")
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
_SIGNS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_WITHIN = re.compile(r"\[[^\]]*\]")
_PLACE = re.compile(r" - at (?P<key>`key` in )?`\$(?P<place>[^`]*)`$")
_BOUND = re.compile(r"Expected `(?P<kind>[^`]+)`(?: of length)? (?P<sign>>=|<=|>|<) (?P<bound>\S+)$")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`$")
_KIND = re.compile(r"Expected `(?P<kind>[^`]+)`(?:, got .*)?$")
_CHOICE = re.compile(r"Expected `str` matching regex '\\\\A\((?P<words>[\w|-]+)\)\\\\Z'$")


class Misshapen(ValueError):
    """A document of another shape; the message says what must be where."""


def one_of(*words: str) -> Any:
    """Metadata of a text that is one of these words."""
    return Meta(pattern=rf"\A({'|'.join(words)})\Z")


def shaped(document: Any, shape: type[Shape], name: str) -> Shape:
    """A document as a value of its type; `name` is what to call it."""
    try:
        return convert(document, shape, strict=True)
    except ValidationError as error:
        message = str(error)
    except RecursionError:
        raise Misshapen("nested too deeply") from None
    raise Misshapen(_in_our_words(message, name))


def require_nothing_more(document: Any, kept: Any, name: str) -> None:
    """Refuse a document that has something which its shape does not: a key that is unknown, or one without a value."""
    if isinstance(document, Mapping) and isinstance(kept, Mapping):
        for key, value in document.items():
            if key not in kept:
                raise Misshapen(f"{key!r} has no value, or is no key of it (at {name})")
            require_nothing_more(value, kept[key], f"{name}.{key}")
    elif isinstance(document, list) and isinstance(kept, list | tuple):
        for place, (value, each) in enumerate(zip(document, kept, strict=True)):
            if isinstance(value, list | Mapping):  # most are numbers, and there may be millions
                require_nothing_more(value, each, f"{name}[{place}]")


def _in_our_words(message: str, name: str) -> str:
    """`people must be a whole number (at certificate.people)`"""
    found = _PLACE.search(message)
    place = f"{name}{found['place']}" if found else name
    subject = _WITHIN.sub("", place).rpartition(".")[2]
    what = _PLACE.sub("", message)
    if match := _MISSING.match(what):
        return f"{match['name']} is missing (at {place})"
    if found and found["key"]:
        subject = f"a key of {subject}"
    return f"{subject} must be {_wanted(what)} (at {place})"


def _wanted(what: str) -> str:
    if match := _CHOICE.match(what):
        return f"one of {match['words'].replace('|', ', ')}"
    if match := _BOUND.match(what):
        counted = {"array": "a list with", "str": "a text with"}.get(match["kind"], f"{_kinds(match['kind'])} of")
        return f"{counted} {_SIGNS[match['sign']]} {match['bound']}"
    if "matching regex" in what:
        return "64 hexadecimal digits in small letters" if "{64}" in what else "written otherwise"
    if match := _KIND.match(what):
        return _kinds(match["kind"])
    return "something else"  # an unknown message might quote a value


def _kinds(kinds: str) -> str:
    return " or ".join(_KINDS.get(kind, kind) for kind in kinds.split(" | "))
