"""What an owner learns about the others from the union.

An owner who takes its own share out of a union has the sum of the others'; of two owners, exactly the other's share. So every owner in
turn attacks, with its own log and with the shares of the others added up. An attack is a question with the answers yes and no: it is
right or wrong about each target, and the baseline is to give always the answer that is right more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import sfumato as sf
from sfumato.applications.ato.collaborating.counting import Bools, Whole

_UNIT = "addresses by period"
QUESTIONS = {
    "customers": "an owner has people at an address: has another owner people there, too?",
    "newcomers": "from one period to the next: did exactly one person of the others come to an address, or leave it?",
    "other-of-two": "of two owners, one subtracts its own share: what are the other's counts?",
}


@dataclass(frozen=True, slots=True)
class Attacked:
    """One attack on the raw counts, and on the protected ones."""

    raw: sf.attacks.Attempt
    protected: sf.attacks.Attempt


def attacked(raw: Whole, shared: Whole) -> dict[str, Attacked]:
    """Every attack; the arrays have people by owner, period, key and kind."""
    return {name: Attacked(attack(raw, raw), attack(raw, shared)) for name, attack in _ATTACKS.items()}


def _customers(raw: Whole, shared: Whole) -> sf.attacks.Attempt:
    truths, answers, singles = [], [], []
    for own, others, known in _attackers(raw, shared):
        targets, people = own.any(axis=2), others.sum(axis=2)
        truths.append(people[targets] > 0)
        answers.append(known.sum(axis=2)[targets] > 0)
        singles.append(people[targets] == 1)
    single, claimed = np.concatenate(singles), np.concatenate(answers)
    figures = {"of single people": float(claimed[single].mean())} if single.any() else {}
    return _attempt("customers", "T", np.concatenate(truths), claimed, figures)


def _newcomers(raw: Whole, shared: Whole) -> sf.attacks.Attempt:
    truths, answers = [], []
    for _, others, known in _attackers(raw, shared):
        people = others.sum(axis=2)
        targets = (people[1:] > 0) | (people[:-1] > 0)
        truths.append(_by_one(people)[targets])
        answers.append(_by_one(known.sum(axis=2))[targets])
    return _attempt("newcomers", "T", np.concatenate(truths), np.concatenate(answers), {})


def _by_one(people: Whole) -> Bools:
    return np.asarray(np.abs(np.diff(people, axis=0)) == 1, bool)


def _other_of_two(raw: Whole, shared: Whole) -> sf.attacks.Attempt:
    """Here the answer is a pair of counts; the baseline is to answer with the most frequent one."""
    targets = raw.any(axis=3)
    _, counts = np.unique(raw[targets], axis=0, return_counts=True)
    tries, hits = int(targets.sum()), int((raw == shared).all(axis=3)[targets].sum())
    return sf.attacks.Attempt("other-of-two", "A", tries=tries, hits=hits, baseline=float(counts.max() / tries), unit=_UNIT)


def _attackers(raw: Whole, shared: Whole) -> Iterator[tuple[Whole, Whole, Whole]]:
    """For each owner: its own people, all others', and what it knows of the others."""
    everybody, union = raw.sum(axis=0), shared.sum(axis=0)
    for own, share in zip(raw, shared, strict=True):
        yield own, everybody - own, union - share


def _attempt(name: str, threat: str, truth: Bools, answers: Bools, figures: dict[str, float]) -> sf.attacks.Attempt:
    tries = len(truth)
    often = float(truth.mean()) if tries else 0.0
    hits, baseline = int((truth == answers).sum()), max(often, 1 - often)
    return sf.attacks.Attempt(name, threat, tries=tries, hits=hits, baseline=baseline, unit=_UNIT, figures=figures)


_ATTACKS = {"customers": _customers, "newcomers": _newcomers, "other-of-two": _other_of_two}
