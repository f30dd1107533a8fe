"""A warning where spellings of one value count as diversity."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from sfumato.errors import SpellingWarning
from sfumato.frequency import FrequencySet
from sfumato.vocabulary.spelling import variants_of


def spelling_warnings(counts: FrequencySet, judged: Iterable[str]) -> list[str]:
    """One line per judged attribute whose values occur in several spellings."""
    lines = []
    for name in judged:
        payload = counts.payloads[name]
        labels = (payload.hierarchy.label(0, int(code)) for code in np.unique(payload.values))
        if variants := variants_of(label for label in labels if label is not None):
            lines.append(variants.of_column(name))
    return lines


def warn_of_spellings(counts: FrequencySet, judged: Iterable[str]) -> None:
    """Warn about every judged attribute whose values occur in several spellings."""
    for line in spelling_warnings(counts, judged):
        warnings.warn(line, SpellingWarning, stacklevel=2)
