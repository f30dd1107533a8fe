"""Mistakes in a schema file: each ends in one line that names the place, and what would have worked."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import SchemaError
from sfumato.vocabulary.schema import Schema

ROLES = "identifier, quasi, sensitive, plain, owner"
KINDS = "text, integer, decimal, date, timestamp, boolean"
BUILDERS = "intervals, cuts, tree, file, paths, groups, prefix, dates, addresses, common, countries, icd10, zip3, suppression"


def mistake(text: str) -> str:
    with pytest.raises(SchemaError) as caught:
        Schema.parse(text)
    message = str(caught.value)
    assert "\n" not in message
    return message


def attribute(text: str) -> str:
    """The message about an attribute `age`, without its place, which must be named."""
    message = mistake(f"[attributes.age]\n{text}")
    assert "attribute 'age'" in message
    return message.removeprefix("attribute 'age': ")


def hierarchy(text: str) -> str:
    return attribute(f'role = "quasi"\nhierarchy = {text}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no attribute: declare each column as [attributes.NAME] with a role"),
        ("[attributes]", "no attribute: declare each column as [attributes.NAME] with a role"),
        ("[attribute.age]", "no key 'attribute' in the schema; did you mean 'attributes'? (have: source, table, attributes)"),
        ("[table]\nmising = []", "no key 'mising' in [table]; did you mean 'missing'? (have: missing, suppressed)"),
        ('[table]\nmissing = "?"', "'[table] missing' must be a list of texts"),
        ("[table]\nmissing = [1]", "'[table] missing' must be a list of texts"),
        ("table = 3", "'table' must be a table"),
        ("attributes = []", "'attributes' must be a table"),
        ('[table]\nsuppressed = "start"', "no choice 'start' in [table] suppressed; did you mean 'star'? (have: drop, star)"),
        ("[table]\nsuppressed = 7", "no choice '7' in [table] suppressed (have: drop, star)"),
        (
            '[attributes.a]\nrole = "owner"\n[attributes.b]\nrole = "owner"',
            "one owner column at most; there are 2: a, b",
        ),
    ],
)
def test_mistakes_of_the_whole_file(text: str, message: str) -> None:
    assert mistake(text) == message


def test_what_is_no_toml_is_told_with_its_line() -> None:
    assert mistake("[attributes.age\nrole").startswith("not TOML: ")
    assert "line 2" in mistake("[table]\nmissing = @")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"no role; choose among {ROLES}"),
        (
            'rol = "quasi"',
            "no key 'rol' in attribute 'age'; did you mean 'role'? (have: role, type, hierarchy, values, normalize, format, missing)",
        ),
        ('role = "quassi"', f"no choice 'quassi' in attribute 'age', role; did you mean 'quasi'? (have: {ROLES})"),
        ('role = "Quasi"', f"no choice 'Quasi' in attribute 'age', role; did you mean 'quasi'? (have: {ROLES})"),
        ("role = 3", f"no choice '3' in attribute 'age', role (have: {ROLES})"),
        ('role = ["quasi"]', f"no choice \"['quasi']\" in attribute 'age', role; did you mean 'quasi'? (have: {ROLES})"),
        ('role = "quasi"\ntype = "int"', f"no choice 'int' in attribute 'age', type; did you mean 'integer'? (have: {KINDS})"),
        ('role = "quasi"\ntype = 3', f"no choice '3' in attribute 'age', type (have: {KINDS})"),
        ('role = "quasi"\nvalues = "flu"', "'values' must be a list of texts"),
        ('role = "quasi"\nvalues = []', "the hierarchy has no leaf"),
        (
            'role = "quasi"\nvalues = ["a"]\nhierarchy = { builder = "suppression" }',
            "'values' and 'hierarchy' both list the leaves: give one of them",
        ),
        (
            'role = "plain"\nvalues = ["a"]',
            "only quasi and sensitive attributes have a hierarchy or values; this one is plain",
        ),
        (
            'role = "identifier"\nhierarchy = { builder = "dates" }',
            "only quasi and sensitive attributes have a hierarchy or values; this one is identifier",
        ),
        (
            'role = "owner"\nhierarchy = { tree = { A = ["a"] } }',
            "only quasi and sensitive attributes have a hierarchy or values; this one is owner",
        ),
        (
            'role = "quasi"\ntype = "text"\nhierarchy = { builder = "intervals", widths = [5] }',
            "builder 'intervals' needs type decimal, integer; the attribute is text",
        ),
        (
            'role = "quasi"\ntype = "decimal"\nhierarchy = { builder = "prefix", keep = [2] }',
            "builder 'prefix' needs type integer, text; the attribute is decimal",
        ),
        (
            'role = "quasi"\ntype = "integer"\nhierarchy = { builder = "addresses" }',
            "builder 'addresses' needs type text; the attribute is integer",
        ),
    ],
)
def test_mistakes_of_an_attribute(text: str, message: str) -> None:
    assert attribute(text) == message


def test_an_attribute_that_is_no_table_is_refused() -> None:
    assert mistake('[attributes]\nage = "quasi"') == "attribute 'age': must be a table with a role"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"intervals"', "'hierarchy' must be a table"),
        ("{}", f"a hierarchy needs a builder; choose among {BUILDERS}"),
        ('{ builder = "interval" }', f"no builder 'interval' in this version; did you mean 'intervals'? (have: {BUILDERS})"),
        ("{ builder = 3 }", f"no builder '3' in this version (have: {BUILDERS})"),
        (
            '{ builder = "intervals", width = [5] }',
            "no key 'width' in builder 'intervals'; did you mean 'widths'? (have: builder, widths, lower, upper)",
        ),
        ('{ builder = "intervals" }', "'widths' must be a list"),
        ('{ builder = "intervals", widths = 5 }', "'widths' must be a list"),
        ('{ builder = "intervals", widths = ["5"] }', "'widths' takes numbers only"),
        ('{ builder = "intervals", widths = [true] }', "'widths' takes numbers only"),
        ('{ builder = "intervals", widths = [nan] }', "'widths' takes numbers only"),
        ('{ builder = "intervals", widths = [inf] }', "'widths' takes numbers only"),
        (
            '{ builder = "intervals", widths = [5, 12] }',
            "'widths' must be positive, each a multiple of the one before, as in [5, 10, 20]; it is [5, 12]",
        ),
        (
            '{ builder = "intervals", widths = [0, 5] }',
            "'widths' must be positive, each a multiple of the one before, as in [5, 10, 20]; it is [0, 5]",
        ),
        ('{ builder = "intervals", widths = [5], lower = "0", upper = 9 }', "'lower' takes numbers only"),
        (
            '{ builder = "intervals", widths = [5], lower = 0 }',
            "'lower' and 'upper' go together: give both for fixed bounds, neither to take them from the data",
        ),
        (
            '{ builder = "intervals", widths = [5], lower = 9, upper = 9 }',
            "'lower' must be less than 'upper'; they are 9 and 9",
        ),
        ('{ builder = "tree" }', "builder 'tree' needs a table 'tree'"),
        ('{ tree = ["a"] }', "builder 'tree' needs a table 'tree'"),
        ("{ tree = { A = 3 } }", "a tree is made of tables and lists of leaves; below A is something else"),
        ("{ tree = {} }", "the hierarchy has no leaf"),
        ('{ builder = "file" }', "builder 'file' needs the name of a file"),
        ("{ file = 3 }", "builder 'file' needs the name of a file"),
        ('{ file = "nowhere.csv" }', "hierarchy file nowhere.csv: no such file"),
        ('{ builder = "paths" }', "'paths' must be a list"),
        ('{ builder = "paths", paths = ["a"] }', "'paths' must be a list of texts"),
        ('{ builder = "paths", paths = [[1]] }', "'paths' must be a list of texts"),
        ('{ builder = "paths", paths = [] }', "the hierarchy has no leaf"),
        (
            '{ builder = "paths", paths = [["a"], ["b", "c"]] }',
            "the paths of a hierarchy must be equally long; they have 1 to 2 levels",
        ),
        ('{ builder = "groups", values = ["a"] }', "'sizes' must be a list"),
        ('{ builder = "groups", sizes = [2] }', "'values' must be a list"),
        ('{ builder = "groups", values = [1], sizes = [2] }', "'values' must be a list of texts"),
        ('{ builder = "groups", values = ["a"], sizes = [2.5] }', "'sizes' takes whole numbers only"),
        (
            '{ builder = "groups", values = ["a"], sizes = [3, 4] }',
            "'sizes' must be at least 2, each a multiple of the one before, as in [2, 4]; it is [3, 4]",
        ),
        ('{ builder = "prefix" }', "'keep' must be a list"),
        ('{ builder = "prefix", keep = ["2"] }', "'keep' takes whole numbers only"),
        ('{ builder = "prefix", keep = [true] }', "'keep' takes whole numbers only"),
        (
            '{ builder = "prefix", keep = [2, 3] }',
            "'keep' must descend from level to level and stay above 0, as in [4, 3]; it is [2, 3]",
        ),
        ('{ builder = "dates", units = "day" }', "'units' must be a list of texts"),
        (
            '{ builder = "dates", units = ["year", "day"] }',
            "'units' must be some of day, month, quarter, year, decade, in this order; it is ['year', 'day']",
        ),
        ('{ builder = "addresses", v4 = 24 }', "'v4' must be a list"),
        ('{ builder = "addresses", v6 = [1.5, 1] }', "'v6' takes whole numbers only"),
        (
            '{ builder = "addresses", v4 = [24] }',
            "'v4' and 'v6' must be equally long and descend, as in v4 = [24, 16], v6 = [64, 48]; they are [24] and [64, 48]",
        ),
        (
            '{ builder = "suppression", keep = [1] }',
            "no key 'keep' in builder 'suppression' (have: builder)",
        ),
    ],
)
def test_mistakes_of_a_hierarchy(text: str, message: str) -> None:
    assert hierarchy(text) == message


@pytest.mark.parametrize("text", ['{ builder = ["intervals"] }', "{ builder = { a = 1 } }"])
def test_a_builder_that_is_no_name_is_refused(text: str) -> None:
    assert "builder" in hierarchy(text)


def test_paths_without_a_leaf_are_refused() -> None:
    assert "path" in hierarchy('{ builder = "paths", paths = [[]] }')


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; 'sfumato profile DATA -o s.toml' suggests one"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[table", "not TOML: "),
        (b'[attributes.age]\nrole = "x"', f"no choice 'x' in attribute 'age', role (have: {ROLES})"),
        (
            b'[attributes.age]\nrole = "quasi"\nhierarchy = { file = "h.csv" }',
            "attribute 'age': hierarchy file {folder}/h.csv: no such file",
        ),
    ],
)
def test_a_schema_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "s.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SchemaError) as caught:
        Schema.read(path)
    assert str(caught.value).startswith(f"{path}: {message.replace('{folder}', str(tmp_path))}")
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_schema_file(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="a folder, not a file"):
        Schema.read(tmp_path)


def test_a_ragged_hierarchy_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;b\nc;d;e\n")
    (tmp_path / "s.toml").write_text('[attributes.age]\nrole = "quasi"\nhierarchy = { file = "h.csv" }')
    with pytest.raises(SchemaError) as caught:
        Schema.read(tmp_path / "s.toml")
    assert str(caught.value) == (
        f"{tmp_path / 's.toml'}: attribute 'age': hierarchy file {tmp_path / 'h.csv'}: line 2 has 3 levels, the first line 2"
    )


def test_a_byte_order_mark_before_a_schema_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes('\ufeff[attributes.age]\nrole = "quasi"'.encode())
    assert Schema.read(tmp_path / "s.toml").quasi == ("age",)
