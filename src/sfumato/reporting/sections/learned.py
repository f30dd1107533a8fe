"""What others learn and what the release costs, in a few measures, each with how to read it."""

from __future__ import annotations

from sfumato.reporting import pictures
from sfumato.reporting.definitions import READINGS
from sfumato.reporting.document import Report
from sfumato.reporting.markup import Cell, Html, joined, link, paragraphs, table, tag
from sfumato.reporting.sentences import people, share

LEARNED_TITLE = "What others learn, and what it costs"
SHOWN = ("distribution", "utility-distribution")


def learned(report: Report) -> Html:
    """Two measures per sensitive column, and how much detail was lost."""
    rows: list[tuple[Cell, ...]] = []
    for place, findings in enumerate(report.findings):
        for name in SHOWN if findings.sensitive else ():
            each, reading = findings.losses[name], READINGS[name]
            drawn = pictures.gauge(
                f"gauge-{place}-{name}",
                f"{reading.words} {findings.sensitive}",
                each.people_mean,
                each.max,
                reading.most or each.max,
            )
            what = joined([link(f"loss-{name}", reading.words), f" {findings.sensitive}"])
            rows.append((what, drawn, each.people_mean, each.max, f"{reading.zero}; {reading.worst}"))
    if "loss" in report.information:
        value, reading = report.information["loss"], READINGS["loss"]
        drawn = pictures.gauge("gauge-detail", reading.words, value, value, reading.most or 1)
        rows.append((link("loss-loss", reading.words), drawn, value, None, f"{reading.zero}; {reading.worst}"))
    if not rows:
        return joined(
            [
                tag("h2", LEARNED_TITLE),
                paragraphs("The file has no sensitive column. Nothing can be learned except who is in it."),
            ]
        )
    about = "Lower is better everywhere. The bar is the mean over people, the mark the worst class. All measures are among the details."
    return joined(
        [
            tag("h2", LEARNED_TITLE),
            paragraphs(about),
            table(
                "Measures",
                ["what", "from 0 to the worst case", "on average", "worst class", "how to read it"],
                rows,
                name="learned-rows",
            ),
        ]
    )


def differences(report: Report) -> Html:
    """How the suppressed differ from the others, one line per column: the label with the largest difference."""
    left = report.suppressed.people or 0
    rows: list[tuple[Cell, ...]] = []
    for place, each in enumerate(report.overview.differences or ()):
        if not each.rows:
            rows.append((each.column, "no label that enough people have", "", "", ""))
            continue
        label, kept, suppressed = each.rows[0]
        total = report.facts.rows if report.facts.basis == "owner" else report.facts.people
        away = left if report.facts.basis == "row" else max(sum(row[2] for row in each.rows), 1)
        drawn = pictures.two_shares(f"difference-{place}", f"{each.column}: {label}", kept / total, suppressed / max(away, 1))
        rows.append((each.column, label, share(kept, total), share(suppressed, away), drawn))
    heads = ["column", "where they differ most", "in the file", "suppressed", "shares"]
    caption = f"The {people(left)} who were suppressed, compared with those in the file"
    parts = [pictures.legend(("was", "in the file"), ("now", "suppressed")), table(caption, heads, rows, name="differences")]
    return joined(parts)
