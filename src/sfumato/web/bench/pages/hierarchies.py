"""Hierarchies: the levels of every quasi-identifier, who stands behind each label, and every way to change them."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from starlette.datastructures import UploadFile

from sfumato.errors import SfumatoError, UsageError, unknown
from sfumato.inputs.files import MB
from sfumato.vocabulary import arx
from sfumato.vocabulary.builders import Builder, Listed
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute, Schema
from sfumato.web.bench.levels.editing import edit, redo, undo, version_of
from sfumato.web.bench.levels.fields import Fields, builder_of, with_another_level
from sfumato.web.bench.levels.history import History
from sfumato.web.bench.levels.others import others
from sfumato.web.bench.levels.people import rolled
from sfumato.web.bench.levels.sheets import Sheet, checked, sheet_of, sheets, values_of
from sfumato.web.bench.levels.treeing import changed_levels, changed_tree
from sfumato.web.bench.levels.uploading import LARGEST, uploaded
from sfumato.web.bench.levels.views import MOST_HEIGHT, MOST_LEAVES, branches, form_of, shown
from sfumato.web.bench.levels.words import level_names, sort_words
from sfumato.web.bench.pages.common import bench_of, go_to
from sfumato.web.rendering import show

router = APIRouter()
_MOST_FIELDS = 10_000
Change = Callable[[Attribute], tuple[Builder, str]]


async def _filled_in(request: Request) -> dict[str, list[str]]:
    """The fields of a form; a file as its text in Latin-1, byte for byte. What is too large is refused before it is read."""
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > LARGEST + MB:
        raise UsageError(f"a form or a file has at most {LARGEST // MB} MB here")
    form, fields = await request.form(max_files=1, max_fields=_MOST_FIELDS), dict[str, list[str]]()
    for key, value in form.multi_items():
        text = (await value.read()).decode("latin-1") if isinstance(value, UploadFile) else value
        fields.setdefault(key, []).append(text)
    await form.close()
    return fields


FilledIn = Annotated[dict[str, list[str]], Depends(_filled_in)]


@router.get("/hierarchies")
def hierarchies(request: Request, name: str | None = None) -> Response:
    bench = bench_of(request)
    schema, looked, history = bench.project.schema, bench.looked, History.read(bench.project.folder)
    chosen = None if name is None else _attribute(schema, name)
    around: dict[str, Any] = {"step": "hierarchies", "history": history, "looked": looked, "owner": schema.owner}
    if chosen is None or looked is None:
        cards = [_card(each) for each in sheets(schema, looked)]
        return show(request, "bench/hierarchies.html", cards=cards, **around)
    number = [each.name for each in schema.attributes].index(chosen.name)
    columns = [each.attribute.name for each in sheets(schema, looked, chosen.name)]
    sheet = sheet_of(number, chosen, looked)
    return show(request, "bench/hierarchy.html", columns=columns, **around, **_editor(sheet))


@router.post("/hierarchies/preview")
def preview(request: Request, fields: FilledIn) -> Response:
    """The levels as they would be, for a page that asks while somebody drags; nothing is written."""
    bench = bench_of(request)
    attribute = _attribute(bench.project.schema, _one(fields, "name"))
    builder, result, why = attribute.builder, None, None
    try:
        column = values_of(attribute, bench.looked)
        builder = builder_of(attribute.builder, fields, column)
        if column is not None:
            result = shown(0, attribute.name, builder, attribute.kind or Kind.TEXT, rolled(attribute, builder, column))
    except SfumatoError as error:
        why = error.message
    form = form_of(builder, attribute.kind or Kind.TEXT, values_of(attribute, bench.looked)) if why is None else None
    names = level_names(builder, attribute.kind or Kind.TEXT)
    return show(request, "bench/levels.html", shown=result, why=why, form=form, names=names)


@router.post("/hierarchies/levels")
def levels(request: Request, fields: FilledIn) -> Response:
    """The levels as they were filled in, with one more or one less."""
    do, looked = _one(fields, "do"), bench_of(request).looked

    def change(before: Attribute) -> tuple[Builder, str]:
        builder = builder_of(before.builder, {**fields, "changed": []}, values_of(before, looked))
        if do not in ("", "save"):
            builder = with_another_level(builder, do, before.kind or Kind.TEXT)
        return builder, "changed the levels"

    return _changed(request, fields, change)


@router.post("/hierarchies/tree")
def tree(request: Request, fields: FilledIn) -> Response:
    """Labels moved, grouped, merged, renamed."""
    return _changed(request, fields, lambda before: changed_tree(before, fields))


@router.post("/hierarchies/tree/levels")
def tree_levels(request: Request, fields: FilledIn) -> Response:
    """A level of a tree more or less."""
    return _changed(request, fields, lambda before: changed_levels(before, fields))


@router.post("/hierarchies/sort")
def sort(request: Request, fields: FilledIn) -> Response:
    """Another sort of levels."""
    looked = bench_of(request).looked

    def change(before: Attribute) -> tuple[Builder, str]:
        made = {each.key: each for each in _others(sheet_of(0, before, looked))}
        if (key := _one(fields, "to")) not in made:
            raise UsageError(unknown("sort of levels", key, made, within="what this column can have"), where=before.name)
        return made[key].builder, f"changed to {sort_words(made[key].builder)}"

    return _changed(request, fields, change)


@router.post("/hierarchies/upload")
def upload(request: Request, fields: FilledIn) -> Response:
    """A hierarchy file in ARX's format."""
    content = _one(fields, "file").encode("latin-1", errors="replace")
    return _changed(request, fields, lambda before: (uploaded(content), "uploaded a hierarchy file"))


