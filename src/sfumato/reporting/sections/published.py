"""The head of the page, what was published, and from what."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.errors import several
from sfumato.reporting.document import Facts, Level, Report
from sfumato.reporting.markup import Cell, Html, code, joined, listed, paragraphs, table, tag, with_options

REASONS = {
    "identifier": "identifies a person; never published",
    "owner": "the key of the person; used to count people, never published",
    "quasi": "others may know it; not selected for this release",
    "sensitive": "not in the file",
    "plain": "not in the file",
}
ROLES = {
    "quasi": "quasi-identifier: others may know it",
    "sensitive": "sensitive: nobody should learn it about a person",
    "plain": "published unchanged",
}


def published(report: Report) -> Html:
    """File, digest, time, people, columns, recoding."""
    facts = report.facts
    parts = [
        table("The release", [], list(_release(facts)), name="release"),
        table(
            "Columns of the file", ["column", "role"], [(n, ROLES.get(r, r)) for n, r in facts.columns.items()], name="columns"
        ),
        _withheld(facts),
        _recoding(facts),
    ]
    if report.unknown:
        parts += [tag("h4", "What is not known"), listed(map(with_options, report.unknown))]
    return joined(parts)


def _release(facts: Facts) -> Iterator[tuple[Cell, Cell]]:
    yield "file", facts.file
    if facts.sha256 and facts.bytes is not None:
        yield "SHA-256", code(facts.sha256)
        yield "size", f"{facts.bytes:,} bytes"
    yield "published", moment(facts.time) if facts.time else "not known: there is no certificate"
    if facts.version:
        yield "made by", f"sfumato {facts.version}, {facts.engine}"
    yield "made from", facts.original or "not known: the original table was not given for this report"
    yield (
        "people",
        several(facts.people, "person", "people") + (", one row each" if facts.basis == "row" else ", counted by owner"),
    )
    yield "rows", several(facts.rows, "row")
    yield (
        "classes",
        f"{several(facts.classes, 'class', 'classes')}, the smallest has {several(facts.smallest_class, 'person', 'people')}",
    )
    if facts.certified:
        schema = "same schema as this report" if facts.schema_fits else "this report uses another schema"
        yield "certificate", f"matches the file; {schema}"
    else:
        yield "certificate", "none"


def moment(time: str) -> Html:
    """A time that people and programs can read."""
    return tag("time", time.replace("T", " ").replace("+00:00", " UTC"), datetime=time)


def _withheld(facts: Facts) -> Html:
    if not facts.withheld:
        return paragraphs("All columns of the schema are in the file.")
    rows = [
        (name, "quasi-identifier" if role == "quasi" else role, REASONS.get(role, "")) for name, role in facts.withheld.items()
    ]
    return table("Withheld columns (not in the file)", ["column", "role", "why"], rows, name="withheld")


def _recoding(facts: Facts) -> Html:
    heading = tag("h4", "How values were generalized")
    if facts.local:
        about = "Local recoding: how far a value is generalized depends on its record, so labels of a column may overlap."
        rows: list[tuple[Cell, ...]] = [(level.attribute, "local", level.height) for level in facts.levels]
    else:
        about = (
            "Each quasi-identifier is published at one level of its hierarchy. Level 0 is the value itself. At the top level all values "
            "have the same label."
        )
        rows = [(level.attribute, _level(level), level.height) for level in facts.levels]
    return joined([heading, paragraphs(about), table("Levels", ["quasi-identifier", "level", "top level"], rows, name="levels")])


def _level(level: Level) -> str:
    if level.level is None:
        return "not known"
    if level.level == level.height:
        return f"{level.level}: fully generalized (*)"
    return "0: unchanged" if level.level == 0 else str(level.level)
