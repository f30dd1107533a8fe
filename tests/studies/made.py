"""Exhibits, each made once per process, and the data behind a chart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from sfumato_studies.exhibit import Compared, Exhibit
from sfumato_studies.registry import EXHIBITS, chosen
from sfumato_studies.run import Reproduction


@cache
def made(name: str) -> Exhibit:
    """An exhibit by any of its names."""
    (entry,) = chosen([name])
    return _first(entry.name)


@cache
def _first(name: str) -> Exhibit:
    (entry,) = chosen([name])
    return entry.make()


def everything() -> Reproduction:
    """All exhibits."""
    return Reproduction(tuple(made(entry.name) for entry in EXHIBITS))


def row(name: str, what: str, where: str = "") -> Compared:
    """The one value of an exhibit that is called this."""
    (result,) = [each for each in made(name).rows if each.what == what and where in each.where]
    return result


def records(name: str, *keys: str) -> list[dict[str, Any]]:
    """The data of an exhibit's chart: every record that has these keys."""
    spec = made(name).chart
    assert spec is not None
    return [each for each in _records(spec) if set(keys) <= set(each)]


def _records(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        values = part.get("data", {}).get("values", []) if isinstance(part.get("data"), dict) else []
        yield from values
        for key, below in part.items():
            if key == "datasets":
                yield from (each for values in below.values() for each in values)
            elif key != "data":
                yield from _records(below)
    elif isinstance(part, list):
        for each in part:
            yield from _records(each)


def texts(part: Any) -> Iterator[str]:
    """Every text in a specification, its keys left out."""
    if isinstance(part, dict):
        for below in part.values():
            yield from texts(below)
    elif isinstance(part, list):
        for each in part:
            yield from texts(each)
    elif isinstance(part, str):
        yield part
