"""Schemas as TOML files: every mistake is reported with its place, and people can edit what is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError, UsageError, argument, raise_alone, unknown
from sfumato.inputs.files import MB
from sfumato.inputs.toml import parsed_toml, read_toml
from sfumato.vocabulary import arx
from sfumato.vocabulary.builders import (
    Addresses,
    Builder,
    Common,
    Countries,
    Cuts,
    Dates,
    Icd10,
    Intervals,
    Listed,
    Prefix,
    Suppression,
    Zip3,
)
from sfumato.vocabulary.dialect import Dialect, Written, written_as
from sfumato.vocabulary.hierarchy import require_height
from sfumato.vocabulary.kinds import ROLE_SYNONYMS, Kind, Role
from sfumato.vocabulary.schema import SUPPRESSION, Attribute, Schema, Suppressed, with_kind
from sfumato.vocabulary.spelling import Speller

TomlTable = Mapping[str, Any]
LARGEST = 16 * MB
_MOST_EXPONENT = 300  # what a float holds, about
_MOST_WHOLE = 2**31 - 1
TABLE_KEYS = ("missing", "suppressed")
SOURCE_KEYS = tuple(field.name for field in fields(Dialect))
ATTRIBUTE_KEYS = ("role", "type", "hierarchy", "values", "normalize", "format", "missing")


def read_schema(path: Path) -> Schema:
    """A schema from its file."""
    missing = f"no such file; 'sfumato profile DATA -o {path.name}' suggests one"
    document = read_toml(path, LARGEST, error=SchemaError, missing=missing)
    try:
        return _schema(document, path.parent)
    except SchemaError as error:
        where = f"{path}: {error.where}" if error.where else str(path)
        raise_alone(SchemaError(error.message, where=where))


def parse_schema(text: str, folder: Path) -> Schema:
    """A schema from TOML text."""
    return _schema(parsed_toml(text, error=SchemaError), folder)


def _schema(document: TomlTable, folder: Path) -> Schema:
    _only(document, ("source", "table", "attributes"), "the schema")
    table = _typed(document.get("table", {}), dict, "'table' must be a table")
    _only(table, TABLE_KEYS, "[table]")
    attributes = _typed(document.get("attributes", {}), dict, "'attributes' must be a table")
    schema = Schema(
        attributes=tuple(_attribute(name, entry, folder) for name, entry in attributes.items()),
        suppressed=_choice(Suppressed, table.get("suppressed", "drop"), "[table] suppressed"),
        missing=tuple(_texts(table.get("missing", [""]), "[table] missing")),
        source=_dialect(_typed(document.get("source", {}), dict, "'source' must be a table")),
    )
    _require_sound(schema)
    return schema


def _dialect(table: TomlTable) -> Dialect:
    _only(table, SOURCE_KEYS, "[source]")
    for key, value in table.items():
        kind, name = (bool, "true or false") if key == "header" else (str, "a text")
        _typed(value, kind, f"{key!r} is {name}", "[source]")
    dialect = Dialect(**table)
    try:
        dialect.require_sound()
    except UsageError as error:
        raise_alone(SchemaError(error.message, where=f"[source] {error.where}"))
    return dialect


def _require_sound(schema: Schema) -> None:
    if not schema.attributes:
        raise SchemaError("no attribute: declare each column as [attributes.NAME] with a role")
    if len(owners := schema.names(Role.OWNER)) > 1:
        raise SchemaError(f"one owner column at most; there are {len(owners)}: {', '.join(owners)}")


def _attribute(name: str, entry: Any, folder: Path) -> Attribute:
    where = f"attribute {name!r}"
    table = _typed(entry, dict, "must be a table with a role", where)
    _only(table, ATTRIBUTE_KEYS, where)
    if "role" not in table:
        raise SchemaError(f"no role; choose among {', '.join(role.value for role in Role)}", where=where)
    role = ROLE_SYNONYMS.get(table["role"]) if isinstance(table["role"], str) else None
    role = role or _choice(Role, table["role"], f"{where}, role")
    kind = _choice(Kind, table["type"], f"{where}, type") if "type" in table else None
    builder = _declared_builder(table, folder, where)
    if builder is not SUPPRESSION and role not in (Role.QUASI, Role.SENSITIVE):
        raise SchemaError(
            f"only quasi and sensitive attributes have a hierarchy or values; this one is {role.value}", where=where
        )
    attribute = Attribute(name, role, kind, builder, _normalize(table, role, kind, where), _written(table, kind, where))
    if attribute.normalize:
        _require_one_spelling(attribute, where)
    return with_kind(attribute, kind) if kind else attribute


def _written(table: TomlTable, kind: Kind | None, where: str) -> Written:
    form = _typed(table["format"], str, "'format' is a text", where) if "format" in table else None
    try:
        return written_as(kind, form, tuple(_texts(table.get("missing", []), "missing")))
    except SchemaError as error:
        raise_alone(SchemaError(error.message, where=where))


def _normalize(table: TomlTable, role: Role, kind: Kind | None, where: str) -> bool:
    wanted: bool = _typed(table.get("normalize", False), bool, "'normalize' is true or false", where)
    if wanted and (role not in (Role.QUASI, Role.SENSITIVE) or kind not in (None, Kind.TEXT)):
        kind_of = kind.value if kind else "text"
        raise SchemaError(f"only quasi and sensitive texts are normalized; this one is {role.value}, {kind_of}", where=where)
    return wanted


def _require_one_spelling(attribute: Attribute, where: str) -> None:
    try:
        Speller.of(attribute.builder.build(attribute.name, Kind.TEXT, []).labels[0])
    except SchemaError as error:
        raise SchemaError(error.message, where=where) from None


def _declared_builder(table: TomlTable, folder: Path, where: str) -> Builder:
    if "values" in table and "hierarchy" in table:
        raise SchemaError("'values' and 'hierarchy' both list the leaves: give one of them", where=where)
    try:
        if "values" in table:
            return Listed(tuple((text,) for text in _texts(table["values"], "values")))
        if "hierarchy" in table:
            return _builder(_typed(table["hierarchy"], dict, "'hierarchy' must be a table"), folder)
    except SchemaError as error:
        raise_alone(SchemaError(error.message, where=where))
    return SUPPRESSION


def _builder(table: TomlTable, folder: Path) -> Builder:
    name = table.get("builder", "tree" if "tree" in table else "file" if "file" in table else None)
    if name is None:
        raise SchemaError(f"a hierarchy needs a builder; choose among {', '.join(BUILDERS)}")
    if not isinstance(name, str) or name not in BUILDERS:
        raise SchemaError(unknown("builder", str(name), BUILDERS, within="this version"))
    keys, make = BUILDERS[name]
    _only(table, ("builder", *keys), f"builder {name!r}")
    return make(table, folder)


def _intervals(table: TomlTable, folder: Path) -> Builder:
    bounds = {key: _number(table[key], key) for key in ("lower", "upper") if key in table}
    return Intervals(tuple(_number(width, "widths") for width in _per_level(table, "widths")), **bounds)


def _tree(table: TomlTable, folder: Path) -> Builder:
    return Listed.of_tree(_typed(table.get("tree"), dict, "builder 'tree' needs a table 'tree'"))


def _file(table: TomlTable, folder: Path) -> Builder:
    name = _typed(table.get("file"), str, "builder 'file' needs the name of a file")
    return Listed(arx.read_paths(folder / name))


def _paths(table: TomlTable, folder: Path) -> Builder:
    return Listed(tuple(tuple(_texts(path, "paths")) for path in _list(table, "paths")))


def _groups(table: TomlTable, folder: Path) -> Builder:
    values = _texts(_list(table, "values"), "values")
    return Listed.of_groups(values, [_whole(size, "sizes") for size in _per_level(table, "sizes")])


def _prefix(table: TomlTable, folder: Path) -> Builder:
    return Prefix(tuple(_whole(keep, "keep") for keep in _per_level(table, "keep")))


def _dates(table: TomlTable, folder: Path) -> Builder:
    return Dates(tuple(_texts(table["units"], "units"))) if "units" in table else Dates()


def _addresses(table: TomlTable, folder: Path) -> Builder:
    return Addresses(**{key: tuple(_whole(size, key) for size in _per_level(table, key)) for key in ("v4", "v6") if key in table})


def _cuts(table: TomlTable, folder: Path) -> Builder:
    levels = [_typed(level, list, "'cuts' must be a list of lists") for level in _per_level(table, "cuts")]
    return Cuts(tuple(tuple(_number(cut, "cuts") for cut in level) for level in levels))


def _common(table: TomlTable, folder: Path) -> Builder:
    values = _texts(table.get("values"), "values")
    return Common(tuple(values), tuple(_whole(keep, "keep") for keep in _per_level(table, "keep")))


def _countries(table: TomlTable, folder: Path) -> Builder:
    return Countries(tuple(_texts(table["levels"], "levels"))) if "levels" in table else Countries()


def _icd10(table: TomlTable, folder: Path) -> Builder:
    return Icd10(tuple(_texts(table["levels"], "levels"))) if "levels" in table else Icd10()


def _zip3(table: TomlTable, folder: Path) -> Builder:
    return Zip3()


def _suppression(table: TomlTable, folder: Path) -> Builder:
    return SUPPRESSION


BUILDERS: dict[str, tuple[tuple[str, ...], Callable[[TomlTable, Path], Builder]]] = {
    "intervals": (("widths", "lower", "upper"), _intervals),
    "cuts": (("cuts",), _cuts),
    "tree": (("tree",), _tree),
    "file": (("file",), _file),
    "paths": (("paths",), _paths),
    "groups": (("values", "sizes"), _groups),
    "prefix": (("keep",), _prefix),
    "dates": (("units",), _dates),
    "addresses": (("v4", "v6"), _addresses),
    "common": (("values", "keep"), _common),
    "countries": (("levels",), _countries),
    "icd10": (("levels",), _icd10),
    "zip3": ((), _zip3),
    "suppression": ((), _suppression),
}


def _only(table: TomlTable, keys: Sequence[str], where: str) -> None:
    for key in table:
        if key not in keys:
            raise SchemaError(unknown("key", key, keys, within=where))


def _typed(value: Any, kind: type, message: str, where: str | None = None) -> Any:
    if not isinstance(value, kind):
        raise SchemaError(message, where=where)
    return value


def _choice(enum: Any, value: Any, where: str) -> Any:
    try:
        return enum(value)
    except ValueError:
        raise_alone(SchemaError(unknown("choice", str(value), [member.value for member in enum], within=where)))


def _list(table: TomlTable, key: str) -> list[Any]:
    value: list[Any] = _typed(table.get(key), list, f"{key!r} must be a list")
    return value


def _per_level(table: TomlTable, key: str) -> list[Any]:
    """A list with one entry for each level."""
    value = _list(table, key)
    require_height(len(value))
    return value


def _texts(value: Any, key: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise SchemaError(f"{key!r} must be a list of texts")
    return value


def _number(value: Any, key: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
        raise SchemaError(f"{key!r} takes numbers only")
    number = Decimal(value)
    if number and (number.adjusted() > _MOST_EXPONENT or number.as_tuple().exponent < -_MOST_EXPONENT):  # type: ignore[operator]
        raise SchemaError(f"{key!r} takes numbers of at most {_MOST_EXPONENT} digits before and after the point")
    return number


def _whole(value: Any, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SchemaError(f"{key!r} takes whole numbers only")
    if abs(value) > _MOST_WHOLE:
        raise SchemaError(f"{key!r} takes whole numbers of at most {_MOST_WHOLE:,}")
    return value


def declared(schema: Schema) -> dict[str, Any]:
    """What a schema declares, as plain values."""
    source = schema.source.declared()
    return {
        **({"source": source} if source else {}),
        "table": {"suppressed": schema.suppressed.value, "missing": list(schema.missing)},
        "attributes": {attribute.name: _declared_attribute(attribute) for attribute in schema.attributes},
    }


def _declared_attribute(attribute: Attribute) -> dict[str, Any]:
    table: dict[str, Any] = {"role": attribute.role.value}
    if attribute.kind:
        table["type"] = attribute.kind.value
    if not isinstance(attribute.builder, Suppression):
        table["hierarchy"] = attribute.builder.declared()
    if attribute.normalize:
        table["normalize"] = True
    if attribute.written.format is not None:
        table["format"] = attribute.written.format
    if attribute.written.missing:
        table["missing"] = list(attribute.written.missing)
    return table


def schema_text(schema: Schema, comments: Mapping[str, str] | None = None) -> str:
    """A schema as TOML, with a comment above the attributes that have one."""
    tables = declared(schema)
    lines: list[str] = []
    for head in ("source", "table"):
        if head in tables:
            lines += [f"[{head}]", *(f"{key} = {toml_value(value)}" for key, value in tables[head].items()), ""]
    lines.pop()
    for name, table in tables["attributes"].items():
        comment = (comments or {}).get(name)
        lines += ["", *([f"# {comment}"] if comment else []), f"[attributes.{toml_key(name)}]"]
        lines += [f"{key} = {toml_value(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def toml_key(name: str) -> str:
    """A key, quoted where it must be."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else toml_value(name)


def toml_value(value: Any) -> str:
    """A text, number, list or table on one line. JSON and TOML escape alike, except for DEL."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return str(value)


def schema_from(document: TomlTable, folder: Path) -> Schema:
    """A schema from a dict that is written like the TOML file: `{"attributes": {"age": {"role": "quasi"}}}`."""
    if "attributes" not in document:
        raise SchemaError(
            "a dict is written like the TOML file: {'attributes': {'age': {'role': 'quasi'}, …}}", where=argument("schema")
        )
    return _schema(_as_toml(document), folder)


def builder_from(table: TomlTable, folder: Path) -> Builder:
    """A hierarchy from a dict that is written like the table `hierarchy` of the TOML file."""
    return _builder(_as_toml(table), folder)


def _as_toml(value: Any) -> Any:
    """A value of Python as the TOML reader gives it: fractions as decimals, sequences as lists, scalars of NumPy as plain ones."""
    if isinstance(value, Mapping):
        return {_typed(key, str, "the keys of a dict are names"): _as_toml(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_as_toml(entry) for entry in value]
    value = value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value
    value = value.value if isinstance(value, Role | Kind | Suppressed) else value
    return Decimal(str(value)) if isinstance(value, float) else value
