"""What was tried on this release: attacks that were run, and what the models claim to stop."""

from __future__ import annotations

from sfumato.errors import several
from sfumato.models.about import ATTACKS
from sfumato.reporting.attacked import Attacks, Promised, Tried
from sfumato.reporting.document import Report
from sfumato.reporting.markup import Cell, Html, joined, paragraphs, table
from sfumato.results import percentage

ATTACKED_TITLE = "What was tried on this release"


def attacked(report: Report) -> Html:
    """One row per attack, and one per satisfied model."""
    found = report.attacks
    if found is None:
        return paragraphs("No attack was run: 'sfumato attack' does it.")
    heads = ["attack", "against", "about", "rate", "interval", "baseline", "outcome", "succeeds on"]
    tried = [each for each in found.tried if each.rate is not None]
    parts = [
        paragraphs(_about(found), *_read(found)),
        table("Attacks that were run", heads, map(_row, tried), name="attack-rows"),
    ]
    parts += [_remarks(tried), _untried(found), _claims(found)]
    return joined(parts)


def _about(found: Attacks) -> str:
    who = f"The attacker, {_article(found.attacker)}, knows" if found.attacker else "The attacker knows"
    return (
        f"{who} {', '.join(found.held)} of people. The rate is the share of the attacker's targets about whom a claim was made and right, "
        f"with its 95 % confidence interval. The baseline is the rate of the same attacker without the release. An attack is stopped if "
        f"the interval does not lie above the baseline; this is not shown if the attacker sees fewer than nine in ten of the people, "
        f"because values were changed or labels are not understood. The figures were computed with the original table, so they are for "
        f"its owner. "
        f"Seed {found.seed}."
    )


def _read(found: Attacks) -> list[str]:
    """How the release was read, if its values were changed."""
    return [f"{found.remark[:1].upper()}{found.remark[1:]}."] if found.remark else []


def _article(attacker: str | None) -> str:
    return f"{'an' if (attacker or '')[:1] in 'aeio' else 'a'} {attacker}"


def _row(each: Tried) -> tuple[Cell, ...]:
    where = f"{several(each.classes, 'class', 'classes')}, {several(each.rows, 'row')}" if each.classes else ""
    ends = f"{percentage(each.low or 0)} to {percentage(each.high or 0)}"
    numbers = percentage(each.rate or 0), ends, percentage(each.baseline or 0)
    against = ATTACKS[each.threat].partition(":")[0] if each.threat in ATTACKS else each.threat
    return each.attack, against, each.about or "", *numbers, each.outcome, where


def _remarks(tried: list[Tried]) -> Html:
    return paragraphs(*(f"{each.attack}: {each.remark}." for each in tried if each.remark))


def _untried(found: Attacks) -> Html:
    """What could not be tried, and why."""
    left = [each for each in found.tried if each.rate is None]
    if not left:
        return joined([])
    return table(
        "Attacks that were not run", ["attack", "why"], [(each.attack, each.remark or "") for each in left], name="untried"
    )


def _claims(found: Attacks) -> Html:
    """The ticks of the lecture's Table 2.1 for the satisfied models, beside what was observed."""
    if not found.promised:
        return joined([])
    heads = ["satisfied model", *(about.partition(":")[0] for about in ATTACKS.values())]
    rows = [(each.model, *(_observed(each, threat) for threat in ATTACKS)) for each in found.promised]
    return table("What the models claim to stop (✓), and what was observed", heads, rows, name="claims")


def _observed(each: Promised, threat: str) -> str:
    if threat not in each.tried:
        return ""
    through, tried = each.through[threat], each.tried[threat]
    if not tried:
        return "✓ not tried"
    blind = f", {len(each.not_shown[threat])} not shown" if each.not_shown[threat] else ""
    if through:
        return f"✓ {len(through)} of {tried} get through{blind}: {', '.join(through)}"
    return f"✓ {tried - len(each.not_shown[threat])} of {tried} stopped{blind}" if blind else f"✓ all {tried} stopped"
