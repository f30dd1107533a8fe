"""A negotiation told in plain words, and what comes next."""

from __future__ import annotations

from datetime import datetime, timedelta

from sfumato.errors import several, visible
from sfumato.negotiation.events import (
    Accept,
    CounterOffer,
    Deliver,
    Event,
    Expire,
    Offer,
    Party,
    Reject,
    Relax,
    Request,
    RequestRejected,
    Terminate,
    pattern_of,
)
from sfumato.negotiation.files.record import Record
from sfumato.negotiation.files.sheet import Sheet, amount
from sfumato.negotiation.pattern import EXACT, UtilityPattern
from sfumato.negotiation.protocol import State

_NEXT = {
    State.REQUESTED: "the owner answers: sfumato negotiate answer {file} --key OWNER.key",
    State.OFFERED: "the user decides: sfumato negotiate accept {file} --key USER.key (or reject, terminate)",
    State.REJECTED: "the owner answers: sfumato negotiate answer {file} --key OWNER.key",
    State.REFUSED: "the user asks for less: sfumato negotiate relax {file} --key USER.key (or terminate)",
    State.AGREED: "the owner delivers: sfumato negotiate deliver {file} --key OWNER.key -o FOLDER",
    State.DELIVERED: "nothing: the release was delivered",
    State.TERMINATED: "nothing: it has ended",
    State.EXPIRED: "nothing: the offer expired; a new request begins anew",
}
_ASKS = "the user asks for something else: sfumato negotiate relax {file} --key USER.key (or terminate)"


def story(record: Record) -> list[str]:
    """One line per event."""
    said = record.transcript
    names = {Party.OWNER: said.owner.name, Party.USER: said.user.name}
    lines = []
    for entry, made in zip(said.entries, record.negotiation.history, strict=True):
        when = datetime.fromisoformat(entry.time).strftime("%Y-%m-%d %H:%M")
        who = f"{made.party.value} {names[made.party]}"
        lines.append(visible(f"{when} {who} {_sentence(record.sheet, made.event, entry.time)}"))
    return lines


def rules_in_words(sheet: Sheet) -> list[str]:
    """What holds for every offer of a sheet."""
    comes = ", ".join((sheet.sensitive, *sheet.plain))
    price = "" if sheet.price is None else f", and its price, {sheet.price}"
    lines = [
        f"every release has {comes} as {'they are' if sheet.plain else 'it is'}, and keeps {', '.join(sheet.bounds)}",
        f"an offer states its {sheet.utility} loss, rounded up to {sheet.grid:g}{price}",
        f"the owner, {sheet.owner.name}, answers at most {sheet.limit} times; an offer is open for {_duration(sheet.valid_for)}",
    ]
    return [visible(line) for line in lines]


def _duration(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    return f"{seconds:,} s" if rest or not days else several(days, "day")


def following(record: Record, file: str) -> str:
    """Who does what next."""
    state = record.negotiation
    words = _ASKS if state.state is State.REJECTED and state.turn is Party.USER else _NEXT[state.state]
    if (
        state.turn is not None
        and state.answers >= state.limit
        and state.state in (State.REQUESTED, State.REJECTED, State.REFUSED)
    ):
        words = "the owner has no answers left; either side ends it: sfumato negotiate terminate {file} --key YOUR.key"
    return words.format(file=file)


def _sentence(sheet: Sheet, event: Event, time: str) -> str:
    match event:
        case Request():
            spend = "" if event.budget is None else f", for at most {amount(event.budget)}"
            return f"{'asks instead for' if isinstance(event, Relax) else 'asks for'} {_asked(sheet, pattern_of(event))}{spend}"
        case Offer():
            until = datetime.fromisoformat(time) + timedelta(seconds=event.terms.valid_for)
            word = "offers instead" if isinstance(event, CounterOffer) else "offers"
            return f"{word} {sheet.in_words(event.terms)} (until {until:%Y-%m-%d %H:%M})"
        case Accept():
            return "accepts the offer"
        case Reject():
            return "rejects the offer"
        case RequestRejected() | Terminate() | Expire():
            word = {RequestRejected: "rejects the request", Terminate: "ends it", Expire: "lets the offer expire"}[type(event)]
            return f"{word}: {event.sentence}"
        case Deliver():
            return f"delivers the release (certificate {event.certificate[:12]}…)"


def _asked(sheet: Sheet, pattern: UtilityPattern) -> str:
    """`age and sex as they are, then workclass up to level 1 of 2`"""
    heights = sheet.heights
    parts = []
    for layer, share in zip(pattern.layers, pattern.shares, strict=True):
        if share == 0:
            parts.append(f"{', '.join(layer)} as {'it is' if len(layer) == 1 else 'they are'}")
        elif share == 1:
            parts.append(f"{', '.join(layer)} at any level")
        else:
            parts.append(", ".join(_up_to(name, int(share * heights[name] + EXACT), heights[name]) for name in layer))
    return ", then ".join(parts)


def _up_to(name: str, level: int, height: int) -> str:
    return f"{name} up to level {level} of {height}" if level else f"{name} as it is"
