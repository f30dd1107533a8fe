"""A path that exists is that file and nothing else, however it is called."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError
from tests.conftest import Ended

Run = Callable[..., Ended]
ONE = '[attributes.q]\nrole = "quasi"\n'
NAMES = [
    "a[1]", "*", "?", "[!a]", "a[", "{a,b}", "**", "\\*", "b\\c", "it's", 'say "x"', "new\nline", "100%", "p%20q", "-x", "~", "~root",
    "k=v", "naïve 年", "s3:", "a;b", "$HOME", "a]b", "\udce9",
]  # fmt: skip
DECOYS = ["a1", "b", "ab", "a", "x"]


def write(path: Path, text: str) -> Path:
    if path.suffix == ".parquet":
        with path.open("wb") as file:  # pyarrow takes some names for addresses
            pq.write_table(pa.table({"q": [text]}), file)
    else:
        path.write_text(f"q\n{text}\n")
    return path


def values(data: object, **options: str) -> list[str]:
    with sf.Table.open(data, sf.Schema.parse(ONE), **options) as table:
        assert table.columns == ("q",)
        counts = table.count()
        return sorted(counts.labels(number)[0] for number in range(1, counts.classes + 1))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in DECOYS:
        write(tmp_path / f"{name}.csv", "wrong")
        pq.write_table(pa.table({"q": ["wrong"]}), tmp_path / f"{name}.parquet")
    return tmp_path


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_name_is_no_pattern(here: Path, name: str, suffix: str) -> None:
    source = write(here / f"{name}.{suffix}", "right")
    assert values(f"{name}.{suffix}") == values(source) == ["right"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "\udce9"], ids=ascii)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_release_is_written_and_read_under_its_own_name(here: Path, name: str, suffix: str) -> None:
    folder = here / name
    folder.mkdir()
    source = write(folder / f"in.{suffix}", "right")
    output = folder / f"{name}.{suffix}"
    release = sf.publish(source, sf.Schema.parse(ONE), node=[0], output=output, temp=folder)
    assert release.to_arrow()["q"].to_pylist() == ["right"]
    assert values(output) == ["right"]
    assert sf.verify(output).rows == 1


@pytest.mark.parametrize("scheme", ["s3", "http", "file", "gs"])
def test_a_relative_path_that_looks_like_an_address_is_a_file(here: Path, scheme: str) -> None:
    (here / f"{scheme}:" / "bucket").mkdir(parents=True)
    write(here / f"{scheme}:" / "bucket" / "x.csv", "right")
    assert values(f"{scheme}://bucket/x.csv") == ["right"]


def test_a_folder_on_the_way_is_no_column(here: Path) -> None:
    deep = here / "k=v" / "q=wrong"
    deep.mkdir(parents=True)
    for name in ("x.csv", "x.parquet"):
        assert values(write(deep / name, "right")) == ["right"]


@pytest.mark.parametrize("given", ["k=v", "k=v/", "k=v/*/*.parquet", "k=v/q2=*/*.parquet"])
def test_partitions_are_columns_below_the_folder_that_was_given(here: Path, given: str) -> None:
    for country in ("fr", "i*t"):
        folder = here / "k=v" / f"q2={country}"
        folder.mkdir(parents=True)
        write(folder / "part[1].parquet", "1")
    schema = sf.Schema.parse(ONE + '[attributes.q2]\nrole = "quasi"\n')
    for temp in (None, here / "k=v"):
        with sf.Table.open(given, schema, temp=temp) as table:
            assert table.columns == ("q", "q2")
            counts = table.count()
        assert [counts.labels(number) for number in (1, 2)] == [("1", "fr"), ("1", "i*t")]


def test_a_pattern_matches_and_each_match_is_literal(here: Path) -> None:
    folder = here / "many"
    folder.mkdir()
    write(folder / "a[1].parquet", "one")
    write(folder / "a1.parquet", "two")
    assert values("many/a[[]*.parquet") == ["one"]
    assert values(f"{folder}/*") == values(folder) == ["one", "two"]


def test_a_link_to_a_file_is_the_file(here: Path) -> None:
    write(here / "a[1].csv", "right")
    (here / "link.csv").symlink_to("a[1].csv")
    assert values("link.csv") == ["right"]


NOT_FILES: dict[str, Callable[[Path], object]] = {
    "pipe": lambda place: os.mkfifo(place),
    "device": lambda place: place.symlink_to("/dev/zero"),
    "link to a pipe": lambda place: (os.mkfifo(place.with_suffix(".pipe")), place.symlink_to(place.with_suffix(".pipe"))),
}


@pytest.mark.parametrize("make", NOT_FILES.values(), ids=NOT_FILES)
@pytest.mark.parametrize("given", ["{0}/x.parquet", "{0}", "{0}/*.parquet", "{0}/[x].parquet"])
def test_what_may_never_end_is_refused_at_once(tmp_path: Path, make: Callable[[Path], object], given: str) -> None:
    pq.write_table(pa.table({"q": ["1"]}), tmp_path / "a.parquet")
    make(tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x\.parquet: not a file that can be read twice; write it to a file first"):
        values(given.format(tmp_path))


def test_a_link_to_nothing_is_refused(sfumato: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").symlink_to("nowhere")
    ended = sfumato("profile", tmp_path / "x.csv")
    assert (ended.status, ended.err) == (2, f"sfumato: {tmp_path}/x.csv: cannot be read: No such file or directory\n")


def test_a_folder_that_cannot_be_listed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files would be missing without a word."""
    (tmp_path / "closed").mkdir()
    pq.write_table(pa.table({"q": ["1"]}), tmp_path / "a.parquet")
    scan = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(DataError, match="closed: cannot be read: Permission denied"):
        values(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_vanishes_is_reported_in_one_line(tmp_path: Path, suffix: str) -> None:
    source = write(tmp_path / f"x.{suffix}", "1")
    with sf.Table.open(source, sf.Schema.parse(ONE)) as table:
        source.unlink()
        with pytest.raises(DataError, match="cannot be read"):
            table.count()
        with pytest.raises(DataError, match="cannot be read: No such file or directory"):
            table.digest()
