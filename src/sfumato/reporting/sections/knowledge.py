"""What someone learns who knows only some of the quasi-identifiers, and how suppressing people changed the table."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import several
from sfumato.reporting import svg
from sfumato.reporting.document import AttributeFindings, BeliefChange, Report, Suppression
from sfumato.reporting.markup import Cell, Html, joined, paragraphs, table, tag
from sfumato.reporting.sections.learned import differences
from sfumato.reporting.sections.losses import belief_chart

COMBINATIONS_TITLE = "What someone learns who knows only some columns"
MOST_ROWS = 20
MOST_BARS = 12
STYLES = {
    "drop": "They are not in the file.",
    "star": "They are in the file with * in every quasi-identifier, and belong to no class.",
}


def combinations(report: Report) -> Html:
    """Every subset of the QIDs, most revealing first."""
    about = (
        "Few people know all quasi-identifiers of another person. Each row shows a combination of columns, the classes that someone sees "
        "who knows only these columns, and what the classes reveal."
    )
    parts = [paragraphs(about)]
    if report.combinations_of == "pairs":
        parts.append(
            paragraphs("There are too many quasi-identifiers to measure every combination. The table has single ones and pairs.")
        )
    for place, findings in enumerate(report.findings):
        if findings.combinations:
            parts += [tag("h4", str(findings.sensitive)), _combinations(findings, f"combinations-{place}")]
    if not any(findings.combinations for findings in report.findings):
        parts.append(paragraphs("This could not be measured."))
    return joined(parts)


def _combinations(findings: AttributeFindings, name: str) -> Html:
    shown = findings.combinations[:MOST_ROWS]
    bars = [(", ".join(each.attributes), each.distribution_max, f"{each.distribution_max:.3g}") for each in shown[:MOST_BARS]]
    title = f"Largest distribution loss of {findings.sensitive}, by the columns that someone knows"
    about = f"{several(len(bars), 'bar')}. The most revealing combination is {bars[0][0]}: {bars[0][1]:.4g}."
    drawn = svg.bars(name, title, about, bars, "largest distribution loss")
    rows = [
        (", ".join(c.attributes), c.distribution_max, c.distribution_people_mean, c.entropy_max, c.classes, c.smallest_class)
        for c in shown
    ]
    heads = [
        "known columns",
        "largest distribution loss",
        "mean over people",
        "largest entropy loss",
        "classes",
        "smallest class",
    ]
    caption = f"{several(len(findings.combinations), 'combination')}, most revealing first"
    if len(findings.combinations) > len(shown):
        caption += f"; the first {len(shown)} are shown"
    parts = [tag("figure", drawn, tag("figcaption", f"{title}.")), table(caption, heads, rows, name=f"{name}-rows")]
    if len(findings.shares) > 1:
        falls: list[tuple[Cell, ...]] = [(share.attribute, share.share) for share in findings.shares]
        caption = "How much the mean distribution loss falls if one column is left out"
        parts.append(table(caption, ["column left out", "fall"], falls, name=f"{name}-falls"))
    return joined(parts)


def suppressed(report: Report) -> Html:
    """How many people were left out, and how this changed the table."""
    suppression, heading = report.suppressed, tag("h2", "Suppressed people")
    if suppression.people is None:
        text = "Whether people were left out is not known: there is no certificate and no original table."
        return joined([heading, paragraphs(text)])
    if not suppression.people:
        rows = (
            f" {several(suppression.rows, 'row was', 'rows were')} left out, of people who have other rows."
            if suppression.rows
            else ""
        )
        return joined([heading, paragraphs(f"Nobody was suppressed.{rows}")])
    parts = [heading, paragraphs(_extent(suppression), "They are not a random sample, so the remaining table is shifted.")]
    if report.overview.differences:
        parts.append(differences(report))
    elif suppression.changes is None:
        parts.append(paragraphs("Who they are and how removing them changed the columns is not shown."))
    if suppression.changes:
        parts.append(tag("details", tag("summary", "What removing them changed"), _changes(suppression.changes)))
    return joined(parts)


def _changes(changes: Mapping[str, BeliefChange]) -> Html:
    parts = []
    for place, (name, change) in enumerate(changes.items()):
        shift = f"Removing them shifts the distribution of {name} by {change.loss:.4g} (distribution loss; 0: not at all)."
        parts += [tag("h3", name), paragraphs(shift)]
        parts.append(belief_chart(change, f"suppressed-{place}", f"{name} with and without them", ("all people", "the release")))
    return joined(parts)


def _extent(suppression: Suppression) -> str:
    """How many people, rows and classes, and what became of them."""
    text = f"{several(suppression.people or 0, 'person', 'people')}, {suppression.share:.2%} of all"
    if suppression.rows is not None and suppression.classes is not None:
        text += f": {several(suppression.rows, 'row')} in {several(suppression.classes, 'class', 'classes')}"
    return (
        f"{text}. {STYLES.get(suppression.style or '', '')}{' Their sensitive values are left out.' if suppression.blank else ''}"
    )
