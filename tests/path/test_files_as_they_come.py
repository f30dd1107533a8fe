"""Files as they come out of other systems: what a profile takes them for is right, it says so, and the next run reads the same."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, SchemaError, UsageError

# What the people in these files are: a name, a code, a date, a number with a fraction and a count; None where it is missing.
PEOPLE = [
    ("Jürgen Weiß", "00123", date(1985, 4, 3), 1234.56, 1200),
    ("Zoë, née Brontë", "04567", date(1999, 12, 31), 12.5, 15),
    ('O’Neill "Ned"', "89012", date(1970, 1, 5), None, 1000000),
    ("Ana\nMaría", "00007", date(2004, 2, 29), 0.75, None),
    ("François", "99999", date(1985, 4, 13), 1000000.25, 7),
]
NAMES = ("who", "code", "born", "pay", "items")
Row = tuple[str, str, date, float | None, int | None]


def number(value: float | None, decimal: str, thousands: str, missing: str) -> str:
    if value is None:
        return missing
    text = f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
    return text.translate(str.maketrans({",": thousands, ".": decimal}))


def written(
    people: list[Row], delimiter: str, dates: str, decimal: str, thousands: str, missing: str = "", line: str = "\r\n"
) -> str:
    """The people as a text file."""

    def cell(text: str) -> str:
        quoted = any(sign in text for sign in (delimiter, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if quoted else text

    rows = [[*NAMES]]
    for who, code, born, pay, items in people:
        numbers = [number(pay, decimal, thousands, missing), number(items, decimal, thousands, missing)]
        rows.append([who, code, born.strftime(dates), *numbers])
    return "".join(delimiter.join(map(cell, row)) + line for row in rows)


@pytest.fixture
def taken(tmp_path: Path) -> Callable[..., tuple[Any, list[Row]]]:
    """The profile of a file, and the people as they are published under it by a later run."""

    def read(content: bytes, name: str = "people.csv", **options: Any) -> tuple[Any, list[Row]]:
        data, schema = tmp_path / name, tmp_path / "schema.toml"
        data.write_bytes(content)
        profile = sf.profile(data, **options)
        roles = {each: f'[attributes.{each}]\nrole = "quasi"' for each in NAMES}
        text = profile.to_toml()
        for each, role in roles.items():
            for other in ("identifier", "sensitive", "plain", "owner"):
                text = text.replace(f'[attributes.{each}]\nrole = "{other}"', role)
        schema.write_text(text, encoding="utf-8")
        sf.publish(data, schema, node=[0] * 5, output=tmp_path / "out.parquet", force=True)
        table = pq.read_table(tmp_path / "out.parquet")
        rows = list(zip(*(table[each].to_pylist() for each in NAMES), strict=True))
        return profile, sorted(rows)

    return read


GERMAN = written(PEOPLE, ";", "%d.%m.%Y", ",", ".", missing="-")


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("windows-1252", "windows-1252"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_encodings(taken: Callable[..., Any], encoding: str, said: str | None, packed: bool) -> None:
    content = GERMAN.replace("\nMaría", " María") if encoding.startswith("utf-16-") else GERMAN
    people = [(row[0].replace("\n", " ") if content is not GERMAN else row[0], *row[1:]) for row in PEOPLE]
    raw = content.encode(encoding)
    profile, rows = taken(gzip.compress(raw) if packed else raw, "people.csv.gz" if packed else "people.csv")
    assert rows == sorted(people)
    assert profile.schema.source.encoding == said
    assert (said is None) == (not any("encoding" in line for line in profile.read_as))


@pytest.mark.parametrize("delimiter", [";", "\t", "|", ","])
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_delimiters_and_line_ends(taken: Callable[..., Any], delimiter: str, line: str) -> None:
    people = [(row[0].replace("\n", line), *row[1:]) for row in PEOPLE]
    content = written(people, delimiter, "%d.%m.%Y", ",", ".", line=line)  # numbers with commas are quoted between commas
    profile, rows = taken(content.encode())
    assert rows == sorted(people)
    assert profile.schema.source.delimiter == (None if delimiter == "," else delimiter)


@pytest.mark.parametrize(
    ("decimal", "thousands"),
    [(",", "."), (".", ","), (",", " "), (",", "\u00a0"), (".", "'"), (",", "\u202f"), (".", ""), (",", "")],
)
def test_signs_of_numbers(taken: Callable[..., Any], decimal: str, thousands: str) -> None:
    profile, rows = taken(written(PEOPLE, ";", "%Y-%m-%d", decimal, thousands).encode())
    assert rows == sorted(PEOPLE)
    spaces = {"\u00a0": " ", "\u202f": " ", "": None}
    assert (profile.schema.source.decimal or ".", profile.schema.source.thousands) == (decimal, spaces.get(thousands, thousands))


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        ("%d.%m.%Y", "dd.mm.yyyy"),
        ("%m/%d/%Y", "mm/dd/yyyy"),
        ("%d/%m/%Y", "dd/mm/yyyy"),
        ("%Y/%m/%d", "yyyy/mm/dd"),
        ("%d-%m-%Y", "dd-mm-yyyy"),
        ("%Y-%m-%d", None),
    ],
)
def test_orders_of_dates_are_told_apart_by_the_data(taken: Callable[..., Any], dates: str, said: str | None) -> None:
    profile, rows = taken(written(PEOPLE, ";", dates, ".", "").encode())
    assert rows == sorted(PEOPLE)
    assert profile.schema["born"].written.format == said
    assert (said is None) == (not any("born" in line for line in profile.read_as))


@pytest.mark.parametrize(
    ("times", "moments"),
    [
        ("%d.%m.%Y %H:%M", [datetime(2021, 4, 3, 7, 5), datetime(1999, 12, 31, 19, 0)]),
        ("%m/%d/%Y %I:%M:%S %p", [datetime(2021, 4, 13, 0, 5, 59), datetime(1999, 12, 31, 12, 0)]),
    ],
)
def test_dates_with_times(tmp_path: Path, times: str, moments: list[datetime]) -> None:
    (tmp_path / "seen.csv").write_text("\n".join(["seen", *(moment.strftime(times) for moment in moments)]) + "\n")
    profile = sf.profile(tmp_path / "seen.csv")
    release = sf.publish(tmp_path / "seen.csv", profile.schema, node=[0], output=tmp_path / "out.parquet")
    assert sorted(release.to_arrow()["seen"].to_pylist()) == sorted(moments)


def test_dates_that_can_be_read_in_two_ways_are_asked_for(taken: Callable[..., Any], tmp_path: Path) -> None:
    people = [(*row[:2], row[2].replace(day=min(row[2].day, 12)), *row[3:]) for row in PEOPLE]
    both = written(people, ";", "%d/%m/%Y", ".", "").encode()
    with pytest.raises(DataError, match=r"column 'born'.*say dates='dd/mm/yyyy' or dates='mm/dd/yyyy'"):
        taken(both)
    assert taken(both, dates="dd/mm/yyyy")[1] == sorted(people)
    assert taken(both, dates="born=dd/mm/yyyy")[1] == sorted(people)
    swapped = [(*row[:2], row[2].replace(day=row[2].month, month=row[2].day), *row[3:]) for row in people]
    assert taken(both, dates="mm/dd/yyyy")[1] == sorted(swapped)


def test_another_column_with_the_same_sign_decides_the_order(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("born,seen\n03/04/2021,25/12/2021\n05/06/2021,01/02/2021\n")
    profile = sf.profile(tmp_path / "x.csv")
    assert profile.schema["born"].written.format == "dd/mm/yyyy"
    assert "Taken in born, seen: dates dd/mm/yyyy." in profile.read_as


@pytest.mark.parametrize(
    ("cells", "where"),
    [
        (["1,234", "5,678"], r"decimal=',' or thousands=','"),
        (["1,5;1.234", "2,5;5.678"], r"thousands='.' or decimal='.'"),
        (["1.234", "567"], r"thousands='.' or decimal='.'"),
    ],
)
def test_numbers_that_can_be_read_in_two_ways_are_asked_for(tmp_path: Path, cells: list[str], where: str) -> None:
    names = ";".join("ab"[: cells[0].count(";") + 1])
    (tmp_path / "x.csv").write_text("\n".join([names, *cells]) + "\n")
    with pytest.raises(DataError, match=where):
        sf.profile(tmp_path / "x.csv", delimiter=";")


def test_points_before_three_digits_are_decimal_signs_if_nothing_is_said_against_it_and_that_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1.234\n5.678\n")
    profile = sf.profile(tmp_path / "x.csv")
    assert profile.schema["a"].kind is not None
    assert profile.schema["a"].kind.value == "decimal"
    assert profile.read_as == ("Taken in a: points for decimal signs, though three digits follow every one.",)
    (tmp_path / "x.csv").write_text("a\n1.234\n567\n")
    assert sf.profile(tmp_path / "x.csv", thousands=".").schema["a"].kind.value == "integer"  # type: ignore[union-attr]
    assert sf.profile(tmp_path / "x.csv", decimal=".").schema["a"].kind.value == "decimal"  # type: ignore[union-attr]
    (tmp_path / "x.csv").write_text("a,b\n1.234,0.5\n567,2.25\n")
    assert sf.profile(tmp_path / "x.csv").read_as == ()  # the other column has decimal points


def test_another_column_decides_what_a_comma_is(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a;b\n1,234;0.5\n5,678;2.25\n")
    assert sf.profile(tmp_path / "x.csv").schema.source.thousands == ","
    (tmp_path / "x.csv").write_text("a;b\n1,234;0,5\n5,678;2,25\n")
    assert sf.profile(tmp_path / "x.csv").schema.source.decimal == ","


def test_columns_of_one_table_may_differ(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a;b\n1,5;12.5\n2,5;13.25\n")
    profile = sf.profile(tmp_path / "x.csv")
    schema = sf.Schema.parse(profile.to_toml())
    assert schema["b"].written.format == "1234.5"
    table = sf.publish(tmp_path / "x.csv", schema, node=[0, 0]).to_arrow()
    assert sorted(zip(table["a"].to_pylist(), table["b"].to_pylist(), strict=True)) == [(1.5, 12.5), (2.5, 13.25)]


def test_a_number_that_is_not_written_as_declared_is_refused_and_never_misread(tmp_path: Path) -> None:
    """Under a decimal comma, a point is no decimal sign."""
    schema = sf.Schema.parse('[source]\ndecimal = ","\n[attributes.a]\nrole = "quasi"\ntype = "decimal"\n')
    for text in ("1.5", "1.234", "1,2,3"):
        (tmp_path / "x.csv").write_text(f'a\n"2,5"\n"{text}"\n')
        with pytest.raises(DataError, match="1 distinct value does not fit type 'decimal'"):
            sf.publish(tmp_path / "x.csv", schema, node=[0])


def test_words_for_missing_values_are_taken_only_where_they_stand_for_one(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("n,mark,when\n1,-,2020-01-01\n-,+,.\n3,.,2020-01-02\nn/a,-,2020-01-03\n")
    profile = sf.profile(tmp_path / "x.csv")
    assert profile.schema["n"].written.missing == ("-",)
    assert profile.schema["when"].written.missing == (".",)
    assert profile.schema["mark"].written.missing == ()
    assert [profile.schema[name].kind.value for name in ("n", "mark", "when")] == ["integer", "text", "date"]
    schema = sf.Schema.parse(profile.to_toml())
    table = sf.publish(tmp_path / "x.csv", schema, quasi=["n", "mark", "when"], node=[0, 0, 0]).to_arrow()
    rows = list(zip(*(table[name].to_pylist() for name in ("n", "mark", "when")), strict=True))
    assert sorted(rows, key=str) == sorted(
        [(1, "-", date(2020, 1, 1)), (None, "+", None), (3, ".", date(2020, 1, 2)), (None, "-", date(2020, 1, 3))], key=str
    )


def test_a_file_without_a_header_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("41,flu,2020-01-01\n52,cold,2020-01-02\n41,flu,2020-01-03\n")
    with pytest.raises(DataError, match=r"may be a record.*header=False.*column_1") as caught:
        sf.profile(tmp_path / "x.csv")
    assert "41" not in str(caught.value)
    profile = sf.profile(tmp_path / "x.csv", header=False)
    assert profile.rows == 3
    assert profile.schema.source.header is False
    with sf.Table.open(tmp_path / "x.csv", sf.Schema.parse(profile.to_toml())) as table:
        assert table.columns == ("column_1", "column_2", "column_3")
        assert table.count().total_rows == 3


def test_a_first_line_that_repeats_a_value_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("41,41,secret,secret\n1,2,a,b\n")
    with pytest.raises(DataError, match="seems to be a record") as caught:
        sf.profile(tmp_path / "x.csv")
    assert "secret" not in str(caught.value)


def test_years_as_names_are_names_if_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("country,2019,2020\nfr,1,2\nit,3,4\n")
    with pytest.raises(DataError, match="header=True"):
        sf.profile(tmp_path / "x.csv")
    profile = sf.profile(tmp_path / "x.csv", header=True)
    assert (profile.rows, [each.name for each in profile.schema.attributes]) == (2, ["country", "2019", "2020"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
def test_the_line_by_which_spreadsheets_state_the_delimiter(taken: Callable[..., Any], encoding: str) -> None:
    content = "sep=|\r\n" + written(PEOPLE, "|", "%d.%m.%Y", ",", ".")
    profile, rows = taken(content.encode(encoding))
    assert rows == sorted(PEOPLE)
    assert profile.schema.source.delimiter == "|"


@pytest.mark.parametrize("encoding", ["cp437", "cp1250", "cp1251", "mac-roman", "iso8859-7"])
def test_other_encodings_are_asked_for(tmp_path: Path, encoding: str) -> None:
    names = {"cp1250": "Małgorzata", "cp1251": "Наталья", "iso8859-7": "Ελένη"}
    who = names.get(encoding, "Jürgen")
    (tmp_path / "x.csv").write_bytes(f"who,n\n{who},1\n".encode(encoding))
    with pytest.raises(DataError, match=r"line 2: not UTF-8.*encoding"):
        sf.profile(tmp_path / "x.csv")
    schema = sf.Schema.parse('[attributes.who]\nrole = "quasi"\n')
    with sf.Table.open(tmp_path / "x.csv", schema, encoding=encoding) as table:
        assert table.count().labels(1) == (who,)


def test_a_wrong_encoding_says_where(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("who,n\nAnna,1\nJürgen,2\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"x.csv, line 3: not UTF-8; name its encoding with encoding"):
        sf.profile(tmp_path / "x.csv", encoding="utf-8")
    with pytest.raises(DataError, match=r"x.csv, line 3: not UTF-8"):
        sf.profile(tmp_path / "x.csv", encoding="ascii")
    with pytest.raises(UsageError, match="no encoding 'klingon'"):
        sf.profile(tmp_path / "x.csv", encoding="klingon")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": "x"}, "decimal: one of '.'  ',' would work"),
        ({"thousands": "_"}, "thousands: one of"),
        ({"decimal": ",", "thousands": ","}, "are the same"),
        ({"dates": "yy.mm.dd"}, "dates: 'yy.mm.dd': the last year that can occur"),
        ({"delimiter": "ab"}, "a delimiter is one character"),
    ],
)
def test_what_is_no_dialect_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(UsageError) as caught:
        sf.profile(tmp_path / "x.csv", **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[source]\nencodng = "x"\n', "did you mean 'encoding'"),
        ('[source]\nheader = "no"\n', "'header' is true or false"),
        ("[source]\ndecimal = 1\n", "'decimal' is a text"),
        ('[source]\nencoding = "klingon"\n', "[source] encoding: no encoding 'klingon'"),
        ('[attributes.b]\nrole = "quasi"\nformat = "dd.mm.yyyy"\n', "a format is for type"),
        ('[attributes.b]\nrole = "quasi"\ntype = "date"\nformat = "1.234,5"\n', "is no way to write dates"),
        ('[attributes.b]\nrole = "quasi"\ntype = "decimal"\nformat = "1.234.5"\n', "is no way to write numbers"),
        ('[attributes.b]\nrole = "quasi"\nmissing = "-"\n', "'missing' must be a list of texts"),
    ],
)
def test_what_a_schema_says_wrongly_about_reading(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as caught:
        sf.Schema.parse(f'{text}[attributes.a]\nrole = "quasi"\n')
    assert message in str(caught.value)


def test_a_schema_that_says_nothing_about_reading_has_the_digest_it_had() -> None:
    schema = sf.Schema.parse('[attributes.a]\nrole = "quasi"\n')
    assert "[source]" not in schema.to_toml()
    assert sf.Schema.parse('[source]\ndelimiter = ";"\n[attributes.a]\nrole = "quasi"\n').digest() != schema.digest()
    plain = [{"missing": [""], "suppressed": "drop"}, [["a", {"role": "quasi"}]]]  # what was digested before [source] existed
    assert schema.digest() == hashlib.sha256(json.dumps(plain).encode()).hexdigest()


def test_every_verb_reads_what_the_schema_says_and_releases_are_plain(tmp_path: Path) -> None:
    """Publish, verify, check and measure a table in German spelling; a recipe makes the same release again."""
    people = [row for row in PEOPLE for _ in range(4)]
    data, place = tmp_path / "leute.csv", tmp_path / "schema.toml"
    data.write_bytes(written(people, ";", "%d.%m.%Y", ",", ".", missing="-").encode("cp1252"))
    schema = sf.profile(data).schema.with_role("pay", "sensitive").with_role(["born", "items"], "quasi")
    place.write_text(schema.to_toml(), encoding="utf-8")
    for output in (tmp_path / "out.csv", tmp_path / "out.parquet"):
        options = {"models": ["k-anonymity:4"], "quasi": ["born", "items"]}
        recipe = output.with_suffix(output.suffix + ".toml")
        made = sf.anonymize(data, place, output=output, recipe=recipe, **options)
        assert made.release.certificate.people == 20
        assert sf.verify(output).rows == 20
        assert all(verdict.satisfied for verdict in sf.check(output, place, models=["k-anonymity:4"], original=data).verdicts)
        assert sf.measure(output, place, original=data) is not None
        before = output.read_bytes()
        sf.anonymize(recipe=recipe, force=True)
        assert output.read_bytes() == before
        output.with_name(f"{output.name}.certificate.json").unlink()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_file_in_unicode_is_not_misread_under_an_older_encoding(tmp_path: Path, encoding: str) -> None:
    """The export was mended, the schema was not."""
    (tmp_path / "x.csv").write_bytes("who,n\nJürgen,1\n".encode(encoding))
    schema = sf.Schema.parse('[source]\nencoding = "windows-1252"\n[attributes.who]\nrole = "quasi"\n')
    with pytest.raises(DataError, match=f"this is {encoding.removesuffix('-sig')}, not windows-1252; say encoding="):
        sf.Table.open(tmp_path / "x.csv", schema)
    with sf.Table.open(tmp_path / "x.csv", schema, encoding=encoding) as table:
        assert table.count().labels(1) == ("Jürgen",)


OVERRIDDEN = """
[source]
delimiter = ";"
decimal = ","
header = false
[attributes.n]
role = "quasi"
type = "decimal"
[attributes.born]
role = "quasi"
type = "date"
format = "dd/mm/yyyy"
"""


def test_options_go_before_the_schema(tmp_path: Path, sfumato: Callable[..., Any]) -> None:
    (tmp_path / "x.csv").write_text("n|born\n1,234.5|03/04/2021\n")
    (tmp_path / "s.toml").write_text(OVERRIDDEN)
    ended = sfumato(
        *("publish", tmp_path / "x.csv", "-s", tmp_path / "s.toml", "--node", "[0,0]", "-o", tmp_path / "out.csv"),
        *("--delimiter", "|", "--header", "--decimal", ".", "--thousands", ",", "--dates", "mm/dd/yyyy"),
    )
    assert ended.status == 0, ended.err
    assert (tmp_path / "out.csv").read_text() == "n,born\n1234.5,2021-03-04\n"


def test_a_shell_has_a_word_for_tabs(tmp_path: Path, sfumato: Callable[..., Any]) -> None:
    (tmp_path / "x.csv").write_text("a,b\tc\n1,2\t3\n4,5\t6\n")
    columns = sfumato("profile", tmp_path / "x.csv", "--delimiter", "tab", "--json").json["attributes"]
    assert [each["name"] for each in columns] == ["a,b", "c"]


def test_what_a_profile_says_is_on_the_screen_and_for_machines(tmp_path: Path, sfumato: Callable[..., Any]) -> None:
    (tmp_path / "x.csv").write_bytes(GERMAN.encode("cp1252"))
    lines = [
        "Read with encoding 'windows-1252', delimiter ';', decimal ',', thousands '.'.",
        "Taken in born: dates dd.mm.yyyy.",
        "Taken in pay, items: '-' for a missing value.",
    ]
    assert all(line in sfumato("profile", tmp_path / "x.csv").out for line in lines)
    machine = sfumato("profile", tmp_path / "x.csv", "--json").json
    assert machine["read_as"] == lines
    assert machine["source"] == {"encoding": "windows-1252", "delimiter": ";", "decimal": ",", "thousands": "."}


def test_a_plain_file_is_read_as_ever_and_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("age,zip,weight\n41,01234,1.234\n52,98765,2.34\n")
    profile = sf.profile(tmp_path / "x.csv")
    assert profile.read_as == ()
    assert profile.schema.source == sf.Schema.parse('[attributes.a]\nrole = "quasi"\n').source
    assert [each.kind.value for each in profile.schema.attributes if each.kind] == ["integer", "text", "decimal"]


def test_names_with_line_breaks_do_not_break_the_schema(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('"a\n[table]",n\n03.04.2021,1\n31.12.1999,2\n')
    assert sf.Schema.parse(sf.profile(tmp_path / "x.csv").to_toml())["a\n[table]"].written.format == "dd.mm.yyyy"


@pytest.mark.parametrize("kind", ["object", "category", "string"])
def test_texts_of_a_frame_are_read_as_they_are_written(kind: str) -> None:
    frame = pd.DataFrame({"pay": ["1.234,5", "-", "0,25"], "born": ["03.04.2021", "31.12.1999", "1.1.2000"]}).astype(kind)
    profile = sf.profile(frame)
    assert [each.kind.value for each in profile.schema.attributes if each.kind] == ["decimal", "date"]
    schema = sf.Schema.parse(profile.to_toml().replace('role = "sensitive"', 'role = "quasi"'))
    table = sf.publish(frame, schema, node=[0, 0]).to_arrow()
    rows = list(zip(table["pay"].to_pylist(), table["born"].to_pylist(), strict=True))
    assert sorted(rows, key=str) == sorted(
        [(1234.5, date(2021, 4, 3)), (None, date(1999, 12, 31)), (0.25, date(2000, 1, 1))], key=str
    )
