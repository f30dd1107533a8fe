"""The parts of the page: controls, legend, the chosen node, and instructions."""

from __future__ import annotations

from sfumato.reporting.explorer.naming import loss_options, loss_words
from sfumato.reporting.explorer.thinning import losses_in
from sfumato.reporting.markup import Html, head, joined, paragraphs, tag, void
from sfumato.search.space.trade_off import TradeOff
from sfumato.search.space.within import CLASS, TOTAL

BOUNDS = {"epsilon": "ε at most", "alpha": "α at most", "delta": "δ at most", "gamma": "γ at most"}


def controls_part(result: TradeOff) -> Html:
    """The axes, the scope of the bounds, and a field for each bound."""
    ways = zip("xy", ("to the right", "upward"), result.axes, strict=True)
    axes = [_axis(axis, f"{way} ({axis} axis)", losses_in(result.space), chosen) for axis, way, chosen in ways]
    names = {CLASS: "the worst class", TOTAL: "the mean over people"}
    options = [tag("option", text, value=name, selected=name == result.bounds.scope) for name, text in names.items()]
    scope = tag("label", "bounds apply to", tag("select", *options, id="scope", name="scope"))
    near = [tag("option", "all nodes", value="all"), tag("option", "nodes within the bounds", value="within")]
    zoom = tag("label", "scales fit", tag("select", *near, id="zoom"))
    bounds = [_bound(result, name) for name in BOUNDS]
    return joined(
        [
            tag("div", *axes, zoom, scope, class_="controls axes", role="group", aria_label="Axes"),
            tag("div", *bounds, class_="controls", role="group", aria_label="Bounds"),
        ]
    )


def _axis(name: str, text: str, losses: tuple[str, ...], chosen: str) -> Html:
    return tag("label", text, tag("select", *loss_options(losses, chosen), id=name, name=name))


def _bound(result: TradeOff, name: str) -> Html:
    known = result.bounds.column(name) in losses_in(result.space)
    value = result.bounds.given.get(name)
    shown = None if value is None else f"{value:.12g}"
    field = void(
        "input",
        type="number",
        min="0",
        step="any",
        id=name,
        name=name,
        placeholder="no bound",
        value=shown,
        inputmode="decimal",
        disabled=not known,
    )
    return tag("label", BOUNDS[name], tag("small", loss_words(result.bounds.column(name)), data_bound=name), field)


def legend_part() -> Html:
    """What the marks mean. They differ in shape and size, not only in color."""
    dot = '<svg viewBox="0 0 18 14" aria-hidden="true"><circle cx="9" cy="7" r="{}" class="{}"/></svg>'
    rect = '<svg viewBox="0 0 18 14" aria-hidden="true"><rect x="1" y="1" width="16" height="12" class="region"/></svg>'
    items = [
        (dot.format(4, "front"), "front"),
        (dot.format(5, "knee"), "knee (suggested)"),
        (dot.format(2.8, "dot"), "within the bounds"),
        (dot.format(2.2, "faint"), "outside, or violates a model"),
        (rect, "area within the bounds"),
    ]
    return tag("ul", *(tag("li", Html(mark), text) for mark, text in items), class_="legend")


def chosen_part(result: TradeOff) -> Html:
    """An empty frame that the script fills with the chosen node."""
    return tag(
        "section",
        tag("h2", "The chosen way"),
        tag("p", tag("strong", "", class_="policy"), " ", tag("code", "", class_="node soft")),
        tag("p", "", id="status"),
        tag("p", "", id="size"),
        tag("p", "", id="how", class_="soft"),
        tag("pre", tag("code", "", id="command")),
        tag(
            "p",
            tag("button", "Copy command", type="button", id="copy"),
            " ",
            tag("span", "", id="copied", role="status", class_="soft"),
        ),
        tag(
            "div",
            _frame("What each column looks like", "policy"),
            _frame(
                "What it reveals and what it costs (losses)", "losses", ("loss; lower is better", "worst class", "mean or total")
            ),
            class_="beside",
        ),
        tag("h3", f"What its classes reveal about {result.sensitive}"),
        tag("p", "", id="which"),
        tag("div", "", id="classes"),
        id="chosen",
        hidden=True,
    )


def _frame(caption: str, name: str, heads: tuple[str, ...] = ()) -> Html:
    top = head(heads, range(1, len(heads)))
    return tag("div", tag("table", tag("caption", caption), top, tag("tbody", "", id=name)))


def reading_part(result: TradeOff) -> Html:
    """How to read the plot, and the keys."""
    keys = [
        (("←", "→"), "move along the front"),
        (("Shift + arrow",), "move to the nearest dot in that direction"),
        (("Home", "End"), "move to an end of the front"),
        (("K",), "move to the knee"),
        (("Enter",), "choose the node; you can also click it, and click again for the next node at the same place"),
        (("Escape",), "remove the mark"),
    ]
    items = [tag("li", joined((tag("kbd", each) for each in names), " "), " ", text) for names, text in keys]
    return tag(
        "section",
        tag("h2", "How to read it"),
        paragraphs(
            "Every dot is a node of the lattice: one level of generalization for each column that others may know. Both axes are losses: "
            "further to the right and further up is worse, so lower left is better, and 0 is nothing learned or nothing lost. In the "
            "menus, NAME.max is the loss of the worst class; NAME is the mean over people, or the total.",
            "The chosen way follows the knee until you choose another one. Then it stays when axes or bounds change, and the page shows "
            "how it compares.",
            "The knee is a suggestion. Both axes are scaled to the front. The knee is the point of the front that is farthest from the "
            "line between its ends, towards the lower left. If no point is on that side, it is the point nearest to the lower left corner "
            "of the front. Beyond the knee, a little less of one loss costs much of the other.",
            "The bars compare two beliefs. The prior (hollow) is what someone believes about anyone in the table. The posterior (filled) "
            "is what they believe about a person whose class they know.",
        ),
        tag("h3", "Keys in the plot"),
        tag("ul", *items, id="keys"),
        id="reading",
    )