@router.get("/hierarchies/arx")
def download(request: Request, name: str) -> Response:
    """The hierarchy in ARX's format."""
    bench = bench_of(request)
    attribute = _attribute(bench.project.schema, name)
    column = values_of(attribute, bench.looked)
    if column is None and not isinstance(attribute.builder, Listed):
        raise UsageError("it has too many different values to list them in a file", where=attribute.name)
    hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, () if column is None else column.values)
    called = quote(f"{attribute.name}.csv", safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{called}"}
    return Response(arx.to_text(hierarchy), media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/hierarchies/undo")
def take_back(request: Request) -> Response:
    return _at(request, undo(bench_of(request).project).name)


@router.post("/hierarchies/redo")
def make_again(request: Request) -> Response:
    return _at(request, redo(bench_of(request).project).name)


def _changed(request: Request, fields: Fields, change: Change) -> Response:
    """Write what a change makes of a column's levels, and show them."""
    bench = bench_of(request)
    attribute = _attribute(bench.project.schema, _one(fields, "name"))

    def sound(before: Attribute) -> tuple[Builder, str]:
        builder, words = change(before)
        return checked(before, builder, bench.looked), words

    edit(bench.project, attribute.name, _one(fields, "seen"), sound)
    return _at(request, attribute.name)


def _at(request: Request, name: str) -> Response:
    return go_to(request, f"hierarchies?name={quote(name, safe='')}")


def _attribute(schema: Schema, name: str) -> Attribute:
    """The column of a name. A form sends every end of a line as CR LF, whatever the name has."""
    asked = _lines(name)
    found = next((each for each in schema.attributes if each.name == name or _lines(each.name) == asked), None)
    if found is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return found


def _lines(name: str) -> str:
    return re.sub(r"\r\n?", "\n", name)


def _one(fields: Fields, key: str) -> str:
    return next(iter(fields.get(key, ())), "")


def _card(sheet: Sheet) -> dict[str, Any]:
    builder = sheet.attribute.builder
    drawn = None if sheet.rolled is None else shown(sheet.number, sheet.attribute.name, builder, sheet.kind, sheet.rolled)
    names = level_names(builder, sheet.kind)
    return {"sheet": sheet, "shown": drawn, "sort": sort_words(builder), "names": names}


def _others(sheet: Sheet) -> list[Any]:
    suggested = sheet.found.as_quasi if sheet.found else None
    column = sheet.column if sheet.rolled is not None else None
    return others(sheet.attribute, suggested, column)


def _editor(sheet: Sheet) -> dict[str, Any]:
    listed = isinstance(sheet.attribute.builder, Listed)
    return {
        **_card(sheet),
        "version": version_of(sheet.attribute),
        "form": form_of(sheet.attribute.builder, sheet.kind, sheet.column),
        "others": _others(sheet),
        "tree": branches(sheet.rolled) if listed and sheet.rolled else None,
        "tree_size": len(sheet.rolled.hierarchy.at(0)) if sheet.rolled else 0,
        "listed": listed,
        "most_leaves": MOST_LEAVES,
        "most_height": MOST_HEIGHT,
        "why": sheet.why,
    }
