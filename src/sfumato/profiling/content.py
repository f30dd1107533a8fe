"""What the values of a text column look like, whatever the column is called. Each look is at a sample of distinct values.

A direct identifier in a part of the values is enough to withhold a column; a structure that levels are built on must fit all of them.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from sfumato.profiling.people import FAMILY, GIVEN
from sfumato.vocabulary.builders.icd10 import is_code
from sfumato.vocabulary.m49 import subregion_of

SAMPLE = 1000  # distinct values that are looked at
SOME = 0.2  # of the values: enough to withhold
MOST = 0.8
_FEW = 3  # values that a known structure needs at least: "A10" alone is no diagnosis


class Content(Enum):
    """What values look like, in words for a reason."""

    EMAIL = "e-mail addresses"
    IBAN = "account numbers (IBAN)"
    CARD = "numbers of payment cards"
    URL = "addresses of web pages"
    UUID = "random keys (UUID)"
    PHONE = "telephone numbers"
    STREET = "postal addresses"
    PERSON = "names of people"
    TEXT = "free text"
    IP = "IP addresses"
    ICD10 = "diagnoses in ICD-10"
    COUNTRY = "countries"


DIRECT = frozenset(
    {
        Content.EMAIL,
        Content.IBAN,
        Content.CARD,
        Content.URL,
        Content.UUID,
        Content.PHONE,
        Content.STREET,
        Content.PERSON,
        Content.TEXT,
    }
)

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_URL = re.compile(r"(https?://|www\.)\S+", re.IGNORECASE)
_UUID = re.compile(r"\{?[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\}?", re.IGNORECASE)
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_PHONE = re.compile(r"(\+|00|0|\()[0-9 ()./-]{6,20}[0-9]")
_CARD = re.compile(r"[0-9]{13,19}")
_LOCAL_PHONE = re.compile(r"\(?[0-9]{2,4}\)?[ .-][0-9]{3,4}[ .-]?[0-9]{3,4}")
_DATE_LIKE = re.compile(r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}.*")
_STREET = re.compile(
    r".*(stra(ß|ss)e|str\.|gasse|allee|\b(platz|weg|ring|damm|ufer|chaussee)|weg|platz) *[0-9]+ ?[a-z]?\b.*"
    r"|[0-9]+ ?(bis|ter)?,? *(rue|avenue|av\.?|boulevard|bd|place|chemin|route|impasse|quai)\b.*"
    r"|(calle|c/|avenida|avda\.?|plaza|paseo|camino|carrer)\b.*[0-9]+.*"
    r"|[0-9]+[a-z]? +([a-z'.]+ +){1,4}(st|street|rd|road|ave|avenue|ln|lane|dr|drive|blvd|court|ct|way|terrace|close|crescent)\b.*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_LONG_TEXT, _MANY_WORDS = 30, 4


@dataclass(frozen=True, slots=True)
class Look:
    """What a sample of distinct values looks like, if anything, and in what share of them."""

    content: Content | None
    share: float = 0.0


def look_at(texts: Sequence[str], *, diagnoses: bool = False) -> Look:
    """What texts look like; direct identifiers come first. `diagnoses` says that the column is called so: other codes look alike."""
    if not texts:
        return Look(None)
    for content, fits in _DIRECT.items():
        share = sum(fits(text) for text in texts) / len(texts)
        if share >= SOME:
            return Look(content, share)
    if (share := _people(texts)) >= SOME:
        return Look(Content.PERSON, share)
    for content, fits in STRUCTURES.items():
        sure = content is Content.IP or len(texts) >= _FEW
        if content is Content.ICD10 and not diagnoses:
            sure = _clearly_diagnoses(texts)
        if sure and all(map(fits, texts)):
            return Look(content, 1.0)
    prose = sum(_is_prose(text) for text in texts) / len(texts)
    return Look(Content.TEXT, prose) if prose >= MOST / 2 else Look(None)


def is_iban(text: str) -> bool:
    """Whether a text is an account number by its form and its check digits (ISO 13616).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    bare = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(bare):
        return False
    return int("".join(str(int(letter, 36)) for letter in bare[4:] + bare[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Whether a text is the number of a payment card by its length and its check digit (ISO/IEC 7812).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    bare = text.replace(" ", "").replace("-", "")
    if not _CARD.fullmatch(bare) or bare[0] not in "3456":
        return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(bare))]
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0


def is_phone(text: str) -> bool:
    """Whether a text is written like a telephone number: signs between the digits, or a country code."""
    digits = sum(letter.isdigit() for letter in text)
    signs = any(letter in "+ ()/-" for letter in text)
    if not 7 <= digits <= 15 or not signs or _DATE_LIKE.fullmatch(text):
        return False
    return bool(_PHONE.fullmatch(text) or _LOCAL_PHONE.fullmatch(text))


def is_ip(text: str) -> bool:
    """Whether a text is an IP address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def bare_words(text: str) -> list[str]:
    """The words of a text, small and without accents."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return [word.lower() for word in _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))]


def _people(texts: Sequence[str]) -> float:
    """The share of values that are names of people: words only, few of them, a known name among them."""
    known = 0
    for text in texts:
        words = bare_words(text) if not any(c.isdigit() for c in text) else []
        known += 1 <= len(words) <= 5 and any(word in GIVEN or word in FAMILY for word in words)
    return known / len(texts)


def _clearly_diagnoses(texts: Sequence[str]) -> bool:
    """Whether codes are of several chapters and have the point of a diagnosis: keys of other things begin with one letter."""
    return len({text[:1] for text in texts}) >= _FEW and sum(text[3:4] == "." for text in texts) >= len(texts) / 2


def _is_prose(text: str) -> bool:
    return len(text) >= _LONG_TEXT and len(text.split()) >= _MANY_WORDS


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text.strip()) is not None


_DIRECT: dict[Content, Callable[[str], bool]] = {
    Content.EMAIL: lambda text: _EMAIL.search(text) is not None,
    Content.URL: _matches(_URL),
    Content.UUID: _matches(_UUID),
    Content.IBAN: is_iban,
    Content.CARD: is_card,
    Content.STREET: _matches(_STREET),
    Content.PHONE: is_phone,
}
STRUCTURES: dict[Content, Callable[[str], bool]] = {
    Content.IP: is_ip,
    Content.ICD10: is_code,
    Content.COUNTRY: lambda text: subregion_of(text) is not None,
}
