"""Attacks on a sensitive value: from what a pool shows, the attacker decides whether to claim a value, and is right about some
people.

A *rule* says for each pool and each value whether the claim is right of somebody who has the value. It is given how often each
pool has each value, and how many people these counts stand for. There are two baselines.
Where the attacker could follow the rule without the release, the baseline is the rule applied to the whole table as one class.
Where the rule compares a pool with the whole table, nothing would be claimed without the release, and the baseline is how often
the same claims are right of anybody. Where values were changed, a certain claim may be right by chance: the larger one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.base import Attack, Attempt, better
from sfumato.attacks.fitting.pools import Pools
from sfumato.attacks.view import Secret, View
from sfumato.frequency import Counts, Mask
from sfumato.statistics import TOLERANCE, Floats

Rule = Callable[[Counts, Counts], Mask]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a rule gives: how many people of the original the claims are right about, how many they would be right about if people were
    like those of the whole table, and the pools where they are right."""

    hits: int
    expected: float
    pools: Counts


def judged(view: View, secret: Secret, rule: Rule, by: Pools) -> Judged:
    """Apply a rule to every pool."""
    hits, expected, found, belief = 0, 0.0, [np.zeros(0, np.int64)], secret.belief()
    for block in view.blocks(secret, by):
        right = rule(block.released, block.people)
        of_pool = np.where(right, block.true, 0).sum(axis=1)
        hits += int(of_pool.sum())
        expected += float((block.true.sum(axis=1) * np.where(right, belief, 0.0).sum(axis=1)).sum())
        found.append(block.pools[of_pool > 0])
    return Judged(hits, expected, np.concatenate(found))


def without_release(secret: Secret, rule: Rule) -> float:
    """The rate of the same rule for somebody who knows the distribution of the whole table only."""
    total = int(secret.prior.sum())
    return (
        float(np.where(rule(secret.prior[None, :], secret.prior.sum(keepdims=True))[0], secret.prior, 0).sum() / total)
        if total
        else 0.0
    )


def attempt(
    attack: Attack,
    view: View,
    secret: Secret,
    rule: Rule,
    *,
    compares: bool = False,
    figures: Mapping[str, float] | None = None,
) -> Attempt:
    """An attempt by a rule about one sensitive attribute: every person of the original is a target. `compares`: the rule compares a pool
    with the whole table."""
    total = int(secret.prior.sum())
    alone = 0.0 if compares else without_release(secret, rule)
    by_chance = compares or view.changed or view.redrawn(secret.name)

    def by(pools: Pools) -> Attempt:
        found = judged(view, secret, rule, pools)
        return Attempt(
            attack=str(attack),
            threat=attack.threat,
            about=secret.name,
            tries=total,
            hits=float(found.hits),
            baseline=max(alone, found.expected / max(total, 1) if by_chance else 0.0),
            classes=view.numbers_of_pools(found.pools, pools),
            figures=figures or {},
            visible=view.visible,
        )

    return better([by(pools) for pools in view.ways])


def shares(counts: Counts) -> Floats:
    """Each row as shares; zeros for an empty one."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(counts / np.maximum(total, 1))


def top(beliefs: Floats, confidence: float) -> Mask:
    """The most probable value of each row, the first of equals, where it is at least as probable as stated."""
    chosen = np.zeros(beliefs.shape, bool)
    best = beliefs.argmax(axis=1)
    chosen[np.arange(len(beliefs)), best] = True
    sure = (beliefs[np.arange(len(beliefs)), best] >= confidence - TOLERANCE) & (beliefs.sum(axis=1) > 0)
    return np.asarray(chosen & sure[:, None])
