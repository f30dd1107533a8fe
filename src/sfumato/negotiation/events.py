"""What the parties say to each other: frozen values, each with an id from its sender.

An offer is accepted by its id and by the digest of its terms, so that nobody can be bound to terms that were never offered. Every
ending has a reason, one word for machines, and a sentence for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta, to_builtins

from sfumato.errors import UsageError
from sfumato.inputs.shape import Count, Digest, Misshapen, Number, Positive, require_nothing_more, shaped
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.signing.canonical import digest_of

Identity = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
Sentence = Annotated[str, Meta(min_length=1, max_length=500)]
Word = Annotated[str, Meta(min_length=1, max_length=60)]


class Party(StrEnum):
    """Who speaks."""

    OWNER = "owner"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Terms:
    """What is offered: the level of each attribute (the others are withheld), what it costs in utility, rounded up to a grid, its price,
    and how many seconds the offer is open."""

    levels: Mapping[str, Count]
    losses: Mapping[str, Number]
    valid_for: Positive
    price: Number | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of its canonical JSON (RFC 8785)."""
        return digest_of(to_builtins(self))


@dataclass(frozen=True, slots=True)
class Request:
    """The user asks for a release that matches a pattern, and may say how much to spend at the most."""

    kind: ClassVar[str] = "request"
    id: Identity
    pattern: Mapping[str, Any]
    budget: Number | None = None


@dataclass(frozen=True, slots=True)
class Relax(Request):
    """The user asks for less."""

    kind: ClassVar[str] = "relax"


@dataclass(frozen=True, slots=True)
class Offer:
    """The owner's first answer to a pattern."""

    kind: ClassVar[str] = "offer"
    id: Identity
    terms: Terms


@dataclass(frozen=True, slots=True)
class CounterOffer(Offer):
    """Another offer for the same pattern, after a rejection."""

    kind: ClassVar[str] = "counter-offer"


@dataclass(frozen=True, slots=True)
class Accept:
    """The user takes an offer: this one, with these terms."""

    kind: ClassVar[str] = "accept"
    id: Identity
    offer: Identity
    digest: Digest


@dataclass(frozen=True, slots=True)
class Reject:
    """The user does not take an offer."""

    kind: ClassVar[str] = "reject"
    id: Identity
    offer: Identity


@dataclass(frozen=True, slots=True)
class RequestRejected:
    """The owner has no (further) offer for this pattern."""

    kind: ClassVar[str] = "request-rejected"
    id: Identity
    reason: Word
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Terminate:
    """A party ends it."""

    kind: ClassVar[str] = "terminate"
    id: Identity
    reason: Word
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Deliver:
    """The owner hands over the release that was agreed: the digest of its certificate, which names the file's."""

    kind: ClassVar[str] = "deliver"
    id: Identity
    offer: Identity
    certificate: Digest


@dataclass(frozen=True, slots=True)
class Expire:
    """An offer was open for its time."""

    kind: ClassVar[str] = "expire"
    id: Identity
    offer: Identity
    reason: Word
    sentence: Sentence


Event = Request | Relax | Offer | CounterOffer | Accept | Reject | RequestRejected | Terminate | Deliver | Expire
KINDS: Mapping[str, type[Any]] = {
    each.kind: each for each in (Request, Relax, Offer, CounterOffer, Accept, Reject, RequestRejected, Terminate, Deliver, Expire)
}


def as_dict(event: Event) -> dict[str, Any]:
    """For machines; what is not said is not written."""
    return {"kind": event.kind, **_said(to_builtins(event))}


def _said(value: Any) -> Any:
    return {key: _said(each) for key, each in value.items() if each is not None} if isinstance(value, Mapping) else value


def event_of(entry: Any, where: str = "event") -> Event:
    """An event from what `as_dict` made; `Misshapen` if it is none."""
    kind = entry.get("kind") if isinstance(entry, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise Misshapen(f"kind must be one of {', '.join(KINDS)} (at {where})")
    body = {key: value for key, value in entry.items() if key != "kind"}
    event: Event = shaped(body, KINDS[kind], where)
    require_nothing_more(body, as_dict(event), where)
    if isinstance(event, Request):
        _require_pattern(event.pattern, where)
    return event


def pattern_of(event: Request) -> UtilityPattern:
    """The pattern that is asked for."""
    return UtilityPattern.of(event.pattern)


@dataclass(frozen=True, slots=True)
class _Pattern:
    layers: Annotated[list[Annotated[list[str], Meta(min_length=1, max_length=100)]], Meta(min_length=1, max_length=100)]
    shares: Annotated[list[Annotated[float, Meta(ge=0, le=1)]], Meta(min_length=1, max_length=100)]


def _require_pattern(entry: Any, where: str) -> None:
    made = shaped(entry, _Pattern, f"{where}.pattern")
    require_nothing_more(entry, to_builtins(made), f"{where}.pattern")
    try:
        UtilityPattern.of(entry)
    except UsageError as error:
        raise Misshapen(f"{error.message} (at {where}.pattern)") from None
