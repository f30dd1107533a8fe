"""Canonical JSON (RFC 8785): one spelling for every document, so that a digest of it means its content.

Keys are sorted by their UTF-16 code units, numbers are written as ECMAScript writes them, and texts have the fewest escapes. A document
that two readers could understand differently has no canonical form: a key given twice, NaN, infinity, a whole number beyond 2⁵³, half
of a surrogate pair.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NoReturn

from sfumato.errors import raise_alone
from sfumato.inputs.shape import EXACT as EXACT

_LONGEST = 21  # digits that ECMAScript writes before it turns to an exponent
_SMALLEST = -6
_MOST_DIGITS = 400  # of a whole number; the largest that a reader may hold has 309


def canonical(value: Any) -> str:
    """The one spelling of a JSON value; ValueError if it has none.

    >>> canonical({"b": [1.0, 1e-7], "a": None})
    '{"a":null,"b":[1,1e-7]}'
    """
    if type(value) is int and -EXACT <= value <= EXACT:  # most of a large certificate
        return str(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        plain = all(map(str.isascii, value))  # as most are; their order is that of the code units
        names = sorted(value) if plain else sorted(value, key=lambda name: name.encode("utf-16-be"))
        return f"{{{','.join(f'{_text(name)}:{canonical(value[name])}' for name in names)}}}"
    raise ValueError(f"{type(value).__name__} is no JSON")


def digest_of(value: Any) -> str:
    """The SHA-256 digest of the canonical form."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def text_of(raw: bytes) -> str:
    """Bytes in base64."""
    return base64.b64encode(raw).decode()


def bytes_of(text: str) -> bytes:
    """Base64 in its only spelling; nothing for any other text."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return b""
    return raw if text_of(raw) == text else b""


def finite(value: Any) -> Any:
    """A value without the numbers that JSON does not have: an infinite one is null."""
    if isinstance(value, Mapping):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def parsed(text: str) -> Any:
    """A JSON document that has a canonical form; ValueError for any other text."""
    try:
        value = json.loads(text, object_pairs_hook=_distinct, parse_int=_whole, parse_constant=_refused)
        canonical(value)
    except RecursionError:
        raise_alone(ValueError("nested too deeply"))
    except json.JSONDecodeError as error:
        raise_alone(ValueError(f"not JSON: {error.msg} in line {error.lineno}"))
    except UnicodeEncodeError:
        raise_alone(ValueError("half of a character, which is no text"))
    return value


def _text(value: str) -> str:
    value.encode()  # half of a surrogate pair cannot be
    return encode_basestring(value)  # json.dumps would make an encoder for each text


def _number(value: float) -> str:
    if isinstance(value, int):
        if abs(value) > EXACT:
            raise ValueError("a whole number that not every reader can hold")
        return str(value)
    if not math.isfinite(value):
        raise ValueError("neither NaN nor infinity is JSON")
    sign, digits, point = _digits(value)
    if len(digits) <= point <= _LONGEST:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= _LONGEST:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if _SMALLEST < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def _digits(value: float) -> tuple[str, str, int]:
    """The fewest digits that give this number back, and where the decimal point stands among them."""
    if value == 0:
        return "", "0", 1  # also minus zero
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    return "-" if sign else "", "".join(map(str, digits)), len(digits) + int(exponent)


def _whole(text: str) -> float:
    """A whole number; one beyond 2⁵³ only as it is written canonically: then it is a real number that happens to be whole."""
    if len(text) > _MOST_DIGITS:
        raise ValueError("a whole number that not every reader can hold")
    value = int(text)
    if abs(value) <= EXACT:
        return value
    if _number(float(text)) != text:
        raise ValueError("a whole number that not every reader can hold")
    return float(text)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
