"""First lines as other programs write them: without a name for the index, with a title above, packed; and options that do not fit."""

from __future__ import annotations

import bz2
import lzma
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataError, SchemaError, UsageError


def people(count: int = 60) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [20 + n % 40 for n in range(count)],
            "sex": ["mf"[n % 2] for n in range(count)],
            "ill": ["abc"[n % 3] for n in range(count)],
        }
    )


def test_a_column_without_a_name_is_called_by_its_place(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "r.csv")  # with an index that has no name, as pandas and R write it
    profiled = sf.profile(tmp_path / "r.csv")
    assert [each.name for each in profiled.schema.attributes] == ["column_1", "age", "sex", "ill"]
    assert profiled.schema["column_1"].role.value == "identifier"
    sf.publish(tmp_path / "r.csv", profiled.schema, quasi=["age"], node={"age": 0}, output=tmp_path / "out.csv")
    assert sorted(pd.read_csv(tmp_path / "out.csv")["age"]) == sorted(people()["age"])


def test_a_delimiter_at_the_end_of_every_line_is_an_empty_column(tmp_path: Path) -> None:
    text = people().to_csv(index=False, sep=";").replace("\n", ";\n")
    (tmp_path / "end.csv").write_text(text)
    assert [each.name for each in sf.profile(tmp_path / "end.csv").schema.attributes] == ["age", "sex", "ill", "column_4"]


def test_a_title_above_the_header_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "title.csv").write_text("Export vom 01.02.2024\n\n" + people().to_csv(index=False, sep=";"))
    with pytest.raises(
        DataError, match="seems to be a title: below it there are 3 fields, divided by ';'; remove the lines above"
    ):
        sf.profile(tmp_path / "title.csv")
    book = openpyxl.Workbook()
    for row in (["Patients of 2024"], [], ["age", "sex", "ill"], [40, "m", "flu"], [41, "f", "flu"]):
        book.active.append(row)
    book.save(tmp_path / "title.xlsx")
    with pytest.raises(DataError, match="is it a title"):
        sf.profile(tmp_path / "title.xlsx")


def test_one_column_of_texts_with_commas_is_no_title(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("note\n" + "".join(f'"a{n}, b"\n' if n % 2 else f"c{n}\n" for n in range(40)))
    assert [each.name for each in sf.profile(tmp_path / "notes.csv").schema.attributes] == ["note"]


def test_packed_files_say_what_would_work(tmp_path: Path) -> None:
    text = people().to_csv(index=False).encode()
    (tmp_path / "a.csv.bz2").write_bytes(bz2.compress(text))
    (tmp_path / "a.csv.xz").write_bytes(lzma.compress(text))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.csv", text)
    for name, packed in (("a.csv.bz2", "bzip2"), ("a.csv.xz", "xz"), ("a.zip", "ZIP")):
        with pytest.raises(DataError, match=f"packed with {packed}; unpack it, or pack it with gzip"):
            sf.profile(tmp_path / name)


@pytest.fixture
def german(tmp_path: Path) -> Path:
    rows = "".join(f"{n % 28 + 1:02}.{n % 12 + 1:02}.19{60 + n % 30};{1000 + n},5\n" for n in range(80))
    (tmp_path / "de.csv").write_text("geboren;Kosten\n" + rows)
    return tmp_path / "de.csv"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dates": "mm.dd.yyyy"}, DataError, "no date is written as mm.dd.yyyy; dd.mm.yyyy would fit column 'geboren'"),
        ({"dates": "geboren=mm/dd/yyyy"}, DataError, "no date is written as mm/dd/yyyy"),
        ({"decimal": "."}, DataError, "column 'Kosten' has numbers such as 1234,5"),
        ({"sheet": "X"}, UsageError, "de.csv is not a workbook; leave it out"),
        ({"table": "X"}, UsageError, "de.csv is not a database; leave it out"),
        ({"query": "select 1"}, UsageError, "de.csv is not a database; leave it out"),
    ],
)
def test_options_that_contradict_the_file_are_refused(
    german: Path, options: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sf.profile(german, **options)
    assert sf.profile(german, dates="dd.mm.yyyy", decimal=",").schema["geboren"].kind.value == "date"


def test_a_word_among_numbers_is_told(tmp_path: Path) -> None:
    frame = people(500).assign(age=[str(20 + n % 60) if n else "Rumpelstilzchen" for n in range(500)])
    frame.to_csv(tmp_path / "odd.csv", index=False)
    (line,) = [line for line in sf.profile(tmp_path / "odd.csv").read_as if "age" in line]
    assert line.startswith("Left as texts in age: 1 value of 61 is no number; if that means missing, say missing = ")
    assert "Rumpelstilzchen" not in line


def test_texts_of_a_frame_are_texts(tmp_path: Path) -> None:
    """A frame has missing values of its own: `NA` is Namibia."""
    countries = ["NA", "DE", "FR", None] * 50
    frame = pd.DataFrame(
        {
            "age": [20 + n % 10 for n in range(200)],
            "country": countries,
            "note": ["", "?", "null", "nan"] * 50,
            "ill": ["a", "b"] * 100,
        }
    )
    schema = sf.Schema.of(frame, quasi=["age", "country"], sensitive="ill", plain="note")
    released = sf.anonymize(frame, schema, k=2).frame
    assert sorted(released["country"].dropna().unique()) == ["DE", "FR", "NA"]
    assert released["country"].isna().sum() == 50
    assert sorted(released["note"].unique()) == ["", "?", "nan", "null"]
    frame.to_csv(tmp_path / "file.csv", index=False)
    assert "NA" in sf.profile(tmp_path / "file.csv").schema.missing  # a file says no more than its texts do


def test_a_frame_without_a_schema_hears_what_to_say() -> None:
    with pytest.raises(SchemaError, match="quasi="):
        sf.anonymize(people(), k=5)


def test_both_releases_of_a_table_that_is_not_plain_are_compared(german: Path) -> None:
    text = german.read_text().splitlines()
    german.write_text("\n".join([text[0] + ";ill", *(f"{line};{'ab'[n % 2]}" for n, line in enumerate(text[1:]))]) + "\n")
    schema = (
        sf.profile(german).schema.with_role("geboren", "quasi").with_role("Kosten", "identifier").with_role("ill", "sensitive")
    )
    top = schema["geboren"].height()
    for level, name in ((top - 1, "a.csv"), (top, "b.csv")):
        sf.publish(german, schema, node={"geboren": level}, output=german.with_name(name))
    compared = sf.compare(german.with_name("a.csv"), german.with_name("b.csv"), schema, original=german)
    assert compared.together is not None
    assert compared.together.people == 80


def test_safe_harbor_reads_dates_as_they_are_written(tmp_path: Path) -> None:
    rows = "".join(f"{n % 28 + 1:02}-{n % 12 + 1:02}-{2000 + n % 9},{20 + n % 60},{'ab'[n % 2]}\n" for n in range(200))
    (tmp_path / "stays.csv").write_text("admission,age,ill\n" + rows)
    begun = sf.init(tmp_path / "stays.csv", output=tmp_path / "begun", template="hipaa-safe-harbor")
    release = sf.publish(tmp_path / "stays.csv", begun.files[0], node=dict(begun.node or {}), output=tmp_path / "out.csv")
    assert set(pd.read_csv(release.path, dtype=str)["admission"]) == {str(2000 + n) for n in range(9)}
