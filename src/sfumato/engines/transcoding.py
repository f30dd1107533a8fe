"""Text files in other encodings than UTF-8: which one it is, and a copy in UTF-8 for the engine.

Byte order marks and the zeros of UTF-16 are certain. A file that is not UTF-8 either is taken for Windows-1252 (which includes Latin-1)
if that makes text of it in which no sign is out of place; the encodings of other countries and systems put signs amid words. Whatever
cannot be told must be named.
"""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sfumato.engines.records import NotUtf8
from sfumato.errors import DataError, argument, raise_alone

UTF_8 = "utf-8"
WESTERN = "windows-1252"
_CHUNK = 1 << 20
_LOOKED_AT = 64 << 10
_MARKS = {codecs.BOM_UTF8: UTF_8, codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_LETTER = r"[^\W\d_]"
_SIGNS = "‚„…†‡ˆ‰‹“”•˜™›¡¢£¤¥¦§¨©«¬¯±²³µ¶¸¹»¼½¾¿×÷€"
_CAPITALS = "À-ÖØ-ÞŠŽŸŒ"
# A sign amid a word, a capital after a small letter or amid small ones, three accents in a row: so look the words of other encodings.
_ODD = re.compile(
    rf"{_LETTER}[{_SIGNS}]{_LETTER}|[a-zß-öø-ÿ][{_CAPITALS}]|{_LETTER}[{_CAPITALS}][a-zß-öø-ÿ]|[{_CAPITALS}ß-öø-ÿšžœƒ]{{3}}"
)
_SEP = re.compile(r"sep=([^\r\n])(?:\r\n|\r|\n)", re.IGNORECASE)
_AROUND = 2  # characters before a piece of text that may be the beginning of something odd

Opened = IO[bytes] | gzip.GzipFile


def named(encoding: str | None) -> str | None:
    """An encoding by one name, however it was written."""
    found = encoding and codecs.lookup(encoding).name
    return UTF_8 if found in ("utf-8", "utf-8-sig", "ascii") else WESTERN if found == "cp1252" else found


def marked(head: bytes) -> str | None:
    """The encoding that the first bytes are certain about, if they are."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    return _wide(head[: len(head) // 2 * 2][:_LOOKED_AT])


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: every second byte of ASCII is zero, and half of most tables is."""
    zeros = [head[parity::2].count(0) for parity in (0, 1)]
    if 0 not in zeros or 4 * sum(zeros) < len(head):
        return None
    encoding = "utf-16-be" if zeros[0] else "utf-16-le"
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None
    return encoding if ("\n" in text or "\r" in text) and "\0" not in text else None


def require_not_unicode(head: bytes, encoding: str | None, where: str) -> None:
    """Refuse a file in Unicode under the name of an older encoding: most bytes are signs there, too, and nobody would be warned."""
    if encoding is None or encoding.startswith("utf"):
        return
    found = marked(head) or (UTF_8 if not head.isascii() and _is_utf_8(head) else None)
    if found is not None:
        raise DataError(f"this is {found}, not {encoding}; say {argument('encoding', found)}", where=where)


def _is_utf_8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder(UTF_8)().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def states_delimiter(head: bytes) -> bool:
    """Whether the first line of a file in UTF-8 states the delimiter, `sep=;`: spreadsheets write it."""
    return head.removeprefix(codecs.BOM_UTF8)[:4].lower() == b"sep="


def copied(file: Opened, target: Path, encoding: str | None, where: str) -> str | None:
    """Write a file in UTF-8 without a mark, a piece at a time; returns the delimiter that its first line states, if it does, and leaves
    that line out. Without an encoding, it is written as what it most likely is, and refused if that would put signs amid words."""
    stated, lines, tail, first = None, 1, "", True
    with target.open("wb") as written:
        for text in _texts(file, encoding or WESTERN, where, certain=encoding is not None):
            if encoding is None and not text.isascii() and (odd := _ODD.search(tail + text)):
                raise _unknown(f"{where}, line {lines + (tail + text).count(chr(10), 0, odd.start())}")
            tail, lines = text[-_AROUND:].rpartition("\n")[2], lines + text.count("\n")
            if first:
                text, stated = _begun(text)
                first = False
            written.write(text.encode(errors="surrogatepass"))
    return stated


def _begun(text: str) -> tuple[str, str | None]:
    """The beginning of a file without its mark and a first line `sep=;`, and the delimiter there."""
    text = text.removeprefix("\ufeff")
    match = _SEP.match(text)
    return (text[match.end() :], match[1]) if match else (text, None)


def _texts(file: Opened, encoding: str, where: str, *, certain: bool) -> Iterator[str]:
    """The text of a file, a piece at a time; refuses bytes that the encoding does not have."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, more = 1, True
    while more:
        chunk = file.read(_CHUNK)
        more = bool(chunk)
        try:
            text = decoder.decode(chunk, final=not more)
        except UnicodeError as error:
            start = error.start if isinstance(error, UnicodeDecodeError) else 0
            place = f"{where}, line {lines + chunk.count(10, 0, start)}"
            raise_alone(NotUtf8(place) if encoding == UTF_8 else _other_than(encoding, place) if certain else _unknown(place))
        lines += text.count("\n")
        yield text


def _unknown(where: str) -> DataError:
    return DataError(
        f"not UTF-8, and which encoding it is cannot be told; name it with {argument('encoding')} (windows-1250, for instance)",
        where=where,
    )


def _other_than(encoding: str, where: str) -> DataError:
    return DataError(f"not {encoding}; name another encoding with {argument('encoding')}", where=where)
