"""A table that is sent is written to disk as it comes, and no further than the limit.

It comes as the file of a form, or as the body of a request that names it. Whatever its name says, only its format is taken from it.
"""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO

from fastapi import HTTPException, Request
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool

from sfumato.errors import UsageError
from sfumato.web.service.places import ORIGINAL

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FORMATS = (".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".xls", ".ods")
_ZIPPED = (".xlsx", ".ods")
_NAME, _SHOWN = "name", 120
_WHERE = "the file"
_BLOCK, _ENDLESS = 2**20, 2**60


class _File:
    """The first part of a form that is a file, written as it comes; the other fields are not looked at."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.name = ""
        self._take, self._header, self._value = take, b"", b""
        self._headers: dict[str, bytes] = {}
        self._wanted = self._found = False

    def callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._field,
            "on_header_value": self._of_field,
            "on_header_end": self._end,
            "on_headers_finished": self._described,
            "on_part_data": self._data,
        }

    def _begin(self) -> None:
        self._headers, self._wanted = {}, False

    def _field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _of_field(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end(self) -> None:
        self._headers[self._header.decode("latin-1").lower()] = self._value
        self._header, self._value = b"", b""

    def _described(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", b""))
        if b"filename" in options and not self._found:
            self._wanted = self._found = True
            self.name = options[b"filename"].decode("utf-8", "replace")

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._wanted:
            self._take(data[start:end])


async def received(request: Request, folder: Path, limit: int) -> tuple[str, int]:
    """Write the table of a request into a folder that is made for it; what it is called, and its size. The folder is gone if it fails."""
    folder.mkdir(parents=True)
    hidden = folder / ".upload"
    try:
        with hidden.open("wb") as file:
            name, size = await _written(request, file, limit)
        await run_in_threadpool(_take, hidden, folder, name, limit)
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(folder)
        raise
    return _title(name), size


def _title(name: str) -> str:
    """What a table is called, after its file; signs that nobody sees are left out."""
    shown = "".join(sign for sign in PurePath(name.replace("\\", "/")).stem if sign.isprintable())
    return shown[:_SHOWN].strip() or "table"


async def _written(request: Request, file: BinaryIO, limit: int) -> tuple[str, int]:
    size = 0

    def take(block: bytes) -> None:
        nonlocal size
        size += len(block)
        if size > limit:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a table of at most {limit / 1e6:,.0f} MB can be sent here")
        file.write(block)

    kind, options = _kind(request)
    if kind != "multipart/form-data":
        async for block in request.stream():
            take(block)
        return request.query_params.get(_NAME, ""), size
    part = _File(take)
    try:
        parser = MultipartParser(options.get("boundary", ""), part.callbacks())
        async for block in request.stream():
            parser.write(block)
        parser.finalize()
    except (ValueError, KeyError):
        raise UsageError("the form is broken; send the table again", where=_WHERE) from None
    return part.name, size


def _kind(request: Request) -> tuple[str, dict[str, str]]:
    message = Message()
    message["content-type"] = request.headers.get("content-type", "application/octet-stream")
    return message.get_content_type(), {key.lower(): value for key, value in message.get_params(failobj=[])[1:]}


def _take(hidden: Path, folder: Path, name: str, limit: int) -> None:
    suffix = PurePath(name.lower()).suffix
    if suffix not in FORMATS:
        raise UsageError(f"a table as a file that ends in {', '.join(FORMATS)} would work", where=_WHERE)
    if not hidden.stat().st_size:
        raise UsageError("it is empty", where=_WHERE)
    if suffix in _ZIPPED:
        _require_small(hidden, limit)
    hidden.rename(folder / f"{ORIGINAL}{suffix}")


def _require_small(path: Path, limit: int) -> None:
    """Refuse a workbook that is small only because it is packed."""
    try:
        with zipfile.ZipFile(path) as packed:
            fits = _unpacked(packed, limit) <= limit
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):  # other packings, or with a password
        raise UsageError("it is not a workbook", where=_WHERE) from None
    if not fits:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"unpacked it has more than {limit / 1e6:,.0f} MB")


def _unpacked(packed: zipfile.ZipFile, limit: int) -> int:
    """The size of everything, unpacked, as soon as it is more than the limit. What an archive says about that may be untrue."""
    parts = packed.infolist()
    size = sum(each.file_size for each in parts)
    if size > limit:
        return size
    size = 0
    for each in parts:
        each.file_size = _ENDLESS  # so that as much is read as there is
        with packed.open(each) as part:
            while size <= limit and (block := part.read(_BLOCK)):
                size += len(block)
    return size
