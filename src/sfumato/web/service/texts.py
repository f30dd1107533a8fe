"""Texts that people give: names, mail addresses, passwords. What cannot be shown or stored is refused at the door."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from sfumato.signing.keys import LONGEST_NAME, named

LONGEST_MAIL = 254
# Small letters of the Cyrillic and Greek alphabets that most fonts draw like Latin ones, also where only the capitals are alike.
_ALIKE = str.maketrans("авеёкмнорстухіїјѕһԁԛԝάαβεηικνορτυχ", "abeekmhopctyxiijshdqwaabenikvoptux")
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 1_000


def _text(given: Any) -> str:
    """Refuse what is no text, and halves of characters, which no file and no database has."""
    if not isinstance(given, str):
        raise ValueError("must be a text")  # noqa: TRY004 what pydantic turns into an answer
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ValueError("must be a text in Unicode") from None
    return given


def looks(text: str) -> str:
    """What a name looks like at a glance: without case, width and accents of compatibility, and with letters of other alphabets as the
    Latin ones that they look like.

    >>> looks("Оlga  OWNER") == looks("Olga Owner")
    True
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.translate(_ALIKE).split())


def _name(given: Any) -> str:
    name = _text(given).strip()
    if not named(name):
        raise ValueError(f"must be one line of 1 to {LONGEST_NAME} characters")
    return name


def _mail(given: Any) -> str:
    mail = _text(given).strip().lower()
    before, _, after = mail.partition("@")
    plain = mail.isprintable() and not any(sign.isspace() for sign in mail)
    if not before or not after or "@" in after or not plain or len(mail) > LONGEST_MAIL:
        raise ValueError("must be a mail address, such as ann@example.org")
    return mail


def _no_mail(given: Any) -> str | None:
    return None if given is None or given == "" else _mail(given)


def _password(given: Any) -> str:
    password = _text(given)
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise ValueError(f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD:,} characters")
    return password


def _guess(given: Any) -> str:
    """A password that is tried: whatever it is, it is right or wrong."""
    return _text(given)[: LONGEST_PASSWORD + 1]


def _as(check: Callable[[Any], Any], least: int, most: int, form: str | None = None) -> tuple[BeforeValidator, WithJsonSchema]:
    schema: dict[str, Any] = {"type": "string", "minLength": least, "maxLength": most}
    return BeforeValidator(check), WithJsonSchema(schema if form is None else {**schema, "format": form})


Name = Annotated[str, *_as(_name, 1, LONGEST_NAME)]
Mail = Annotated[str, *_as(_mail, 3, LONGEST_MAIL, "email")]
MaybeMail = Annotated[str | None, *_as(_no_mail, 0, LONGEST_MAIL)]
NewPassword = Annotated[str, *_as(_password, SHORTEST_PASSWORD, LONGEST_PASSWORD, "password")]
Guess = Annotated[str, *_as(_guess, 0, LONGEST_PASSWORD, "password")]
