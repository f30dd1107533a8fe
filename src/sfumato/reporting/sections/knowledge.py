"""What somebody learns who knows only some of the quasi-identifiers; and what the going of people changed."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.reporting import svg
from sfumato.reporting.document import Learned, Report
from sfumato.reporting.markup import Cell, Html, joined, paragraphs, table, tag
from sfumato.reporting.sections.losses import believed

MOST_ROWS = 20
MOST_BARS = 12
STYLES = {"drop": "They left the file.", "star": "They stay in the file, with * in every quasi-identifier, and form no class."}


def combinations(report: Report) -> Html:
    """Every subset of the QIDs, those that give away most first."""
    about = (
        "Few know all quasi-identifiers of somebody. For every combination: the classes that somebody sees who knows only these, and what "
        "they tell."
    )
    parts = [tag("h2", "What is learned from some of the columns"), paragraphs(about)]
    if report.combinations_of == "pairs":
        parts.append(
            paragraphs("There are too many quasi-identifiers to look at every combination: single ones and pairs are told.")
        )
    for place, learned in enumerate(report.learned):
        if learned.combinations:
            parts += [tag("h3", str(learned.sensitive)), _combinations(learned, f"combinations-{place}")]
    if not any(learned.combinations for learned in report.learned):
        parts.append(paragraphs("This cannot be told here."))
    return joined(parts)


def _combinations(learned: Learned, name: str) -> Html:
    shown = learned.combinations[:MOST_ROWS]
    bars = [(", ".join(each.attributes), each.distribution_max, f"{each.distribution_max:.3g}") for each in shown[:MOST_BARS]]
    title = f"Largest distribution loss of {learned.sensitive}, by what is known"
    about = f"{several(len(bars), 'bar')}. Most is learned by who knows {bars[0][0]}: {bars[0][1]:.4g}."
    drawn = svg.bars(name, title, about, bars, "largest distribution loss")
    rows = [
        (", ".join(c.attributes), c.distribution_max, c.distribution_people_mean, c.entropy_max, c.classes, c.smallest_class)
        for c in shown
    ]
    heads = ["known", "largest distribution loss", "its mean over people", "largest entropy loss", "classes", "smallest class"]
    caption = f"{several(len(learned.combinations), 'combination')}, those that tell most first"
    if len(learned.combinations) > len(shown):
        caption += f"; the first {len(shown)} are shown"
    parts = [tag("figure", drawn, tag("figcaption", f"{title}.")), table(caption, heads, rows, name=f"{name}-rows")]
    if len(learned.shares) > 1:
        falls: list[tuple[Cell, ...]] = [(share.attribute, share.share) for share in learned.shares]
        parts.append(
            table("Withheld alone, the mean distribution loss falls by", ["column", "fall"], falls, name=f"{name}-falls")
        )
    return joined(parts)


def suppressed(report: Report) -> Html:
    """How many people were left out, and how their going changed the table."""
    gone, heading = report.gone, tag("h2", "Suppressed people")
    if gone.people is None:
        return joined(
            [heading, paragraphs("Whether people were left out is not known: there is no certificate, and no original.")]
        )
    if not gone.people:
        rows = f" {several(gone.rows, 'row')} of people who have others were left out." if gone.rows else ""
        return joined([heading, paragraphs(f"Nobody was suppressed.{rows}")])
    told = f"{several(gone.people, 'person', 'people')}, {gone.share:.2%} of all"
    if gone.rows is not None and gone.classes is not None:
        told += f": {several(gone.rows, 'row')} in {several(gone.classes, 'class', 'classes')}"
    parts = [heading, paragraphs(f"{told}. {STYLES.get(gone.style or '', '')}", "Who leaves is no sample.")]
    if gone.changes is None:
        parts.append(paragraphs("How their going changed the sensitive attributes cannot be told from the file."))
    for place, (name, change) in enumerate((gone.changes or {}).items()):
        moved = f"Their going moved the distribution of {name} by {change.loss:.4g} (distribution loss)."
        parts += [tag("h3", name), paragraphs(moved)]
        parts.append(believed(change, f"gone-{place}", f"{name} with and without them", ("everybody", "the release")))
    return joined(parts)
