"""The explorer as one self-contained HTML page. Without its script it shows the front as a table."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato._version import __version__
from sfumato.errors import several
from sfumato.progress import Progress
from sfumato.reporting.explorer.assets import rules, script
from sfumato.reporting.explorer.data import MOST_ROWS, FileNames, data_of
from sfumato.reporting.explorer.naming import loss_words, named_node, named_nodes
from sfumato.reporting.explorer.parts import chosen_part, controls_part, legend_part, reading_part
from sfumato.reporting.explorer.thinning import MOST_ON_PAGE
from sfumato.reporting.markup import Html, cell, code, framed, inline_json, joined, paragraphs, tag
from sfumato.reporting.shell import document
from sfumato.search.space.trade_off import TradeOff


def page(result: TradeOff, files: FileNames | None = None, progress: Progress | None = None, most: int = MOST_ON_PAGE) -> str:
    """The whole page; the trade-off must have a node within its bounds."""
    files = files or FileNames()
    data = data_of(result, files, progress, most)
    body = [
        tag("a", "Skip to the plot", href="#plot", class_="skip"),
        _header(result, files),
        tag("main", _explorer(result, data["nodes"]), chosen_part(result), _front(result), reading_part(result), id="main"),
        _footer(data["few"]),
        tag("script", inline_json(data), type="application/json", id="data"),
    ]
    return document(f"Trade-off: {files.table}", rules(), script(), body)


def _header(result: TradeOff, files: FileNames) -> Html:
    about = result.space.about
    facts = [
        f"{several(about.people, 'person', 'people')}; sensitive: {result.sensitive}; models: {', '.join(about.models) or 'none'}",
        f"; up to {several(about.limit, 'person', 'people')} suppressed" if about.limit else "",
        f". Made by sfumato {__version__}.",
    ]
    lead = (
        "Each dot is one way to generalize the table (a node). Further to the right is worse, and so is further up: dots at the lower left "
        "are better. Choose a dot to see what it reveals and the command that publishes it."
    )
    return tag(
        "header", tag("h1", "Privacy against utility: ", code(files.table)), tag("p", *facts, class_="soft"), paragraphs(lead)
    )


def _explorer(result: TradeOff, nodes: int) -> Html:
    plot = tag(
        "div",
        Html("<svg></svg><canvas></canvas><svg></svg>"),
        tag("div", "", id="tip", hidden=True, aria_hidden="true"),
        id="plot",
        class_="plot",
        tabindex="0",
        role="application",
        aria_label="Every node by the two selected losses",
        aria_describedby="keys",
    )
    parts = tag("div", controls_part(result), plot, legend_part(), tag("p", "", id="announced", role="status", class_="unseen"))
    left_out = paragraphs(_thinned(result, nodes)) if nodes < len(result.space) else Html("")
    log = joined([tag("p", _log(result), id="log", role="status"), tag("p", "", id="beside", class_="soft"), left_out])
    shown = tag("div", parts, class_="needs-script", hidden=True)
    without = tag("noscript", paragraphs("The plot needs JavaScript. The front is shown below as a table."))
    return tag("section", without, shown, log, id="explorer")


def _log(result: TradeOff) -> str:
    knee = "" if result.knee is None else named_node(result, result.knee)
    return (
        f"{int(result.within.sum()):,} of {several(len(result.space), 'node')} "
        f"{_kept(result)}, {len(result.front):,} of them on the "
        f"front. The knee is {knee}."
    )


def _kept(result: TradeOff) -> str:
    if result.bounds.given:
        return "are within the bounds"
    return "satisfy the models" if result.space.about.models else "are compared (no models, no bounds)"


def _thinned(result: TradeOff, nodes: int) -> str:
    x, y = result.axes
    return (
        f"This page holds {nodes:,} of the {several(len(result.space), 'node')}: the whole front of {x} and {y}, under the given bounds "
        "and without bounds; the best node of every loss; and a selection of the others, spread over the plot. With other axes or bounds, "
        "the counts and the front only include nodes on this page."
    )


def _front(result: TradeOff) -> Html:
    """The front as given; the script replaces it when axes or bounds change."""
    x, y = result.axes
    heads = [tag("th", "what the columns look like", scope="col")]
    heads += [tag("th", loss_words(name), scope="col", class_="number", id=key) for name, key in ((x, "head-x"), (y, "head-y"))]
    heads += [tag("th", name, scope="col", class_="number") for name in ("classes", "smallest class")]
    region = framed("Sorted by the x axis", tag("thead", tag("tr", *heads)), _rows(result), name="the-front")
    body = region.replace("<tbody>", '<tbody id="front">', 1)
    return tag(
        "section",
        tag("h2", "The best compromises (the front)"),
        paragraphs("No other node is as good on both axes and better on one."),
        Html(body),
        tag("p", _left_out(len(result.front)), id="front-more", class_="soft"),
    )


def _rows(result: TradeOff) -> Iterator[Html]:
    shown = [int(result.front[place]) for place in spread(len(result.front))]
    for place, words in zip(shown, named_nodes(result, shown), strict=True):
        numbers = [result.space[name][place].item() for name in (*result.axes, "classes", "smallest")]
        yield tag("tr", cell(words, first=True), *map(cell, numbers))


def spread(front: int) -> list[int]:
    """The places of the front that the table shows: all, or so many evenly spread from one end to the other."""
    return list(range(front)) if front <= MOST_ROWS else [place * (front - 1) // (MOST_ROWS - 1) for place in range(MOST_ROWS)]


def _left_out(front: int) -> str:
    return f"{MOST_ROWS} of {front:,} are listed, evenly spread; the plot has all." if front > MOST_ROWS else ""


def _footer(few: int) -> Html:
    return tag(
        "footer",
        tag(
            "p",
            "Do not publish this page: it reveals more about the table than a release does. It does not contain labels or sensitive values "
            f"of classes with fewer than {few} people, or the names of sensitive values that fewer than 5 people have. It loads nothing "
            "and sends nothing.",
        ),
    )
