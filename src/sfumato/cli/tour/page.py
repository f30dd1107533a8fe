"""The page at the end of the tour: pictures, what was printed, and links to what was made."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from sfumato._version import __version__
from sfumato.cli.tour.running import Ran, Visited
from sfumato.errors import several
from sfumato.reporting.markup import Html, joined, listed, tag, text, void
from sfumato.reporting.shell import document
from sfumato.reporting.style import style

_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}
_OWN = """
figure.shown{max-width:44rem}
figure.shown img{display:block;width:100%;height:auto;background:#fff;border:1px solid var(--line);border-radius:.375rem}
pre.printed{white-space:pre;overflow-x:auto;font-size:.75rem;line-height:1.25;
font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.stops{columns:18rem;max-width:none}
"""


def page(visited: Sequence[Visited], folder: Path) -> str:
    """The whole page; pictures are part of it, pages are linked."""
    body = [
        tag("a", "Skip to the tour", href="#main", class_="skip"),
        _header(visited),
        tag(
            "main",
            _contents(visited),
            *(_stop(place, each, folder) for place, each in enumerate(visited, 1)),
            id="main",
            tabindex="-1",
        ),
        tag("footer", tag("p", "Links lead to files in the folder of this page. It loads nothing and sends nothing.")),
    ]
    return document("A tour of sfumato", style() + _OWN, "", body)


def _header(visited: Sequence[Visited]) -> Html:
    ran = [each for each in visited if each.left_out is None]
    commands = sum(len(each.ran) for each in ran)
    about = f"{several(commands, 'command')} at {several(len(ran), 'stop')} in {sum(each.seconds for each in ran):,.0f} seconds, by sfumato"
    return tag("header", tag("h1", "A tour of sfumato"), tag("p", f"{about} {__version__}", class_="soft"))


def _contents(visited: Sequence[Visited]) -> Html:
    items = [tag("li", tag("a", each.stop.title, href=f"#stop-{place}"), _mark(each)) for place, each in enumerate(visited, 1)]
    return tag("section", tag("h2", "Stops"), tag("ol", *items, class_="stops"))


def _mark(visited: Visited) -> str:
    if visited.left_out:
        return " (left out)"
    return " (failed)" if visited.failed else ""


def _stop(place: int, visited: Visited, folder: Path) -> Html:
    stop = visited.stop
    parts: list[Html] = [tag("h2", f"{place}. {stop.title}"), tag("p", stop.about)]
    if visited.left_out:
        parts.append(tag("p", f"Left out: {visited.left_out}.", class_="note"))
        return tag("section", *parts, id=f"stop-{place}")
    if visited.failed:
        parts.append(tag("p", "The last command of this stop failed; it is shown below.", class_="note bad"))
    parts += [_picture(folder / name, caption) for name, caption in stop.pictures if (folder / name).is_file()]
    parts.append(
        listed(tag("a", title, href=name) for name, title in stop.pages if (folder / name).is_file()) if stop.pages else Html("")
    )
    summary = f"{several(len(visited.ran), 'command')} and what {'they' if len(visited.ran) > 1 else 'it'} printed, {visited.seconds:.1f} s"
    parts.append(tag("details", tag("summary", summary), *map(_printed, visited.ran), open=visited.failed))
    return tag("section", *parts, id=f"stop-{place}")


def _printed(ran: Ran) -> Html:
    shown = joined([tag("b", f"$ sfumato {ran.command.line}"), Html("\n"), text(ran.printed.rstrip())])
    return tag("pre", shown, class_="printed", tabindex="0")


def _picture(path: Path, caption: str) -> Html:
    data = base64.b64encode(path.read_bytes()).decode()
    image = void("img", src=f"data:{_KINDS[path.suffix]};base64,{data}", alt=caption)
    return tag("figure", image, tag("figcaption", caption), class_="shown")
