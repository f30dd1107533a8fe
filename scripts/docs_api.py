"""The API reference, written from the service's own OpenAPI: `docs/reference/api.md` is made by every build of the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HEAD = """\
% Written by scripts/docs_api.py from the service's OpenAPI. Changes made here are lost.

# The API of the service

What the pages of [`sfumato serve`](../guides/service.md) can do, programs can do. `/api/openapi.json` of a running service
describes the same for machines. A program shows a token of its account, which the page *Account* makes:

```sh
curl -H "Authorization: Bearer $TOKEN" https://data.example.org/api/v1/account
```

An owner sees their own tables and the negotiations about them, a user their own negotiations; anything else is not there (404). Bodies and
answers are JSON unless the table of a request says otherwise. Requests that create something may be repeated if they carry a number of the
sender's (`id`, `event`): the same number again changes nothing.
"""
TAGS = {
    "tables": "Tables and offers: for owners",
    "releases": "Exploring and releases: for owners",
    "negotiations": "The catalogue and negotiations",
    "accounts": "Accounts and invitations",
    "tokens": "Tokens",
    "activity": "Activity",
}
JSON = "application/json"


def described() -> dict[str, Any]:
    """The OpenAPI document of a service."""
    from sfumato.web.service.app import service_app
    from sfumato.web.service.service import Service
    from sfumato.web.service.store import Database

    with TemporaryDirectory() as folder:
        store = Database.in_folder(Path(folder))
        document: dict[str, Any] = service_app(Service(store, Path(folder), "http://127.0.0.1:8000")).openapi()
        store.close()
    return document


def reference() -> str:
    """The whole page."""
    document = described()
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    parts = [HEAD, *_problems(operations[0][1])]
    for tag in {**TAGS, **{tag: tag for _, operation in operations for tag in operation["tags"]}}:
        parts.append(f"## {TAGS.get(tag, tag)}\n")
        for title, operation in operations:
            if tag in operation["tags"]:
                parts += _operation(title, operation)
    parts.append("## Objects\n")
    for name, schema in document["components"]["schemas"].items():
        parts += _object(name, schema)
    return "\n".join(parts)


def _problems(operation: Mapping[str, Any]) -> Iterator[str]:
    yield "Whatever is refused is answered with a [Problem](#problem):\n"
    yield "| status | meaning |\n| --- | --- |"
    for status, answer in operation["responses"].items():
        if status >= "400":
            yield f"| {status} | {answer['description']} |"
    yield ""


def _operation(title: str, operation: Mapping[str, Any]) -> Iterator[str]:
    """One thing that can be asked: what it does, what it takes, what it answers."""
    yield f"### {title}\n"
    yield f"{operation.get('description', '')}\n"
    rows = [
        f"| `{each['name']}` | in the {'address' if each['in'] == 'path' else each['in']} | {_type(each['schema'])} |"
        f" {_description(each)} |"
        for each in operation.get("parameters", ())
    ]
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        rows.append(f"| body | {'' if kind == JSON else f'`{kind}`'} | {_type(body['schema'])} | |")
    for status, answer in operation["responses"].items():
        if status < "400":
            rows += [f"| answer, {status} | {_kind(kind)} | {_type(each['schema'])} | |" for kind, each in _content(answer)]
    yield "| what | where | type | meaning |\n| --- | --- | --- | --- |"
    yield "\n".join(rows)
    yield ""


def _content(answer: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return list(answer.get("content", {"": {"schema": {}}}).items())


def _kind(kind: str) -> str:
    return "" if kind in (JSON, "") else f"`{kind}`"


def _object(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{schema.get('description', '')}\n"
    if "enum" in schema:
        yield ", ".join(f"`{each}`" for each in schema["enum"]) + "\n"
        return
    required = schema.get("required", ())
    yield "| key | type | meaning |\n| --- | --- | --- |"
    for key, each in schema.get("properties", {}).items():
        needed = "*required* " if key in required else ""
        yield f"| `{key}` | {_type(each)} | {needed}{_description(each)} |"
    yield ""


def _description(each: Mapping[str, Any]) -> str:
    """What is said about a parameter or a key, and its default."""
    text = str(each.get("description", "")).replace("|", "\\|").replace("\n", " ")
    default = each.get("default", each.get("schema", {}).get("default"))
    return text if default in (None, "", [], {}) else f"{text} Default: `{default}`".strip()


def _type(schema: Mapping[str, Any]) -> str:
    """A type in words, with a link if it is one of the objects."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower().strip()})"
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    name = str(schema.get("type", ""))
    return {"null": "nothing", "string": "text", "": "nothing"}.get(name, name)


def write(folder: Path) -> None:
    """Write the page into the documentation; an unchanged page is left alone, so that it is not built again."""
    path, text = folder / "reference" / "api.md", reference()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent.parent / "docs")
