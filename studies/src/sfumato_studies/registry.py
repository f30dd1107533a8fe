"""All exhibits in order, and how to find one by any of its names."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import UsageError, argument, unknown
from sfumato_studies.exhibit import Entry
from sfumato_studies.exhibits import (
    anonymity,
    channel_anonymity,
    channel_privacy,
    distributions,
    figures,
    figures_census,
    figures_curve,
    figures_negotiation,
    figures_profit,
    figures_takeover,
    figures_tradeoff,
    figures_utility,
    lecture,
    patients,
    tables_takeover,
    tables_takeover_loss,
)

EXHIBITS: tuple[Entry, ...] = (
    anonymity.three_anonymous,
    anonymity.skewed,
    anonymity.three_diverse,
    anonymity.close_table,
    distributions.same_distance,
    distributions.stated_prior,
    patients.three_diseases,
    distributions.uniform,
    distributions.uniform_worst,
    patients.four_anonymous,
    patients.three_diverse_patients,
    distributions.salaries,
    lecture.tables,
    lecture.entropy,
    lecture.two_diverse,
    lecture.divergence,
    lecture.salaries,
    figures.metrics,
    figures.insufficient,
    figures.distinct,
    figures_census.domains,
    figures_census.two_qids,
    figures_census.two_ages,
    figures_census.three_qids,
    figures_census.four_pairs,
    figures_tradeoff.least_utility_loss,
    figures_tradeoff.least_privacy_loss,
    figures_tradeoff.both_bounds,
    figures_curve.trade_off,
    figures_profit.profit,
    figures_negotiation.protocols,
    figures_utility.two_qids,
    figures_utility.four_pairs,
    figures_utility.trade_offs,
    tables_takeover.logs,
    tables_takeover.feature_sets,
    tables_takeover.decisions,
    figures_takeover.original,
    figures_takeover.by_subnet,
    figures_takeover.by_country,
    tables_takeover_loss.trade_off,
    channel_privacy.appendix,
    channel_privacy.bounded,
    channel_privacy.knowledge,
    channel_anonymity.counts,
    channel_anonymity.errors,
    channel_anonymity.utility,
)


def names() -> list[str]:
    """Every name of every exhibit."""
    return [name for entry in EXHIBITS for name in (entry.name, *entry.also)]


def chosen(only: Sequence[str] = ()) -> tuple[Entry, ...]:
    """The exhibits with these names, in order, each once; all of them if none is named."""
    for name in only:
        if name not in names():
            raise UsageError(unknown("exhibit", name, names(), within="the reproduction"), where=argument("only"))
    return tuple(entry for entry in EXHIBITS if not only or any(map(entry.known_as, only)))
