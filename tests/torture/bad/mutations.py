"""How a good document is spoiled: by structure (every key, every value), by text and by bytes. All of it seeded and in a fixed order."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

Path = tuple[str | int, ...]
DEEP = 100_000
# One of each wrong kind; what a value is not already.
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e300, 2**53, 10**30, "", "x", "\x00\x1b[2J\n", "‮é" * 300, [], [[]], {}, {"a": [None]}, ["x", 1],
    "x" * 100_000,
)  # fmt: skip


def places(value: Any, above: Path = ()) -> Iterator[Path]:
    """Every place in a document, the outermost first."""
    yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*above, key))


def at(document: Any, place: Path) -> Any:
    """What stands at a place."""
    for key in place:
        document = document[key]
    return document


def changed(document: Any, place: Path, value: Any) -> Any:
    """The document with another value at a place."""
    if not place:
        return value
    copied = copy.deepcopy(document)
    at(copied, place[:-1])[place[-1]] = value
    return copied


def without(document: Any, place: Path) -> Any:
    """The document without a place."""
    copied = copy.deepcopy(document)
    del at(copied, place[:-1])[place[-1]]
    return copied


def mutants(document: Any, seed: int, per_place: int = len(WRONG)) -> Iterator[tuple[str, Any]]:
    """A document spoiled in every place: removed, of a wrong kind, reordered, doubled, emptied, with more in it."""
    draw = random.Random(seed)
    for place in places(document):
        name = ".".join(map(str, place)) or "all"
        value = at(document, place)
        if place:
            yield f"{name} removed", without(document, place)
        for wrong in draw.sample(WRONG, per_place):
            if type(wrong) is not type(value) or wrong != value:
                yield f"{name} is {_kind(wrong)}", changed(document, place, wrong)
        for how, other in _variants(value):
            yield f"{name} {how}", changed(document, place, other)


def _variants(value: Any) -> Iterator[tuple[str, Any]]:
    """Values of the same kind that are wrong."""
    match value:
        case dict():
            yield "has more", {**value, "more": 1}
            if value:
                first = next(iter(value))
                yield "renamed", {("" if key == first else key): each for key, each in value.items()}
        case [_, *_]:
            yield from (("doubled", value + value), ("shorter", value[1:]))
            if value[::-1] != value:
                yield "reversed", value[::-1]
        case bool():
            yield "turned", not value
        case int() | float():
            yield from (("+1", value + 1), ("negative", -value - 1))


def _kind(value: Any) -> str:
    return f"{type(value).__name__} {str(value)[:12]!r}"


def json_texts(document: Any) -> Iterator[tuple[str, bytes, bool]]:
    """Spellings of a JSON document that no writer of ours has, and whether the meaning is the same."""
    text = json.dumps(document, ensure_ascii=False)
    yield "spaces", json.dumps(document, indent=7).encode(), True
    yield "keys sorted", json.dumps(document, sort_keys=True).encode(), True
    yield "a mark of the order of bytes", b"\xef\xbb\xbf" + text.encode(), True
    yield "UTF-16", text.encode("utf-16"), False
    yield "latin-1", text.replace("{", '{"ü": 1, ', 1).encode("latin-1"), False
    yield "half a character", text.replace("{", '{"\\ud800": 1, ', 1).encode(), False
    yield "a zero byte", text.replace(":", ":\x00", 1).encode(), False
    yield "twice", (text + text).encode(), False
    yield "an entry twice", text.replace("{", '{"seed": 7, ', 1).encode(), False
    for word in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "01", "0x1", "'x'", "1_000", "true false", "\\u12"):
        yield f"the text {word[:12]}", text.replace(":", f': {word}, "more":', 1).encode(), False
    for each, opened, closed in (("lists", "[", "]"), ("objects", '{"a":', "}")):
        yield f"deep {each}", (opened * DEEP + "1" + closed * DEEP).encode(), False
        yield f"deep {each} within", text.replace("{", f'{{"more": {opened * DEEP}1{closed * DEEP}, ', 1).encode(), False
        yield f"deep {each} open", (opened * DEEP).encode(), False
    yield "a long key", text.replace("{", '{"' + "k" * 5_000_000 + '": 1, ', 1).encode(), False
    yield "many keys", text.replace("{", "{" + "".join(f'"k{n}": {n}, ' for n in range(100_000)), 1).encode(), False


def spoiled(content: bytes, seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Bytes flipped, cut, doubled, filled and put in."""
    draw = random.Random(seed)
    for whole in (b"", b"\x00", b"\xff\xfe", b"\n", content[::-1], content + b"\x00" * 1000, bytes(5000)):
        yield f"{len(whole)} bytes", whole
    for _ in range(count):
        place, other = draw.randrange(len(content)), draw.randrange(256)
        how = draw.choice(("flipped", "cut", "inserted", "removed", "doubled"))
        new = {
            "flipped": content[:place] + bytes([content[place] ^ (1 << draw.randrange(8))]) + content[place + 1 :],
            "cut": content[:place],
            "inserted": content[:place] + bytes([other]) + content[place:],
            "removed": content[:place] + content[place + 1 + other :],
            "doubled": content[:place] + content[place // 2 :],
        }[how]
        if new != content:
            yield f"{how} at {place}", new


def stratified(items: Sequence[Any], count: int) -> list[Any]:
    """So many of them, evenly spread."""
    return list(items) if count >= len(items) else [items[place * len(items) // count] for place in range(count)]
