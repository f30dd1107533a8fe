"""The owner's sheet: what can be asked for, and under which rules. It tells attributes, levels and labels that the schema declares, and
nothing of the data: no counts, no losses, no values that only occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from sfumato.errors import DataError, NotVerified, UsageError
from sfumato.inputs.shape import Misshapen, Number, Positive, one_of, require_nothing_more, shaped
from sfumato.negotiation.coalition import node_of
from sfumato.negotiation.events import Identity, Offer, Request, Terms, pattern_of
from sfumato.negotiation.owner import FINEST, rounded_up
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.pricing import Price
from sfumato.negotiation.protocol import Rate
from sfumato.negotiation.transcript import Speaker
from sfumato.reporting.words import ROOTED, UNCHANGED, bands_words, label_words
from sfumato.search.lattice import Lattice
from sfumato.signing.canonical import bytes_of, digest_of, text_of
from sfumato.signing.keys import PrivateKey, named
from sfumato.vocabulary.builders import Cuts, Dates, Intervals, Prefix, Zip3
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute

VERSION = 1
MOST_LABELS = 200  # of a level; more are not written down
_PREFIX = b"sfumato negotiation sheet, version 1\x00"
_LONGEST, _LONGEST_TIME = 1000, 10 * 366 * 86_400
Text = Annotated[str, Meta(min_length=1, max_length=_LONGEST)]


@dataclass(frozen=True, slots=True)
class Offered:
    """An attribute: how it looks at each level, in words, and the labels of the levels that declare them (None where none are)."""

    name: Text
    levels: tuple[Text, ...]
    labels: tuple[tuple[str, ...] | None, ...]

    @property
    def height(self) -> int:
        return len(self.levels) - 1

    @classmethod
    def of(cls, attribute: Attribute) -> Offered:
        """What a schema says of an attribute."""
        kind = attribute.kind or Kind.TEXT
        hierarchy = attribute.builder.build(attribute.name, kind, [])
        height = attribute.height()
        labels = [tuple(label for label in hierarchy.at(level) if label is not None) for level in range(height + 1)]
        words = [_words(attribute, level, height, labels[level]) for level in range(height + 1)]
        declared = tuple(
            each if each and len(each) <= MOST_LABELS and 0 < level < height else None for level, each in enumerate(labels)
        )
        return cls(attribute.name, tuple(words), declared)


@dataclass(frozen=True)  # without slots: what follows from a frozen value is computed once
class Sheet:
    """What can be asked for, signed by the owner. `bounds` are the privacy models that every release keeps; `plain` are the columns that
    every release has besides, as they are."""

    id: Identity
    made: Text
    title: Text
    sensitive: Text
    utility: Text
    bounds: tuple[Text, ...]
    rate: Annotated[str, one_of(*Rate)]
    limit: Positive
    valid_for: Annotated[int, Meta(ge=1, le=_LONGEST_TIME)]
    grid: Number
    attributes: tuple[Offered, ...]
    owner: Speaker
    plain: tuple[Text, ...] = ()
    price: Text | None = None
    signature: str = ""
    version: int = VERSION

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)

    @property
    def content(self) -> str:
        """The digest of what is signed."""
        return digest_of({key: value for key, value in self.as_dict().items() if key != "signature"})

    @cached_property
    def digest(self) -> str:
        """The digest that a negotiation names."""
        return digest_of(self.as_dict())

    @cached_property
    def heights(self) -> Mapping[str, int]:
        return {each.name: each.height for each in self.attributes}

    def signed(self, key: PrivateKey) -> Sheet:
        """The sheet with the owner's signature; refuses one that nobody could read."""
        try:
            shaped(self.as_dict(), Sheet, "sheet")
        except Misshapen as error:
            raise UsageError(f"no sheet can be written: {error}", where="negotiate open") from None
        return replace(self, signature=text_of(key.sign(_PREFIX + self.content.encode())))

    def asked(self, event: Request) -> tuple[UtilityPattern, str | None]:
        """The pattern of a request, and what is wrong with the request."""
        pattern = pattern_of(event)
        strange = [name for name in pattern.attributes if name not in self.heights]
        if strange:
            return pattern, "it asks for an attribute that the sheet does not have"
        if event.budget is not None and (self.rate == Rate.FLAT or event.budget < 0):
            return pattern, "its budget is none"
        return pattern, None

    def refuses(self, event: Offer, pattern: UtilityPattern, budget: float | None = None) -> str | None:
        """What is wrong with an offer for a pattern and a budget."""
        terms, heights = event.terms, self.heights
        if any(level > heights[name] for name, level in terms.levels.items()):
            return "it offers a level that the sheet does not have"
        lattice = Lattice(tuple(heights), (0,) * len(heights), tuple(heights.values()))
        if not pattern.matches(np.array([node_of(lattice, terms.levels)]), lattice).all():
            return "it offers what does not match the pattern"
        if set(terms.losses) != {self.utility} or terms.valid_for != self.valid_for:
            return "its terms are not those of the sheet"
        loss = float(terms.losses[self.utility])
        if loss < 0 or float(rounded_up(np.array([loss]), self.grid)[0]) != loss:
            return "its loss is none that the sheet's grid has"
        if terms.price != (None if self.price is None else float(Price.of(self.price).asked([loss])[0])):
            return "its price is not that of the sheet"
        return "it costs more than the user would spend" if budget is not None and (terms.price or 0) > budget else None

    @classmethod
    def of(cls, document: Any, where: str = "sheet") -> Sheet:
        """A sheet from what `as_dict` made; refuses another document, and one that its owner has not signed."""
        try:
            made = shaped(document, cls, where)
            require_nothing_more(document, made.as_dict(), where)
            require_nothing_more(made.as_dict(), document, where)  # nothing is understood that is not written
            held = made.owner.public.signed(_PREFIX + made.content.encode(), bytes_of(made.signature))
        except (Misshapen, ValueError) as error:
            raise DataError(f"not an owner's sheet: {error}", where=where) from None
        if made.version != VERSION or not made.attributes or not named(made.owner.name):
            raise DataError(f"not an owner's sheet of version {VERSION}", where=where)
        if (made.price is None) != (made.rate == Rate.FLAT) or not FINEST <= made.grid <= 1:
            raise DataError("not an owner's sheet: its rate, price and grid do not go together", where=where)
        if not held:
            raise NotVerified("the sheet was changed after its owner signed it", where=where)
        return made

    def in_words(self, terms: Terms) -> str:
        """An offer as people say it: `age in 25-year bands, workclass as Gov or Non-Gov; utility loss 0.91; price 40`."""
        offered = {each.name: each for each in self.attributes}
        parts = [f"{name} {_shown(offered[name], level)}" for name, level in terms.levels.items()]
        losses = [f"utility loss {value:g}" for value in terms.losses.values()]
        price = [] if terms.price is None else [f"price {amount(terms.price)}"]
        return "; ".join([", ".join(parts), *losses, *price])


