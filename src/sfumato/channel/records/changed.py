"""What the best guesser gains from a release whose sensitive values were changed at random, with stated probabilities.

A published value v means the true value s with the probability a_s M_sv, up to a factor; what a class says of a person is the mean over
its published values (see `operations.posterior`). The certificate states the operation, so the matrix M is public.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.beliefs import Prior
from sfumato.channel.records.channels import Values, known_channel
from sfumato.channel.records.guessing import Guessing
from sfumato.frequency import FrequencySet
from sfumato.operations import Operation
from sfumato.operations.channel import Labels
from sfumato.operations.pram import UNIFORM, Pram
from sfumato.statistics import Floats

CHANGED = ("pram", "record-swap")  # whose matrix follows from the certificate and the distribution of the values


def guessing_changed(published: FrequencySet, sensitive: str, operation: Operation, prior: Prior | None = None) -> Guessing:
    """The best guesses of an attribute that went through `pram` or `record-swap`; QIDs are as they were.

    Parameters
    ----------
    published : FrequencySet
        The classes of the published file.
    sensitive : str
        The attribute.
    operation : Operation
        What changed it.
    prior : Prior, optional
        The distribution before the change. Without it, it is worked out from the file: exactly for swapped values, which are the same,
        and in expectation for post-randomized ones.

    Returns
    -------
    Guessing
        How often the best guess is right before and after, class by class and over all people.
    """
    shown = Values.of(published, sensitive)
    before, shares = (shown, undone(shown, operation)) if prior is None else (_values(shown, prior), prior.shares)
    likelihood = known_channel(before, operation).likelihood(_labels(before), _labels(shown))
    joint = likelihood * shares[:, None]
    meaning = joint / np.maximum(joint.sum(axis=0, keepdims=True), np.finfo(float).tiny)
    payload = published.payloads[sensitive]
    place_of = {label: place for place, label in enumerate(shown.labels)}
    places = np.array([place_of.get(payload.hierarchy.label(0, code), 0) for code in range(payload.hierarchy.codes(0))])
    counts = np.zeros((published.classes, len(shown.labels)))
    np.add.at(counts, (np.repeat(np.arange(published.classes), np.diff(payload.offsets)), places[payload.values]), payload.people)
    posterior = counts / counts.sum(axis=1, keepdims=True) @ meaning.T
    most = np.full(published.classes, float(shares.max()))
    return Guessing(sensitive, published.people, most, np.asarray(posterior.max(axis=1), np.float64))


def undone(shown: Values, operation: Operation) -> Floats:
    """The distribution before the change whose expectation after it is the published one; shares below 0 are 0."""
    if not (isinstance(operation, Pram) and operation.kind == UNIFORM):
        return shown.shares  # swapped, or invariant
    others = (1 - operation.stay) / max(len(shown.labels) - 1, 1)
    if abs(operation.stay - others) < 1e-9:  # every value is published alike: nothing is known
        return np.full(len(shown.labels), 1 / len(shown.labels))
    shares = np.maximum((shown.shares - others) / (operation.stay - others), 0)
    return np.asarray(shares / shares.sum(), np.float64)


def _values(shown: Values, prior: Prior) -> Values:
    return replace(shown, labels=prior.values, rows=prior.people)


def _labels(values: Values) -> Labels:
    return [(label,) for label in values.labels]
