"""Templates: what a release for a known purpose must satisfy, with the reason and the source of each number.

A template of models says which must hold and how many people may be suppressed. Safe Harbor has no models: it is a fixed recoding, so
its release is published at the node that the template gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sfumato.errors import UsageError, argument, several, unknown
from sfumato.profiling.suggest import Suggestion
from sfumato.profiling.words import AGES, BIRTHS, POSTCODES, SMALL_PLACES, words_of
from sfumato.vocabulary.builders import Addresses, Builder, Cuts, Dates, Suppression, Zip3
from sfumato.vocabulary.kinds import Kind, Role

OLDEST = 90
HARBOR = "hipaa-safe-harbor"


@dataclass(frozen=True, slots=True)
class Template:
    """Models, those for sensitive attributes, the largest share of suppressed people, and why."""

    name: str
    models: tuple[str, ...] = ()
    for_sensitive: tuple[str, ...] = ()
    suppress: str = "0"
    why: tuple[str, ...] = ()

    def models_for(self, sensitive: Sequence[str]) -> tuple[str, ...]:
        """The models for a table with these sensitive attributes."""
        return self.models + (self.for_sensitive if sensitive else ())


PLAIN = Template("none", ("k-anonymity:5",), why=("k-anonymity:5: nobody is in a class of fewer than five people.",))
TEMPLATES = {
    "public-use": Template(
        "public-use",
        ("k-anonymity:12",),
        ("distinct-diversity:2",),
        "5%",
        (
            "k-anonymity:12: anybody may try. The European Medicines Agency recommends a risk of 0.09 at most for clinical reports that it",
            "publishes (Policy 0070, external guidance); 1/12 is below it, 1/11 above. The Centers for Medicare and Medicaid Services",
            "publish no cell of fewer than 11 people (cell size suppression policy).",
            "distinct-diversity:2: not everybody in a class has the same sensitive value (Machanavajjhala et al. 2006).",
            "suppress 5%: our choice. Rare people are left out rather than everybody blurred.",
        ),
    ),
    "research-use": Template(
        "research-use",
        ("k-anonymity:5",),
        (),
        "5%",
        (
            "k-anonymity:5: for researchers who are bound by an agreement not to identify anybody. Five is common practice",
            "(El Emam and Dankar 2008, Protecting privacy using k-anonymity).",
            "suppress 5%: our choice. Rare people are left out rather than everybody blurred.",
        ),
    ),
    HARBOR: Template(
        HARBOR,
        why=(
            "45 CFR 164.514(b)(2): the 18 kinds of identifiers are withheld, except for the first three digits of ZIP codes where more",
            "than 20,000 people live, ages up to 89 and the years of dates. It is a rule, not a measurement: 'sfumato measure' shows what",
            "a release still gives away. Besides, you must have no actual knowledge that somebody can be identified.",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Harbored:
    """Suggestions under Safe Harbor, and the level at which each quasi-identifier is published."""

    suggestions: tuple[Suggestion, ...]
    node: Mapping[str, int]
    absent: tuple[str, ...]  # what the rule is about and the table does not seem to have


def template_of(name: str | None) -> Template:
    """A template by name."""
    if name is None:
        return PLAIN
    if name not in TEMPLATES:
        raise UsageError(unknown("template", name, TEMPLATES, within="this version"), where=argument("template"))
    return TEMPLATES[name]


def harbored(suggestions: Sequence[Suggestion]) -> Harbored:
    """The suggestions as Safe Harbor has them; refuses a table in which it finds nothing to protect."""
    made, node, touched = [], {}, 0
    for each in suggestions:
        decided, level = _harbored(each)
        made.append(decided)
        touched += decided.attribute.role in (Role.IDENTIFIER, Role.OWNER) or level > 0
        if decided.attribute.role is Role.QUASI:
            node[each.attribute.name] = level
    if not touched:
        raise UsageError(
            f"none of the {several(len(suggestions), 'column')} looks like a ZIP code, an age, a date or another identifier of "
            "45 CFR 164.514(b)(2); is it a table about patients?",
            where=argument("template"),
        )
    builders = [each.attribute.builder for each in made]
    kinds = {"ZIP codes": Zip3, "ages": Cuts, "dates": Dates}
    absent = tuple(what for what, kind in kinds.items() if not any(isinstance(builder, kind) for builder in builders))
    return Harbored(tuple(made), node, absent)


def _harbored(suggestion: Suggestion) -> tuple[Suggestion, int]:
    """A column under Safe Harbor, and its level."""
    as_quasi, words = suggestion.as_quasi, words_of(suggestion.attribute.name)
    if as_quasi is None:  # what says who somebody is, what is sensitive, what is the same for everybody
        return suggestion, 0
    if words & BIRTHS:
        return suggestion.withheld("a birth date shows ages over 89; add a column with the age"), 0
    if as_quasi.kind in (Kind.DATE, Kind.TIMESTAMP):
        return _published(suggestion, Dates(("year", "decade")), "of dates only the year is published"), 1
    if words & POSTCODES and as_quasi.kind in (Kind.TEXT, Kind.INTEGER):
        return _published(suggestion, Zip3(), "three digits of a ZIP code, where more than 20,000 people live"), 1
    if words & AGES and as_quasi.kind in (Kind.INTEGER, Kind.DECIMAL):
        years = tuple(map(Decimal, range(1, OLDEST + 1)))
        return _published(suggestion, Cuts((years, years[4::5])), "ages over 89 are one group"), 1
    if words & SMALL_PLACES or isinstance(as_quasi.builder, Addresses) or "map" in suggestion.reason:
        return suggestion.withheld("a place smaller than a state, or an address of a device"), 0
    return _published(suggestion, Suppression(), "none of the 18 identifiers: published as it is"), 0


def _published(suggestion: Suggestion, builder: Builder, reason: str) -> Suggestion:
    attribute = suggestion.as_quasi or suggestion.attribute
    return replace(suggestion, attribute=replace(attribute, role=Role.QUASI, builder=builder), reason=reason, how="")
