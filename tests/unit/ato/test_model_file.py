"""Model files: what is written is read, and what was damaged, changed or made otherwise is refused in one line."""

from __future__ import annotations

import hashlib
import pickle
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.forest import file as module
from sfumato.applications.ato.forest import read_model, write_model
from sfumato.errors import DataError
from sfumato.signing.canonical import canonical, parsed
from tests.unit.ato.making import some_forest, some_model, some_rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_model(some_model(), tmp_path / "model.parquet")
    return tmp_path / "model.parquet"


def forged(file: Path, columns: dict[str, Any] | None = None, **header: Any) -> None:
    """Change a file and give it the digest that belongs to what it then says, as a forger would."""
    table = pq.read_table(file)
    record = parsed(table.schema.metadata[b"sfumato"].decode()) | header
    held = {name: table.column(name).to_numpy() for name in table.column_names} | (columns or {})
    found = hashlib.sha256(canonical({name: value for name, value in record.items() if name != "digest"}).encode())
    for array in held.values():
        found.update(np.ascontiguousarray(array).tobytes())
    metadata = {b"sfumato": canonical(record | {"digest": found.hexdigest()}).encode()}
    pq.write_table(pa.table(held).replace_schema_metadata(metadata), file)


def column(file: Path, name: str, place: int, value: Any) -> dict[str, Any]:
    array = pq.read_table(file).column(name).to_numpy().copy()
    array[place] = value
    return {name: array}


def test_a_model_read_back_predicts_the_same(file: Path) -> None:
    fitted, (rows, _) = some_forest(), some_rows(1000, 4)
    model = read_model(file)
    assert np.array_equal(model.forest.scores(rows), fitted.predict_proba(rows)[:, 1])
    assert (model.level, model.seed, model.rows, model.fraudulent) == ("ip", 3, 2000, 0.25)
    assert model.importances == some_model().importances


def test_the_same_model_has_the_same_digest_and_an_honest_forgery_is_read(tmp_path: Path, file: Path) -> None:
    """That `forged` makes readable files is what the refusals below rest on."""
    assert write_model(some_model(), tmp_path / "again.parquet") == write_model(some_model(), tmp_path / "third.parquet")
    forged(file, seed=5)
    assert read_model(file).seed == 5


