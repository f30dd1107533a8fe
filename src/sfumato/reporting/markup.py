"""HTML and SVG from small functions. Text is escaped unless it is markup (`Html`), so whatever a table contains stays text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence

from sfumato.results import cell_text

Cell = str | int | float | bool | None


class Html(str):
    """Text that is markup and is not escaped again."""

    __slots__ = ()


def text(child: Cell) -> Html:
    """A child of an element: numbers formatted, text escaped."""
    return child if isinstance(child, Html) else Html(html.escape(child if isinstance(child, str) else shown(child)))


def shown(value: Cell) -> str:
    """A number, formatted for people.

    >>> shown(30162), shown(0.28781), shown(2.286e8), shown(None)
    ('30,162', '0.2878', '228,600,000', '–')
    """
    large = isinstance(value, float) and 1000 <= abs(value) < float("inf")
    return f"{value:,.0f}" if large else cell_text(value)


def tag(name: str, /, *children: Cell, **attributes: Cell) -> Html:
    """An element. `class_` and `aria_label` become class and aria-label; True gives a bare attribute, None omits it.

    >>> tag("p", "a < b ", tag("b", "&"), class_="note", hidden=True)
    '<p class="note" hidden>a &lt; b <b>&amp;</b></p>'
    """
    return Html(_open(name, attributes) + "".join(map(text, children)) + f"</{name}>")


def void(name: str, /, **attributes: Cell) -> Html:
    """An element without an end tag: `<input>`, `<meta>`."""
    return Html(_open(name, attributes))


def _open(name: str, attributes: dict[str, Cell]) -> str:
    words = [name]
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(key)
        elif value is not None and value is not False:
            words.append(f'{key}="{html.escape(str(value))}"')
    return f"<{' '.join(words)}>"


def joined(parts: Iterable[Cell], between: str = "") -> Html:
    """Several children as one."""
    return Html(between.join(text(part) for part in parts))


def paragraphs(*texts: Cell) -> Html:
    """One paragraph each."""
    return joined(tag("p", each) for each in texts)


def listed(items: Iterable[Cell]) -> Html:
    """A list with bullets."""
    return tag("ul", *(tag("li", item) for item in items))


def link(target: str, child: Cell) -> Html:
    """A link within the page."""
    return tag("a", child, href=f"#{target}")


def code(child: str) -> Html:
    return tag("code", child)


def inline_json(value: object) -> Html:
    """JSON for a script element: nothing in it can end the element."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Html(plain.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e").replace("\u2028", "\\u2028"))


def with_options(shown: str) -> Html:
    """Text in which options of the command line are code, without line breaks in them.

    >>> with_options("give the original (--original)")
    'give the original (<code class="word">--original</code>)'
    """
    return Html(re.sub(r"--[a-z][a-z-]*", lambda match: tag("code", match.group(), class_="word"), text(shown)))


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, name: str) -> Html:
    """A table with a caption, heads and scopes, in a region that scrolls on narrow screens."""
    lines = list(rows)
    body = [tag("tr", *(cell(each, first=place == 0) for place, each in enumerate(row))) for row in lines]
    numbers = [place for place in range(len(heads)) if any(_is_number(row[place]) for row in lines)]
    return framed(caption, head(heads, numbers), body, name=name)


def framed(caption: str, top: Html, body: Iterable[Html], *, name: str) -> Html:
    """Rows under a caption, in a region that scrolls with the keyboard."""
    inner = tag("table", tag("caption", tag("span", caption), id=f"{name}-caption"), top, tag("tbody", *body))
    return tag("div", inner, class_="scroll", role="region", aria_labelledby=f"{name}-caption", tabindex="0")


def head(heads: Sequence[str], numbers: Iterable[int]) -> Html:
    """The column heads, aligned right over numbers; nothing if there are none."""
    right = set(numbers)
    cells = [tag("th", each, scope="col", class_="number" if place in right else None) for place, each in enumerate(heads)]
    return tag("thead", tag("tr", *cells)) if heads else Html("")


def cell(child: Cell, *, first: bool = False) -> Html:
    """A cell: the first of a row is its head; numbers are aligned right."""
    kind = "number" if _is_number(child) else None
    return tag("th" if first else "td", child, scope="row" if first else None, class_=kind)


def _is_number(child: Cell) -> bool:
    return isinstance(child, int | float) and not isinstance(child, bool)
