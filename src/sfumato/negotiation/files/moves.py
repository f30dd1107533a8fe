"""The moves of a negotiation by files. Each reads a record, makes one move, and writes the record back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from uuid import uuid4

from sfumato.commit.call import may_be_changed, one_call
from sfumato.commit.locks import held
from sfumato.commit.places import unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import NotVerified, UsageError, argument
from sfumato.negotiation.events import (
    Accept,
    Event,
    Expire,
    Offer,
    Party,
    Reject,
    Relax,
    Request,
    RequestRejected,
    Terminate,
)
from sfumato.negotiation.files.clock import SYSTEM, Clock
from sfumato.negotiation.files.desk import Desk, Shown, desk_at, desk_of, require_fitting
from sfumato.negotiation.files.record import Record, document_of
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.owner import LEDGER
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import IllegalMove, Negotiation, Rate
from sfumato.negotiation.transcript import Speaker, Transcript
from sfumato.signing.keys import PrivateKey

EXPIRED = "expired"
Place = str | PathLike[str]


def private_key(key: PrivateKey | Place) -> PrivateKey:
    """A key, or the one in a file."""
    return key if isinstance(key, PrivateKey) else PrivateKey.read(key)


def read_sheet(path: Place) -> Sheet:
    """A sheet from its file."""
    path = Path(path)
    return Sheet.of(document_of(path), str(path))


def read_sheet_or_record(path: Path) -> Sheet | Record:
    """Whichever a file is."""
    document = document_of(path)
    return Sheet.of(document, str(path)) if isinstance(document, dict) and "attributes" in document else Record.read(path)


@one_call()
def request(
    sheet: Place,
    pattern: UtilityPattern | str,
    key: PrivateKey | Place,
    output: Place,
    *,
    budget: float | None = None,
    force: bool = False,
    clock: Clock = SYSTEM,
) -> Record:
    """Begin a negotiation: the user's first move.

    Parameters
    ----------
    sheet : path
        The owner's sheet.
    pattern : UtilityPattern or str
        What is asked for, as in `age,sex > workclass`.
    key : PrivateKey or path
        The user's key.
    output : path
        The record to write, which goes to the owner.
    budget : float, optional
        What to spend at the most.
    force : bool
        Replace what exists.
    clock : Clock
        The time, and the numbers of the negotiation and the event.
    """
    offered, key = read_sheet(sheet), private_key(key)
    pattern = UtilityPattern.parse(pattern) if isinstance(pattern, str) else pattern
    pattern.require_known(tuple(offered.heights))
    if budget is not None and (offered.rate == Rate.FLAT or not 0 <= budget < float("inf")):
        raise UsageError("a budget is a number from 0 up, for a sheet with a price", where=argument("budget"))
    begun = Transcript(uuid4().hex, offered.digest, offered.rate, offered.limit, offered.owner, Speaker.of(key.public))
    if begun.owner.key == begun.user.key:
        raise UsageError("this is the owner's key; a user has another", where=argument("key"))
    event = Request(clock.fresh, pattern.as_dict(), budget)
    record = Record(offered, begun.with_event(Party.USER, event, clock.time, key))
    write_text(Path(output), record.text(), force=force)
    return record


@dataclass(frozen=True, slots=True)
class Answered:
    """The record with the owner's answer, and whether that is new. For the owner alone: how many matching policies keep the bounds, how
    many of them the ledger still allows, and the earlier offers that are in the way, if it allows none."""

    record: Record
    new: bool
    room: tuple[int, int] = (0, 0)
    in_the_way: tuple[Shown, ...] = ()


@one_call()
def answer(path: Place, key: PrivateKey | Place, desk: Place | None = None, clock: Clock = SYSTEM) -> Answered:
    """The owner's answer to a request or a rejection. The same record again gets the same answer.

    Parameters
    ----------
    path : path
        The record.
    key : PrivateKey or path
        The owner's key.
    desk : path, optional
        The owner's desk; the one beside the record by default.
    clock : Clock
        The time, and the number of the event.
    """
    path, key = Path(path), private_key(key)
    record = Record.read(path)
    with desk_at(desk_of(desk, record, path)) as at:
        require_fitting(at, record)
        _require_same_table(at)
        kept = at.record(record.transcript.id)
        if kept is not None and follows(kept, record):
            write_back(path, kept)
            return Answered(kept, new=False)
        if kept is not None and not follows(record, kept, exactly=False):
            raise NotVerified("the record does not continue what the owner said last", where=str(path))
        state = record.negotiation
        seen = at.seen_by(record.transcript.user.public.fingerprint, record.transcript.id)
        owner = at.owner()
        event = owner.answer(state, clock.fresh, seen)
        told = record.with_event(Party.OWNER, event, clock.time, key)
        at.write(told, event if isinstance(event, Offer) else None)
        write_back(path, told)
        blocked = isinstance(event, RequestRejected) and event.reason == LEDGER
        room = owner.room(state.pattern) if state.pattern is not None else (0, 0)
        deals = owner.in_the_way(state.pattern) if blocked and state.pattern is not None else ()
    return Answered(told, True, room, tuple(each for each in at.shown if each.offer in {deal.id for deal in deals}))


def follows(longer: Record, shorter: Record, *, exactly: bool = True) -> bool:
    """Whether a record is another one with more events; exactly one more, of the owner."""
    ours, theirs = longer.transcript, shorter.transcript
    same = replace(ours, entries=()) == replace(theirs, entries=()) and ours.entries[: len(theirs.entries)] == theirs.entries
    return same and (not exactly or len(ours.entries) == len(theirs.entries) + 1)


def _require_same_table(desk: Desk) -> None:
    rules = desk.rules
    with rules.table() as table:
        if table.digest() != rules.table_digest or table.declared.digest() != rules.schema_digest:
            raise NotVerified(
                "the table or its schema has changed since the sheet was made; open a new one", where=str(desk.folder)
            )


def write_back(path: Path, record: Record) -> None:
    """Put a record in the place of an earlier state of it."""
    try:
        with held(path.parent):
            may_be_changed(path)
            write_text(path, record.text(), force=True)
    except OSError as error:
        raise unwritable(path, error) from None


@one_call()
def decide(
    path: Place,
    key: PrivateKey | Place,
    move: str,
    *,
    pattern: UtilityPattern | None = None,
    sentence: str | None = None,
    clock: Clock = SYSTEM,
) -> Record:
    """A move that needs no table: accept, reject, relax, terminate.

    Parameters
    ----------
    path : path
        The record.
    key : PrivateKey or path
        The key of whoever moves.
    move : str
        `accept`, `reject`, `relax` or `terminate`.
    pattern : UtilityPattern, optional
        What is asked for instead; by default what `UtilityPattern.relax` makes of the last one.
    sentence : str, optional
        Why it is terminated.
    clock : Clock
        The time, and the number of the event.
    """
    path, key = Path(path), private_key(key)
    record = Record.read(path)
    party = record.party_of(key)
    event = _event(record, record.negotiation, move, pattern, sentence, clock)
    told = record.with_event(party, event, clock.time, key)
    write_back(path, told)
    return told


def _event(
    record: Record, state: Negotiation, move: str, pattern: UtilityPattern | None, sentence: str | None, clock: Clock
) -> Event:
    offer = state.standing
    if move == Terminate.kind:
        return Terminate(clock.fresh, "ended", sentence or "ended without a reason")
    if move == Relax.kind:
        wider = pattern or (state.pattern.relax() if state.pattern else None)
        if wider is None:
            raise UsageError(f"nothing is left to relax; say {argument('pattern')}", where=move)
        wider.require_known(tuple(record.sheet.heights))
        return Relax(clock.fresh, wider.as_dict(), state.asked.budget if state.asked else None)
    if offer is None:
        raise IllegalMove(f"no offer stands; the negotiation is {state.state.value}", where=move)
    if move == Reject.kind:
        return Reject(clock.fresh, offer.id)
    begun = datetime.fromisoformat(record.transcript.entries[-1].time).timestamp()
    if datetime.fromisoformat(clock.time).timestamp() - begun >= offer.terms.valid_for:
        return Expire(clock.fresh, offer.id, EXPIRED, "the offer was open for its time and was not taken")
    return Accept(clock.fresh, offer.id, offer.terms.digest)


def verify(path: Place, sheet: Place | None = None) -> Record:
    """A record that is unchanged and keeps the protocol; refuses any other.

    Parameters
    ----------
    path : path
        The record.
    sheet : path, optional
        The sheet that it must be about.
    """
    record = Record.read(Path(path))
    if sheet is not None and read_sheet(sheet).digest != record.sheet.digest:
        raise NotVerified("the record is about another sheet", where=str(path))
    return record