@pytest.mark.parametrize("name", ["feature", "left", "right", "threshold", "share"])
def test_a_changed_number_is_noticed_by_the_digest(file: Path, name: str) -> None:
    table = pq.read_table(file)
    changed = column(file, name, 5, 1)
    held = {each: table.column(each).to_numpy() for each in table.column_names} | changed
    pq.write_table(pa.table(held).replace_schema_metadata(table.schema.metadata), file)
    with pytest.raises(DataError, match="digest"):
        read_model(file)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("left", 2_000_000, "no later node"),
        ("right", 0, "no later node"),
        ("left", -5, "no later node"),
        ("feature", 7, "does not exist"),
        ("threshold", np.inf, "no number"),
        ("share", -0.1, "between 0 and 1"),
        ("tree", 3, "follow each other"),
        ("threshold", np.nan, "no number"),
        ("share", np.nan, "between 0 and 1"),
        ("feature", -2, "does not exist"),
    ],
)
def test_a_forged_index_is_refused_though_its_digest_fits(file: Path, name: str, value: Any, message: str) -> None:
    forged(file, column(file, name, 0, value))
    with pytest.raises(DataError, match=message) as refused:
        read_model(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"version": 2}, "version 2 of the format"),
        ({"level": "street"}, "level must be one of ip, subnet, country"),
        ({"features": ["age"]}, "its features are not"),
        ({"trees": 2**40}, "not as many as its settings say"),
        ({"trees": 2**31 - 1, "settings": {"trees": 2**31 - 1, "depth": 8, "leaf": 2}}, "more than 10,000"),
        ({"settings": {"trees": 20, "depth": 2, "leaf": 2}}, "deeper than its settings say"),
        ({"trees": "many"}, "trees must be a whole number"),
        ({"importances": [0.5]}, "its features are not"),
        ({"owner": "x"}, "no key of it"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(file: Path, header: dict[str, Any], message: str) -> None:
    forged(file, **header)
    with pytest.raises(DataError, match=message):
        read_model(file)


def test_whatever_a_field_of_the_header_says_it_is_refused_or_harmless(file: Path) -> None:
    rows, _ = some_rows(50, 4)
    expected, whole = read_model(file).forest.scores(rows), file.read_bytes()
    names = parsed(pq.read_schema(file).metadata[b"sfumato"].decode())
    odd = [None, True, -1, 0, 2**53 - 1, 0.5, -0.5, "", "x" * 100_000, [], [None], [2] * 7, {}, {"trees": None}]
    for name, value in product(names, odd):
        forged(file, **{name: value})
        message = refusal(file, rows, expected)
        assert message is None or ("no usable model" in message and len(message) < 600), (name, value)
        file.write_bytes(whole)


def refusal(file: Path, rows: Any, expected: Any) -> str | None:
    """Why a file is refused; None for one whose model gives the scores that are expected."""
    try:
        assert np.array_equal(read_model(file).forest.scores(rows), expected)
    except DataError as refused:
        return str(refused)
    return None


def test_every_index_is_checked_wherever_it_is(file: Path) -> None:
    """A split anywhere that leads back, out of its tree, or where another leads."""
    table, whole = pq.read_table(file), file.read_bytes()
    splits = np.flatnonzero(table.column("feature").to_numpy() >= 0)
    for place in np.random.default_rng(5).choice(splits, 25, replace=False).tolist():
        for name, value in (("left", 0), ("right", 2**31 - 1), ("left", int(table.column("right")[place].as_py()))):
            forged(file, column(file, name, place, value))
            with pytest.raises(DataError, match=r"no later node|not exactly one split"):
                read_model(file)
            file.write_bytes(whole)


def test_a_forged_tree_cannot_make_every_login_walk_forever(file: Path) -> None:
    """Chains of splits: each has a leaf on its left and the rest on its right."""
    splits, trees = 5_000, 21
    feature = np.append(np.tile([0, -1], splits), -1).astype(np.int16)
    places = np.arange(len(feature), dtype=np.int32)
    chain = {
        "tree": np.zeros(len(feature), np.int32),
        "feature": feature,
        "threshold": np.zeros(len(feature)),
        "left": np.where(feature == 0, places + 1, 0).astype(np.int32),
        "right": np.where(feature == 0, places + 2, 0).astype(np.int32),
        "share": np.zeros(len(feature)),
    }
    chains = {name: np.tile(column, trees) for name, column in chain.items()}
    chains["tree"] = np.repeat(np.arange(trees, dtype=np.int32), len(feature))
    forged(file, chains, trees=trees, nodes=len(chains["tree"]), settings={"trees": trees, "depth": 10**6, "leaf": 1})
    with pytest.raises(DataError, match="together more than 100,000 levels"):
        read_model(file)


def number(value: int) -> bytes:
    """A whole number as the footer of a Parquet file has it: zigzag, in pieces of seven bits."""
    value, pieces = value << 1, []
    while value > 127:
        pieces.append(value & 127 | 128)
        value >>= 7
    return bytes([*pieces, value])


def test_a_footer_that_lies_about_the_rows_does_not_make_a_reader_take_them(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal values need no space, so a small file can hold more rows than memory does. Its footer counts them twice."""
    rows, fewer = 3_000_000, 2_100_000
    columns = {name: np.zeros(rows, kind) for name, kind in module._COLUMNS.items()}
    forged(file, columns, nodes=rows)
    stored = file.read_bytes()
    footer = len(stored) - 8 - int.from_bytes(stored[-8:-4], "little")
    at = stored.index(b"\x16" + number(rows), footer) + 1
    file.write_bytes(stored[:at] + number(fewer) + stored[at + len(number(rows)) :])
    assert pq.ParquetFile(file).metadata.num_rows == fewer
    monkeypatch.setattr(module, "MOST_NODES", fewer)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda self: pytest.fail("read"))
    with pytest.raises(DataError, match="not one that 'sfumato ato train' has written"):
        read_model(file)


def test_other_columns_are_refused_before_they_are_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pq.read_table(file)
    pq.write_table(table.append_column("more", pa.array(["x"] * len(table))), file)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda self: pytest.fail("read"))
    with pytest.raises(DataError, match="its columns are not"):
        read_model(file)


def test_other_files_are_refused(tmp_path: Path, file: Path) -> None:
    other = tmp_path / "other"
    for content in (b"", b"hello", pickle.dumps([1, 2]), file.read_bytes()[:-100], file.read_bytes()[100:]):
        other.write_bytes(content)
        with pytest.raises(DataError, match="not a Parquet file, or a damaged one"):
            read_model(other)
    pq.write_table(pa.table({"a": [1]}), other)
    with pytest.raises(DataError, match="not one that"):
        read_model(other)
    with pytest.raises(DataError, match="no such file"):
        read_model(tmp_path / "none")


def test_a_flipped_byte_anywhere_is_refused_or_changes_nothing(file: Path) -> None:
    """Bytes that Parquet does not read, such as statistics, may be flipped; what is read then is the same model."""
    whole, (rows, _) = file.read_bytes(), some_rows(100, 4)
    expected, rng = read_model(file).forest.scores(rows), np.random.default_rng(8)
    refused = 0
    for place in rng.integers(0, len(whole), 150):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << int(rng.integers(8)))]) + whole[place + 1 :])
        try:
            model = read_model(file)
        except DataError:
            refused += 1
        else:
            assert np.array_equal(model.forest.scores(rows), expected)
    assert refused > 100
