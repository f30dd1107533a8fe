"""How models are described: the attacks they claim to stop, and the parts of their docstrings."""

from __future__ import annotations

import inspect
import re

from sfumato.models.parameter import WithParameters

ATTACKS = {
    "R": "record linkage: which row is this person’s?",
    "A": "attribute linkage: what is this person’s sensitive value?",
    "T": "table linkage: is this person in the table at all?",
    "P": "probabilistic: how much has the release changed what one believes about this person?",
}
# Where a new part of a docstring begins.
LEADS = re.compile(r"(?:(?<=\n)|(?<=[.;] ))(?=(?:Blind to|Monotone|Not monotone|Example|Enhanced|Strict)\b[^.\n]*?: )")


def about(model: type[WithParameters]) -> str:
    """The docstring without its indentation."""
    return inspect.cleandoc(model.__doc__ or "")


def parts_of(text: str) -> list[str]:
    """The parts of a docstring: its paragraphs, divided at what the model is blind to, whether it is monotone, and the example."""
    return [part.strip() for paragraph in text.split("\n\n") for part in LEADS.split(paragraph) if part.strip()]
