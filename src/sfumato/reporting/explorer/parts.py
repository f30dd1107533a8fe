"""The parts of the page: controls, legend, the chosen node, and how to read it all."""

from __future__ import annotations

from sfumato.reporting.explorer.thinning import losses_in
from sfumato.reporting.markup import Html, head, joined, paragraphs, tag, void
from sfumato.search.space.trade_off import TradeOff
from sfumato.search.space.within import CLASS, TOTAL

BOUNDS = {
    "epsilon": "ε: privacy, distribution",
    "alpha": "α: privacy, entropy",
    "delta": "δ: utility, distribution",
    "gamma": "γ: utility, entropy",
}


def controls_part(found: TradeOff) -> Html:
    """Axes, basis, and a field per bound."""
    axes = [_axis(axis, f"{axis} axis", losses_in(found.space), chosen) for axis, chosen in zip("xy", found.axes, strict=True)]
    names = {CLASS: "of the worst class", TOTAL: "means over people"}
    options = [tag("option", text, value=name, selected=name == found.bounds.scope) for name, text in names.items()]
    basis = tag("label", "bounds are", tag("select", *options, id="basis"))
    near = [tag("option", "all nodes", value="all"), tag("option", "those within the bounds", value="within")]
    zoom = tag("label", "scales fit", tag("select", *near, id="zoom"))
    bounds = [_bound(found, name) for name in BOUNDS]
    return joined(
        [
            tag("div", *axes, zoom, basis, class_="controls", role="group", aria_label="Axes"),
            tag("div", *bounds, class_="controls", role="group", aria_label="Bounds"),
        ]
    )


def _axis(name: str, text: str, losses: tuple[str, ...], chosen: str) -> Html:
    options = [tag("option", each, value=each, selected=each == chosen) for each in losses]
    return tag("label", text, tag("select", *options, id=name))


def _bound(found: TradeOff, name: str) -> Html:
    value = found.bounds.given.get(name)
    shown = None if value is None else f"{value:.12g}"
    field = void("input", type="number", min="0", step="any", id=name, placeholder="no bound", value=shown, inputmode="decimal")
    return tag("label", BOUNDS[name], tag("small", found.bounds.column(name), data_bound=name), field)


def legend_part() -> Html:
    """What the marks mean; shape and size tell them apart as well as color."""
    dot = '<svg viewBox="0 0 18 14" aria-hidden="true"><circle cx="9" cy="7" r="{}" class="{}"/></svg>'
    rect = '<svg viewBox="0 0 18 14" aria-hidden="true"><rect x="1" y="1" width="16" height="12" class="region"/></svg>'
    items = [
        (dot.format(4, "front"), "front"),
        (dot.format(5, "knee"), "knee, the proposed node"),
        (dot.format(2.8, "dot"), "within the bounds"),
        (dot.format(2.2, "faint"), "outside, or violates a model"),
        (rect, "region of the bounds"),
    ]
    return tag("ul", *(tag("li", Html(mark), text) for mark, text in items), class_="legend")


def chosen_part(found: TradeOff) -> Html:
    """An empty frame, which the script fills with the chosen node."""
    return tag(
        "section",
        tag("h2", "The chosen node ", tag("code", "", class_="node")),
        tag("p", "", id="size"),
        tag("p", "", id="how", class_="soft"),
        tag("pre", tag("code", "", id="command")),
        tag(
            "p",
            tag("button", "Copy the command", type="button", id="copy"),
            " ",
            tag("span", "", id="copied", role="status", class_="soft"),
        ),
        tag(
            "div",
            _frame("Its policy", "policy"),
            _frame("Its losses", "losses", ("loss", "worst class", "mean or total")),
            class_="beside",
        ),
        tag("h3", f"Its classes: {found.sensitive}, prior against posterior"),
        tag("p", "", id="which"),
        tag("div", "", id="classes"),
        id="chosen",
        hidden=True,
    )


def _frame(caption: str, name: str, heads: tuple[str, ...] = ()) -> Html:
    top = head(heads, range(1, len(heads)))
    return tag("div", tag("table", tag("caption", caption), top, tag("tbody", "", id=name)))


def reading_part(found: TradeOff) -> Html:
    """The keys, and the words."""
    keys = [
        (("←", "→"), "along the front"),
        (("Shift + arrow",), "to the nearest dot in that direction"),
        (("Home", "End"), "to an end of the front"),
        (("K",), "to the knee"),
        (("Enter",), "chooses the node; a click does, too, and a second click takes the next node at the same place"),
        (("Escape",), "takes the mark away"),
    ]
    items = [tag("li", joined((tag("kbd", each) for each in names), " "), " ", text) for names, text in keys]
    return tag(
        "section",
        tag("h2", "How to read it"),
        paragraphs(
            "Every dot is a node of the lattice: a level of generalization for each quasi-identifier. Both axes are losses, so lower left "
            "is better. NAME.max is the loss of the worst class, NAME the mean over people or the total.",
            "The knee is a proposal: with both axes scaled to the front, it is the point of the front farthest from the line between "
            "its ends, towards the lower left; if none lies on that side, the point nearest to the lower left corner of the front. Beyond "
            "it, a little less of one loss costs much of the other.",
            "The bars compare what was believed of anybody in the table, the prior (hollow), with what is believed of somebody who is "
            "known to be in the class, the posterior (filled).",
        ),
        tag("h3", "Keys in the plot"),
        tag("ul", *items, id="keys"),
        id="reading",
    )
