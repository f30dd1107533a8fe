"""Logs that are packed: in one way for all formats, to their end, and never as less than they are."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError
from sfumato.searchlog import import_log

TIME = "2006-03-01 07:17:12"
TEXTS = {
    "aol": "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(f'u{n}\t"q{n}\t{TIME}\t\t\n' for n in range(300)),
    "lecture": "User ID,Query,Time\n" + "".join(f"u{n},q{n},{TIME}\n" for n in range(300)),
    "columns": "who;what;when\n" + "".join(f"u{n};q{n};{TIME}\n" for n in range(300)),
    "yandex": "".join(f"{n}\tM\t2\t{n}\n{n}\t0\tQ\t0\t11\t5,6\t70,1\n" for n in range(300)),
}


def with_zstd(raw: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(raw)
        stream.flush()
    return bytes(packed.getvalue())


def zipped(raw: bytes, *more: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("logs")
        archive.writestr("logs/log.txt", raw)
        for name in ("__MACOSX/logs/log.txt", "logs/.DS_Store", *more):
            archive.writestr(name, "x")
    return file.getvalue()


PACKED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gz": ("gzip", gzip.compress),
    "bz2": ("bzip2", bz2.compress),
    "xz": ("xz", lzma.compress),
    "zst": ("zstd", with_zstd),
    "zip": ("ZIP", zipped),
}


def imported(folder: Path, raw: bytes, form: str, name: str) -> Any:
    (folder / name).write_bytes(raw)
    more = {"columns": "user=who,query=what,time=when"} if form == "columns" else {}
    return import_log(folder / name, folder / "log.parquet", format=form, force=True, **more)


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("ending", PACKED)
def test_a_packed_log_is_read_whatever_its_format_and_its_name(ending: str, form: str, tmp_path: Path) -> None:
    for name in (f"log.{ending}", "log"):
        made = imported(tmp_path, PACKED[ending][1](TEXTS[form].encode()), form, name)
        assert (made.rows, made.people, made.rejected) == (300, 300, {})


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("ending", PACKED)
def test_a_damaged_one_is_said_to_be_one_whatever_its_format(ending: str, form: str, tmp_path: Path) -> None:
    name, pack = PACKED[ending]
    packed = pack(TEXTS[form].encode())
    for raw in (packed[:-20], packed[: len(packed) // 2]):
        with pytest.raises(DataError, match=f"log.x: damaged {name} file"):
            imported(tmp_path, raw, form, "log.x")
    assert [path.name for path in tmp_path.iterdir()] == ["log.x"]


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz", "zst"])
def test_streams_one_after_the_other_are_one_log_and_nothing_may_follow(ending: str, tmp_path: Path) -> None:
    """Libraries take rubbish behind a stream for its end, and so a damaged stream behind it."""
    name, pack = PACKED[ending]
    text = TEXTS["aol"].encode()
    parts = pack(text[:2_000]) + pack(text[2_000:])
    assert imported(tmp_path, parts, "aol", "log.x").rows == 300
    with pytest.raises(DataError, match=f"damaged {name} file"):
        imported(tmp_path, parts + b"rubbish", "aol", "log.x")


def test_zeros_that_fill_a_packed_file_up_are_no_harm(tmp_path: Path) -> None:
    assert imported(tmp_path, gzip.compress(TEXTS["aol"].encode()) + bytes(200_000), "aol", "log.gz").rows == 300


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"7z\xbc\xaf\x27\x1c and more", "packed with 7-Zip; unpack it, or pack it with gzip"),
        (b"Rar!\x1a\x07\x01 and more", "packed with RAR; unpack it, or pack it with gzip"),
        (zipped(b"a", "other.txt"), "an archive with 2 files, not with one; unpack it"),
    ],
    ids=["7-Zip", "RAR", "two files"],
)
def test_what_cannot_be_unpacked_is_said_in_the_same_words_for_every_format(
    raw: bytes, message: str, form: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        imported(tmp_path, raw, form, "log.txt")


def test_a_workbook_is_a_table_and_no_archive_and_a_packed_table_is_unpacked(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("who", "what", "when"), ("u1", "tax", TIME)):
        book.active.append(row)
    book.save(tmp_path / "log.xlsx")
    assert imported(tmp_path, (tmp_path / "log.xlsx").read_bytes(), "columns", "log.xlsx").rows == 1
    pq.write_table(pa.table({"who": ["u1"], "what": ["tax"], "when": [TIME]}), tmp_path / "in.parquet")
    assert imported(tmp_path, bz2.compress((tmp_path / "in.parquet").read_bytes()), "columns", "log.parquet.bz2").rows == 1
