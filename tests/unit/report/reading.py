"""A page as a reader's program sees it: its elements, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, *names: str) -> list[Element]:
        """The elements below that have one of these names, in the order of the page."""
        found = []
        for child in self.children:
            found += [child] if child.name in names else []
            found += child.all(*names)
        return found

    @property
    def words(self) -> str:
        return self.text + "".join(child.words for child in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.open[-1].text += data


def read(page: str) -> Element:
    """The root of a page; refuses one whose elements are not closed in order."""
    reader = _Reader()
    reader.feed(page)
    assert len(reader.open) == 1, f"not closed: {[each.name for each in reader.open[1:]]}"
    return reader.open[0]
