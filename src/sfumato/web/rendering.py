"""Pages from templates. What is put in is escaped, unless it was made as markup."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sfumato.reporting.explorer.assets import additions, part
from sfumato.reporting.markup import Html
from sfumato.reporting.style import style

_STATIC = Path(__file__).parent / "static"


def _markup(text: Html) -> Markup:
    if not isinstance(text, Html):
        raise TypeError("only what was made as markup is not escaped")
    return Markup(text)  # noqa: S704  it was made by `reporting.markup`, which escapes


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("sfumato.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["markup"] = _markup
    made.filters["count"] = lambda number: f"{number:,}"
    made.filters["when"] = lambda time: f"{datetime.fromtimestamp(time, UTC):%Y-%m-%d %H:%M} UTC"
    made.filters["percent"] = lambda share: f"{share:.1%}"
    return made


_TEMPLATES = _environment()


def show(request: Request, name: str, status: int = HTTPStatus.OK, **values: Any) -> Response:
    """A page. What stands round its content comes from `request.state.frame`, a mapping that whoever let the request in has made."""
    around: dict[str, Any] = request.state.frame
    return HTMLResponse(_TEMPLATES.get_template(name).render(**{**around, **values}), status)


def add_assets(app: FastAPI) -> None:
    """The style and the scripts of the pages."""
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.get("/style.css", include_in_schema=False)(lambda: Response(style(), media_type="text/css"))
    app.get("/explorer.css", include_in_schema=False)(lambda: Response(additions(), media_type="text/css"))
    app.get("/explorer.js", include_in_schema=False)(lambda: Response(_explorer(), media_type="text/javascript"))


def _explorer() -> str:
    """The script of the Explore page: that of the page of a trade-off, with data, chosen node and models from here, as one module."""
    own = {name: (_STATIC / "explore" / f"{name}.js").read_text(encoding="utf-8") for name in ("data", "panel", "ask")}
    shared = {name: part(f"{name}.js") for name in ("read", "choose", "plot", "main")}
    order = (own["data"], shared["read"], shared["choose"], shared["plot"], own["panel"], shared["main"], own["ask"])
    return "\n".join(order)