def amount(number: float) -> str:
    """A price as people write it.

    >>> amount(1234567.82), amount(40.0), amount(0.004)
    ('1,234,567.82', '40', '0.004')
    """
    if abs(number) >= 1e12:
        return f"{number:.12g}"
    return f"{number:,.12g}" if float(f"{number:.2f}") != number else f"{number:,.2f}".removesuffix(".00")


def _shown(attribute: Offered, level: int) -> str:
    """A level in words; few labels are named."""
    labels = attribute.labels[level] if level < len(attribute.labels) else None
    if (
        labels
        and 1 < len(labels) <= 3
        and not attribute.levels[level].startswith("in bands")
        and "band" not in attribute.levels[level]
    ):
        return f"as {' or '.join([', '.join(labels[:-1]), labels[-1]])}"
    return attribute.levels[level]


def _words(attribute: Attribute, level: int, height: int, labels: Sequence[str]) -> str:
    if level in (0, height):
        return UNCHANGED if level == 0 else ROOTED
    if labels:
        return label_words(attribute.name, labels)
    return _declared(attribute, level) or f"in groups, level {level} of {height}"


def _declared(attribute: Attribute, level: int) -> str | None:
    """A level whose labels are not declared, but made from the values."""
    match attribute.builder:
        case Intervals(widths=widths):
            return bands_words(attribute.name, plain(widths[level - 1]))
        case Prefix(keep=keep):
            return f"by the first {keep[level - 1]} characters"
        case Dates(units=units):
            return f"by {units[level - 1]}"
        case Cuts(cuts=cuts):
            return f"in {len(cuts[level - 1]) + 1} bands"
        case Zip3():
            return "by the first 3 digits"
    return None
