"""A published file has its rows and nothing else: what somebody has put beside them, and sealed again, does not verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import NotVerified
from sfumato.searchlog import publish, verify
from sfumato.searchlog.files import read_rows, write_rows
from sfumato.searchlog.publishing.certificate import sha256
from sfumato.searchlog.publishing.container import besides
from sfumato.searchlog.publishing.reading import COUNTS
from tests.forging import forge
from tests.unit.searchlog.logs import searched, write

QUERIES = ("tax", 'mail, "x"', "'quote", "=1+2", "null", "-5", "é")
LOG = [
    searched(user, query, place, 1 if number % 2 else None, "a\rb.example" if number % 2 else None)
    for place, user in enumerate("abc")
    for number, query in enumerate(QUERIES)
]
HIDDEN = "1 is Ann Smith"


def published(folder: Path, name: str) -> Path:
    return publish(write(folder / "log.parquet", LOG), folder / name, threshold=2, sessions="off", seed=1).file


def sealed(release: Path) -> None:
    """A certificate for the file as it is now."""
    forge(release.with_name(f"{release.name}.certificate.json"), {"sha256": sha256(release), "bytes": release.stat().st_size})


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_release_with_any_text_in_it_is_its_rows_alone(name: str, tmp_path: Path) -> None:
    release = published(tmp_path, name)
    sealed(release)
    assert verify(release).counted["queries"] == len(QUERIES)


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_columns_that_are_too_long_for_a_list_of_their_texts_have_nothing_beside_them(name: str, tmp_path: Path) -> None:
    texts = np.char.add("a long query that nobody else has ", np.arange(60_000).astype("U6"))
    table = pa.table({"Period": np.ones(len(texts), int), "Query": texts, "People": np.arange(len(texts))}).cast(COUNTS)
    write_rows(tmp_path / name, COUNTS, table.to_batches())
    assert list(besides(tmp_path / name, read_rows(tmp_path / name, COUNTS, "a test"))) == []


def noted(release: Path) -> None:
    pq.write_table(pq.read_table(release).replace_schema_metadata({"names": HIDDEN}), release)


def noted_beside_a_column(release: Path) -> None:
    table = pq.read_table(release)
    pq.write_table(table.cast(pa.schema([field.with_metadata({"names": HIDDEN}) for field in table.schema])), release)


def between_the_columns_and_the_footer(release: Path) -> None:
    raw = release.read_bytes()
    place = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    release.write_bytes(raw[:place] + HIDDEN.encode() + raw[place:])


def listed_and_in_no_row(release: Path) -> None:
    table = pq.read_table(release)
    column = table.column("Query").combine_chunks().dictionary_encode()
    longer = pa.DictionaryArray.from_arrays(column.indices, pa.concat_arrays([column.dictionary, pa.array([HIDDEN])]))
    pq.write_table(table.set_column(2, "Query", longer), release)


@pytest.mark.parametrize("change", [noted, noted_beside_a_column, between_the_columns_and_the_footer, listed_and_in_no_row])
def test_a_parquet_file_has_nothing_beside_its_rows(change: Callable[[Path], None], tmp_path: Path) -> None:
    release = published(tmp_path, "out.parquet")
    change(release)
    sealed(release)
    with pytest.raises(NotVerified, match="more in it than its rows") as raised:
        verify(release)
    assert "Ann" not in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Id,", b"\xef\xbb\xbfId,"),
        (b"Id,", b'"Id",'),
        (b"\n", b"\r\n"),
        (b"\n1,", b"\n 1,"),
        (b"\n1,", b"\n01,"),
        (b"\n1,", b"\n\n\n1,"),
        (b" 00:00:00", b"T00:00:00"),
        (b" 00:00:00", b" 00:00:00.000000"),
        (b",tax,", b',"tax",'),
    ],
)
def test_a_csv_file_is_as_it_was_written_to_the_byte(old: bytes, new: bytes, tmp_path: Path) -> None:
    release = published(tmp_path, "out.csv")
    raw = release.read_bytes()
    assert old in raw
    release.write_bytes(raw.replace(old, new, 1))
    sealed(release)
    with pytest.raises(NotVerified, match="not written as releases are"):
        verify(release)


@pytest.mark.parametrize("end", [b"\n\n", b""])
def test_a_csv_file_ends_with_its_last_row(end: bytes, tmp_path: Path) -> None:
    release = published(tmp_path, "out.csv")
    release.write_bytes(release.read_bytes().removesuffix(b"\n") + end)
    sealed(release)
    with pytest.raises(NotVerified, match="not written as releases are"):
        verify(release)
