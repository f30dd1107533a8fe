"""The first screen: whether the release is safe in the sense asked, what is still disclosed, and how many people look alike."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.reporting import pictures
from sfumato.reporting.asking import model_words
from sfumato.reporting.document import Facts, Judgment, Report
from sfumato.reporting.markup import Html, joined, link, listed, paragraphs, tag, with_options
from sfumato.reporting.sentences import listed_names, one_in, people, share, still_disclosed

SUMMARY_TITLE = "Is it safe in the sense asked?"
ALIKE_TITLE = "How many people look alike"
STATUS = {
    "satisfied": ("good", "✓ Yes. The release keeps everything that was asked."),
    "violated": ("bad", "✗ No. The release does not keep "),
    "not_applicable": ("soft", "– Not known. Nothing that was asked could be judged."),
    "not_judged": ("soft", "– Nothing was asked. No privacy model was judged."),
}
SIGNS = {True: ("good", "✓"), False: ("bad", "✗"), None: ("soft", "–")}


def warnings(report: Report) -> Html:
    """What should make a reader stop, before everything else."""
    return joined(tag("p", with_options(warning), class_="note bad") for warning in report.warnings)


def summary(report: Report) -> Html:
    """The verdict in words, model by model, and what is still disclosed."""
    kind, status = STATUS[report.status]
    violated = [_named(each) for each in report.judgments if each.verdict and each.verdict.satisfied is False]
    status += ", ".join(violated) + "." if violated else ""
    asked = tag("ul", *(tag("li", _asked(each, report)) for each in report.judgments), class_="asked") if report.judgments else ""
    return joined(
        [
            tag("h2", SUMMARY_TITLE),
            tag("p", _size(report), class_="lead"),
            tag("p", status, class_=f"verdict {kind}"),
            asked,
            still(report),
        ]
    )


def _named(judgment: Judgment) -> str:
    return f"{judgment.model} of {judgment.sensitive}" if judgment.sensitive else judgment.model


def _size(report: Report) -> str:
    """What the release is, in one sentence."""
    facts, left = report.facts, report.suppressed.people
    whole = f"{facts.people:,} of {facts.people + left:,} people" if left else people(facts.people)
    columns = listed_names([name for name, role in facts.columns.items() if role == "quasi"], 4)
    about = listed_names([name for name, role in facts.columns.items() if role == "sensitive"], 3)
    text = f"The file has {whole} and {several(len(facts.columns), 'column')}. Others may know {columns}"
    return f"{text}; nobody should learn {about} of a person." if about else f"{text}."


def _asked(judgment: Judgment, report: Report) -> Html:
    kind, sign = SIGNS[judgment.verdict.satisfied if judgment.verdict else None]
    asked, came_out = model_words(judgment, quasi_of(report.facts))
    name = link(f"model-{judgment.model.partition(':')[0]}", judgment.model)
    text = f"{asked[0].upper()}{asked[1:]}: "
    return joined(
        [
            tag("span", sign, class_=f"tick {kind}"),
            " ",
            text,
            tag("strong", came_out),
            ". ",
            tag("span", name, class_="word" if " " not in judgment.model else None),
        ]
    )


def quasi_of(facts: Facts) -> list[str]:
    """The columns that others may know."""
    return [name for name, role in facts.columns.items() if role == "quasi"]


def still(report: Report) -> Html:
    """What the release discloses although every model holds."""
    lines = still_disclosed(report)
    if not report.overview.disclosed:
        lines.insert(0, "The file has no sensitive column, so the classes reveal nothing but who may be in the file.")
    lines.append(
        "Whoever knows more columns of a person than those above, or has another release of the same table, may learn more."
    )
    return tag("div", tag("h3", "What is still disclosed"), listed(lines), class_="amber")


def alike(report: Report) -> Html:
    """People by the size of their class and the risk of being recognized, before and now; and the chosen node."""
    sizes = report.overview.sizes
    picture = pictures.sizes_picture("sizes", sizes)
    keys = [("was", "before"), ("now", "now")] if sizes.before else [("now", "now")]
    unit = "people with the same values in all columns that others may know (a class)"
    caption = tag("figcaption", f"People by the number of {unit}.")
    figure = tag("figure", pictures.legend(*keys), picture, caption)
    return joined(
        [
            tag("h2", ALIKE_TITLE),
            tag("div", figure, tag("div", paragraphs(*risk_sentences(report)), _lattice(report)), class_="two"),
        ]
    )


def risk_sentences(report: Report) -> list[str]:
    """The risk of being recognized, before and now."""
    before, now, sizes = report.overview.risk_before, report.risk, report.overview.sizes
    if before is None or sizes.before is None:
        return [
            f"Whoever looks for a person in the file finds at least {people(report.facts.smallest_class)} who fit.",
            f"The highest risk of being recognized is {one_in(now.prosecutor_max)}, the mean {one_in(now.prosecutor_mean)}.",
        ]
    lines = [
        _before_and_now("The highest risk of being recognized", before.prosecutor_max, now.prosecutor_max),
        _before_and_now("The mean", before.prosecutor_mean, now.prosecutor_mean),
    ]
    alone, still_alone = sizes.before[0], sizes.after[0]  # the first size is one
    if alone or still_alone:
        lines.append(
            f"Alone with their values were {share(alone, sum(sizes.before))}; now {share(still_alone, sum(sizes.after))}."
        )
    return lines


def _before_and_now(what: str, before: float, now: float) -> str:
    if one_in(before) == one_in(now):
        return f"{what} is {one_in(now)}, as before."
    return f"{what} was {one_in(before)}; now it is {one_in(now)}."


def _lattice(report: Report) -> Html:
    """The chosen node among all nodes; nothing if the release is at none."""
    levels = [level.level for level in report.facts.levels]
    known = [level for level in levels if level is not None]
    if len(known) < len(levels) or not levels:
        return Html("")
    drawn = pictures.lattice_picture("lattice", known, [level.height for level in report.facts.levels])
    caption = "All ways to generalize these columns, and the chosen one: further up, more is blurred."
    return tag("figure", drawn, tag("figcaption", caption), class_="small")
