"""What somebody asked of a tree, by form: which labels, and what is to happen with them."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.errors import UsageError, several, unknown
from sfumato.vocabulary.builders import Builder, Listed
from sfumato.vocabulary.builders.listed import standard_label
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute
from sfumato.web.bench.levels.fields import Fields
from sfumato.web.bench.levels.tree import Tree, grouped, moved, relabeled, with_level, without_level

_LONGEST = 200  # characters of a label


def changed_tree(attribute: Attribute, fields: Fields) -> tuple[Builder, str]:
    """The tree after labels (`pick`) were moved, grouped, merged or renamed (`do`), and in words what was done."""
    hierarchy, do = _hierarchy(attribute), _one(fields, "do")
    if do not in _ACTS:
        raise UsageError(unknown("change", do, _ACTS, within="a tree"))
    level, labels = _picked(hierarchy, fields)
    return _ACTS[do](attribute, hierarchy, level, labels, fields)


def changed_levels(attribute: Attribute, fields: Fields) -> tuple[Builder, str]:
    """The tree with another level (`add`), or without one (`remove`)."""
    tree = Tree.of(_hierarchy(attribute))
    level = _number(_one(fields, "level"))
    if _one(fields, "do") == "remove":
        return without_level(tree, level).builder(), f"removed level {level}"
    made = with_level(tree, level, finer=_one(fields, "begin") != "above")
    return made.builder(), f"added a level above level {level}"


def _move(attribute: Attribute, hierarchy: Hierarchy, level: int, labels: list[str], fields: Fields) -> tuple[Builder, str]:
    above, code = _key(hierarchy, _one(fields, "to"))
    if above != level + 1:
        raise UsageError(f"a label of level {level} can be moved below one of level {level + 1}, not of level {above}")
    to = hierarchy.at(above)[code]
    return moved(Tree.of(hierarchy), level, labels, to).builder(), f"moved {_named(labels)} to {to!r}"


def _group(attribute: Attribute, hierarchy: Hierarchy, level: int, labels: list[str], fields: Fields) -> tuple[Builder, str]:
    name = _name(attribute, fields)
    return grouped(Tree.of(hierarchy), level, labels, name).builder(), f"put {_named(labels)} into a new group {name!r}"


def _merge(attribute: Attribute, hierarchy: Hierarchy, level: int, labels: list[str], fields: Fields) -> tuple[Builder, str]:
    if len(labels) < 2:
        raise UsageError("choose at least two labels of one level to merge them")
    name = _name(attribute, fields) or labels[0]
    return relabeled(Tree.of(hierarchy), level, labels, name).builder(), f"merged {_named(labels)} into {name!r}"


def _rename(attribute: Attribute, hierarchy: Hierarchy, level: int, labels: list[str], fields: Fields) -> tuple[Builder, str]:
    if len(labels) != 1:
        raise UsageError("choose one label to rename it")
    name = _name(attribute, fields)
    return relabeled(Tree.of(hierarchy), level, labels, name).builder(), f"renamed {labels[0]!r} to {name!r}"


_ACTS: dict[str, Callable[[Attribute, Hierarchy, int, list[str], Fields], tuple[Builder, str]]] = {
    "move": _move,
    "group": _group,
    "merge": _merge,
    "rename": _rename,
}


def _hierarchy(attribute: Attribute) -> Hierarchy:
    if not isinstance(attribute.builder, Listed):
        raise UsageError("these levels are computed; edit them as a tree first", where=attribute.name)
    return attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])


def _picked(hierarchy: Hierarchy, fields: Fields) -> tuple[int, list[str]]:
    keys = [_key(hierarchy, text) for text in dict.fromkeys(fields.get("pick", ()))]
    levels = {level for level, _ in keys}
    if not keys:
        raise UsageError("choose at least one label")
    if len(levels) > 1:
        raise UsageError(f"choose labels of one level; these are of levels {' and '.join(map(str, sorted(levels)))}")
    level = levels.pop()
    return level, [hierarchy.at(level)[code] for _, code in keys]


def _key(hierarchy: Hierarchy, text: str) -> tuple[int, int]:
    """A label by its level and its code."""
    level, _, code = text.partition(":")
    place = _number(level), _number(code)
    if place[0] > hierarchy.height or place[1] >= len(hierarchy.at(place[0])):
        raise UsageError("there is no such label")
    return place


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UsageError("there is no such label or level")
    return int(text)


def _name(attribute: Attribute, fields: Fields) -> str:
    name = _one(fields, "label").strip()
    if len(name) > _LONGEST or not (name.isprintable()):
        raise UsageError(f"a label is one line of at most {_LONGEST} characters")
    return standard_label(attribute.kind or Kind.TEXT, name)


def _one(fields: Fields, key: str) -> str:
    return next(iter(fields.get(key, ())), "")


def _named(labels: list[str]) -> str:
    return repr(labels[0]) if len(labels) == 1 else several(len(labels), "label")
