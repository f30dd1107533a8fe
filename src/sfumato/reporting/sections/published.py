"""What was published, and from what; and what a reader should know before all else."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import several
from sfumato.reporting.document import Facts, Judgment, Level, Report
from sfumato.reporting.markup import Cell, Html, code, joined, listed, paragraphs, table, tag

STATUS = {
    "satisfied": ("good", "✓ Every model that was judged is satisfied."),
    "violated": ("bad", "✗ Violated: "),
    "not_applicable": ("soft", "– No model could be judged."),
    "not_judged": ("soft", "– No model was judged."),
}
REASONS = {
    "identifier": "tells who somebody is; never published",
    "owner": "the person’s key; counts people and is never published",
    "quasi": "others may know it; not chosen for this release",
    "sensitive": "not in the file",
    "plain": "not in the file",
}
ROLES = {
    "quasi": "quasi-identifier: others may know it",
    "sensitive": "sensitive: nobody should learn it about a person",
    "plain": "published as it is",
}


def in_short(report: Report) -> Html:
    """The head of the page: the verdict, five figures, warnings."""
    kind, said = STATUS[report.status]
    facts, violated = report.facts, [_of(each) for each in report.judgments if each.verdict and each.verdict.satisfied is False]
    said += ", ".join(violated) + "." if violated else ""
    figures: list[tuple[str, Cell]] = [
        ("people", facts.people),
        ("classes", facts.classes),
        ("smallest class", facts.smallest_class),
    ]
    for learned in report.learned[:1]:
        if "distribution" in learned.losses:
            figures.append(("largest distribution loss", learned.losses["distribution"].max))
    figures.append(("highest risk of being found", f"1 in {round(1 / report.risk.prosecutor_max):,}"))
    tiles = tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in figures), class_="figures")
    warnings = [tag("p", warning, class_="note bad") for warning in report.warnings]
    return joined([tag("p", said, class_=f"verdict {kind}"), tiles, *warnings])


def _of(judgment: Judgment) -> str:
    return f"{judgment.model} of {judgment.sensitive}" if judgment.sensitive else judgment.model


def published(report: Report) -> Html:
    """File, digest, time, people, columns, recoding."""
    facts = report.facts
    parts = [
        tag("h2", "What was published"),
        table("The release", [], list(_release(facts)), name="release"),
        table(
            "Columns of the file", ["column", "role"], [(n, ROLES.get(r, r)) for n, r in facts.columns.items()], name="columns"
        ),
        _withheld(facts),
        _recoding(facts),
    ]
    if report.unknown:
        parts += [tag("h3", "What is not known"), listed(report.unknown)]
    return joined(parts)


def _release(facts: Facts) -> Iterator[tuple[Cell, Cell]]:
    yield "file", facts.file
    if facts.sha256 and facts.bytes is not None:
        yield "SHA-256", code(facts.sha256)
        yield "size", f"{facts.bytes:,} bytes"
    yield "published", moment(facts.time) if facts.time else "not known: there is no certificate"
    if facts.version:
        yield "made by", f"sfumato {facts.version}, {facts.engine}"
    yield "made from", facts.original or "the original was not given for this report"
    yield "people", several(facts.people, "person", "people") + (", a row each" if facts.basis == "row" else ", counted by owner")
    yield "rows", several(facts.rows, "row")
    yield "classes", f"{several(facts.classes, 'class', 'classes')}, the smallest of {facts.smallest_class:,}"
    if facts.certified:
        fits = "read under the schema that was certified" if facts.schema_fits else "the schema is not the one that was certified"
        yield "certificate", f"fits the file; {fits}"
    else:
        yield "certificate", "none"


def moment(time: str) -> Html:
    """A time for people and machines."""
    return tag("time", time.replace("T", " ").replace("+00:00", " UTC"), datetime=time)


def _withheld(facts: Facts) -> Html:
    if not facts.withheld:
        return paragraphs("No column was withheld.")
    rows = [(name, role, REASONS.get(role, "")) for name, role in facts.withheld.items()]
    return table("Columns that were withheld", ["column", "role", "why"], rows, name="withheld")


def _recoding(facts: Facts) -> Html:
    heading = tag("h3", "How values were generalized")
    if facts.local:
        told = "Locally: the label of a value depends on the whole record, so that labels of one column may overlap."
        rows: list[tuple[Cell, ...]] = [(level.attribute, "local", level.height) for level in facts.levels]
    else:
        told = "Every quasi-identifier stands at one level of its hierarchy. Level 0 is the value itself; at its height nothing is told."
        rows = [(level.attribute, _level(level), level.height) for level in facts.levels]
    return joined([heading, paragraphs(told), table("Levels", ["quasi-identifier", "level", "height"], rows, name="levels")])


def _level(level: Level) -> str:
    if level.level is None:
        return "not known"
    if level.level == level.height:
        return f"{level.level}: withheld (*)"
    return "0: as it was" if level.level == 0 else str(level.level)
