"""Small files that a user names: regular, not too large, UTF-8; and what is said of a document of another shape."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import pytest

from sfumato.errors import DataError, SchemaError, UsageError
from sfumato.inputs import content, parsed_toml, text
from sfumato.inputs.shape import Count, Digest, Misshapen, one_of, require_nothing_more, shaped

KB = 1024


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("é".encode())
    assert (content(tmp_path / "a", KB), text(tmp_path / "a", KB)) == ("é".encode(), "é")
    (tmp_path / "link").symlink_to("a")
    assert text(tmp_path / "link", KB) == "é"


def test_a_pipe_does_not_wait_and_a_device_does_not_fill_the_memory(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="pipe: a pipe, not a file"):
        content(tmp_path / "pipe", KB)
    for device in ("/dev/zero", "/dev/null"):
        with pytest.raises(SchemaError, match=f"{device}: a device, not a file"):
            content(Path(device), KB, error=SchemaError)
    with pytest.raises(DataError, match="a folder, not a file"):
        content(tmp_path, KB)


def test_no_more_is_read_than_may_be(tmp_path: Path) -> None:
    (tmp_path / "most").write_bytes(bytes(64 * KB))
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    assert len(content(tmp_path / "most", 64 * KB)) == 64 * KB
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="huge: larger than 64 kB, the most that such a file may have"):
            content(tmp_path / "huge", 64 * KB)
        assert tracemalloc.get_traced_memory()[1] < 1024 * KB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere", "gone"),
        ("a\0b", "a name with a zero byte"),
        ("x" * 300, "File name too long"),
        ("loop", "symbolic link"),
        ("a/b", "Not a dir"),
    ],
)
def test_a_name_that_no_file_has(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=says) as caught:
        content(tmp_path / name, KB, error=UsageError, missing="gone")
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_what_is_not_utf_8_is_told_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"one\ntwo \xe9\n")
    with pytest.raises(DataError, match="latin: not UTF-8 in line 2"):
        text(tmp_path / "latin", KB)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("x = " + "[" * 100_000, "nested too deeply"),
        ("x = " + "{a=" * 100_000, "nested too deeply"),
        (".".join(["a"] * 20_000) + " = 1", "nested too deeply"),
        ("[" + " . ".join(['"a"'] * 20_000) + "]", "nested too deeply"),
        ("x = " + "9" * 5_000, "a number with too many digits"),
        ("x = 1\nx = 2", "not TOML: Cannot overwrite a value"),
    ],
    ids=range(6),
)
def test_toml_that_a_parser_cannot_follow(document: str, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        parsed_toml(document, error=SchemaError)


def test_toml_as_editors_write_it() -> None:
    addresses = ", ".join(f'"10.0.0.{n}"' for n in range(100))
    assert parsed_toml("\ufeffx = 1.50\r\n", error=SchemaError) == {"x": Decimal("1.50")}
    assert len(parsed_toml(f"x = [\n{addresses}\n]", error=SchemaError)["x"]) == 100


class Inner(TypedDict):
    """A table within."""

    count: Count
    word: NotRequired[Annotated[str, one_of("row", "owner")]]


@dataclass(frozen=True)
class Outer:
    """A document."""

    digest: Digest
    inner: Inner
    named: Mapping[str, Count]
    listed: Sequence[Inner]
    share: float = 0.5


GOOD: dict[str, Any] = {"digest": "0" * 64, "inner": {"count": 1}, "named": {"a": 1}, "listed": [{"count": 0}]}
SECRET = "Rumpelstilzchen"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"digest": SECRET}, "digest must be 64 hexadecimal digits in small letters (at document.digest)"),
        ({"digest": 5}, "digest must be a text (at document.digest)"),
        ({"inner": {}}, "count is missing (at document.inner)"),
        ({"inner": {"count": True}}, "count must be a whole number (at document.inner.count)"),
        ({"inner": {"count": 1.0}}, "count must be a whole number (at document.inner.count)"),
        ({"inner": {"count": -1}}, "count must be a whole number of at least 0 (at document.inner.count)"),
        ({"inner": {"count": 2**60}}, f"count must be a whole number of at most {2**53} (at document.inner.count)"),
        ({"inner": {"count": 1, "word": SECRET}}, "word must be one of row, owner (at document.inner.word)"),
        ({"inner": {"count": 1, "more": SECRET}}, "'more' has no value, or is no key of it (at document.inner)"),
        ({"named": {SECRET: SECRET}}, "named must be a whole number (at document.named[...])"),
        ({"named": [SECRET]}, "named must be a table (at document.named)"),
        ({"listed": [{"count": 1}, SECRET]}, "listed must be a table (at document.listed[1])"),
        ({"listed": None}, "listed must be a list (at document.listed)"),
        ({"share": SECRET}, "share must be a number (at document.share)"),
        ({"extra": SECRET}, "'extra' has no value, or is no key of it (at document)"),
    ],
    ids=str,
)
def test_what_is_wrong_is_told_by_key_and_kind_and_never_by_value(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(Misshapen) as caught:
        read({**GOOD, **changed})
    assert str(caught.value) == says
    assert caught.value.__context__ is None


@pytest.mark.parametrize("document", [None, [], "x", 5, {}], ids=str)
def test_a_document_of_another_kind(document: Any) -> None:
    with pytest.raises(Misshapen, match=r"document must be a table \(at document\)|digest is missing \(at document\)"):
        read(document)


def read(document: Any) -> Outer:
    from dataclasses import asdict

    made = shaped(document, Outer, "document")
    require_nothing_more(document, asdict(made), "document")
    return made


def test_a_good_document_is_taken_as_it_is() -> None:
    assert read(GOOD) == Outer(**GOOD)
