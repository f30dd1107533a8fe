"""The explorer as one HTML page that needs nothing else. Without its script it shows the front as a table."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato._version import __version__
from sfumato.errors import several
from sfumato.progress import Progress
from sfumato.reporting.explorer.assets import rules, script
from sfumato.reporting.explorer.data import Source, data_of, encoded
from sfumato.reporting.explorer.parts import chosen_part, controls_part, legend_part, reading_part
from sfumato.reporting.explorer.thinning import MOST_ON_PAGE
from sfumato.reporting.markup import Html, cell, code, framed, joined, paragraphs, tag
from sfumato.reporting.shell import document
from sfumato.search.space.trade_off import TradeOff

MOST_ROWS = 500


def page(found: TradeOff, source: Source | None = None, progress: Progress | None = None, most: int = MOST_ON_PAGE) -> str:
    """The whole page; the trade-off must have a node within its bounds."""
    source = source or Source()
    data = data_of(found, source, progress, most)
    body = [
        tag("a", "To the plot", href="#plot", class_="skip"),
        _header(found, source),
        tag("main", _explorer(found, data["nodes"]), chosen_part(found), _front(found), reading_part(found), id="main"),
        _footer(data["few"]),
        tag("script", Html(encoded(data)), type="application/json", id="data"),
    ]
    return document(f"Trade-off: {source.table}", rules(), script(), body)


def _header(found: TradeOff, source: Source) -> Html:
    about = found.space.about
    told = [
        f"{several(about.people, 'person', 'people')}; sensitive: {found.sensitive}; models: {', '.join(about.models) or 'none'}",
        f"; up to {several(about.limit, 'person', 'people')} suppressed" if about.limit else "",
        f". Made by sfumato {__version__}.",
    ]
    return tag("header", tag("h1", "Privacy against utility: ", code(source.table)), tag("p", *told, class_="soft"))


def _explorer(found: TradeOff, nodes: int) -> Html:
    plot = tag(
        "div",
        Html("<svg></svg><canvas></canvas><svg></svg>"),
        tag("div", "", id="tip", hidden=True, aria_hidden="true"),
        id="plot",
        class_="plot",
        tabindex="0",
        role="application",
        aria_label="Every node by the two chosen losses",
        aria_describedby="keys",
    )
    parts = tag("div", controls_part(found), plot, legend_part(), tag("p", "", id="said", role="status", class_="unseen"))
    left_out = paragraphs(_thinned(found, nodes)) if nodes < len(found.space) else Html("")
    log = joined([tag("p", _log(found), id="log", role="status"), tag("p", "", id="beside", class_="soft"), left_out])
    shown = tag("div", parts, class_="needs-script", hidden=True)
    without = tag("noscript", paragraphs("The plot needs the script of this page; the front stands below as a table."))
    return tag("section", without, shown, log, id="explorer")


def _log(found: TradeOff) -> str:
    levels = found.space.evaluations.levels[found.knee].tolist()
    return (
        f"{int(found.within.sum()):,} of {several(len(found.space), 'node')} "
        f"{'within the bounds' if found.bounds.given else 'that satisfy the models'}; front {len(found.front):,}; "
        f"knee [{','.join(map(str, levels))}]."
    )


def _thinned(found: TradeOff, nodes: int) -> str:
    x, y = found.axes
    return (
        f"This page holds {nodes:,} of the {several(len(found.space), 'node')}: the whole front of {x} and {y} under the bounds as given "
        "and without any, the best node of every loss, of the others one for each place of a grid, and more of them as far as there is "
        "room. On other axes or under other bounds, counts and front are those of the nodes in the page."
    )


def _front(found: TradeOff) -> Html:
    """The front as it was found; the script writes it anew when axes or bounds change."""
    x, y = found.axes
    heads = [tag("th", "levels", scope="col")]
    heads += [tag("th", name, scope="col", class_="number", id=key) for name, key in ((x, "head-x"), (y, "head-y"))]
    heads += [tag("th", name, scope="col", class_="number") for name in ("classes", "smallest class")]
    names = ", ".join(found.space.lattice.attributes)
    region = framed(f"By rising x; levels of {names}", tag("thead", tag("tr", *heads)), _rows(found), name="the-front")
    body = region.replace("<tbody>", '<tbody id="front">', 1)
    return tag(
        "section", tag("h2", "The front"), paragraphs("Nothing else is as good on both axes and better on one."), Html(body)
    )


def _rows(found: TradeOff) -> Iterator[Html]:
    nodes = found.space.evaluations
    for place in found.front[:MOST_ROWS].tolist():
        levels = "[" + ",".join(map(str, nodes.levels[place].tolist())) + "]"
        numbers = [found.space[name][place].item() for name in (*found.axes, "classes", "smallest")]
        yield tag("tr", cell(code(levels), first=True), *map(cell, numbers))


def _footer(few: int) -> Html:
    return tag(
        "footer",
        tag(
            "p",
            "This page is the owner’s: it tells more about the table than a release does. Labels and sensitive values of classes of "
            f"fewer than {few} people are not in it, nor the names of sensitive values that fewer than 5 people hold. It loads nothing "
            "and sends nothing.",
        ),
    )
