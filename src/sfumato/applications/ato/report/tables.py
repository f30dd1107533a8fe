"""Tables of the report in which every cell but the first of a row is a number, or is read as one: a share, a pair, a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.reporting.markup import Cell, Html, framed, head, tag


def numbers(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]], name: str) -> Html:
    """A table whose columns are aligned right, except the first."""
    body = [
        tag("tr", tag("th", first, scope="row"), *(tag("td", each, class_="number") for each in rest)) for first, *rest in rows
    ]
    return framed(caption, head(heads, range(1, len(heads))), body, name=name)


def share(part: int | float | None, whole: int | float = 1) -> str:
    """A share in percent; a dash where there is none.

    >>> share(1, 8), share(None), share(0, 0)
    ('12.5\\xa0%', '–', '–')
    """
    return "–" if part is None or not whole else f"{part / whole:.1%}".replace("%", "\N{NO-BREAK SPACE}%")
