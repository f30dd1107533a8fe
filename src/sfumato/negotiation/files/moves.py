"""The moves of a negotiation by files. Each reads a record, makes one move, and writes the record back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from sfumato.commit.call import may_be_changed, one_call
from sfumato.commit.locks import held
from sfumato.commit.places import unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import NotVerified, OutputError, UsageError, argument
from sfumato.models import models_of
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
)
from sfumato.negotiation.files.clock import SYSTEM, Clock
from sfumato.negotiation.files.desk import Desk, Rules, Shown, desk_at, desk_of, require_fitting
from sfumato.negotiation.files.record import Record, document_of
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.owner import LEDGER
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import IllegalMove, Negotiation, Rate, State
from sfumato.negotiation.transcript import Speaker, Transcript
from sfumato.policy import Policy
from sfumato.question import Question
from sfumato.release import Release
from sfumato.signing.keys import PrivateKey
from sfumato.table.source import opened
from sfumato.verbs.publish import publish

EXPIRED = "expired"
RELEASE, CLOSED = "release.parquet", "negotiation.json"


def read_sheet(path: Path) -> Sheet:
    """A sheet from its file."""
    return Sheet.of(document_of(path), str(path))


@one_call()
def request(
    sheet: Path,
    pattern: UtilityPattern,
    key: PrivateKey,
    output: Path,
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
    pattern : UtilityPattern
        What is asked for.
    key : PrivateKey
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
    offered = read_sheet(sheet)
    pattern.require_known(tuple(offered.heights))
    if budget is not None and (offered.rate == Rate.FLAT or not 0 <= budget < float("inf")):
        raise UsageError("a budget is a number from 0 up, for a sheet with a price", where=argument("budget"))
    begun = Transcript(uuid4().hex, offered.digest, offered.rate, offered.limit, offered.owner, Speaker.of(key.public))
    if begun.owner.key == begun.user.key:
        raise UsageError("this is the owner's key; a user has another", where=argument("key"))
    event = Request(clock.fresh, pattern.as_dict(), budget)
    record = Record(offered, begun.with_event(Party.USER, event, clock.time, key))
    write_text(output, record.text(), force=force)
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
def answer(path: Path, key: PrivateKey, desk: Path | None = None, clock: Clock = SYSTEM) -> Answered:
    """The owner's answer to a request or a rejection. The same record again gets the same answer.

    Parameters
    ----------
    path : path
        The record.
    key : PrivateKey
        The owner's key.
    desk : path, optional
        The owner's desk; the one beside the record by default.
    clock : Clock
        The time, and the number of the event.
    """
    record = Record.read(path)
    with desk_at(desk_of(desk, record, path)) as at:
        require_fitting(at, record)
        _require_same_table(at)
        kept = at.record(record.transcript.id)
        if kept is not None and _follows(kept, record):
            _write(path, kept)
            return Answered(kept, new=False)
        if kept is not None and not _follows(record, kept, exactly=False):
            raise NotVerified("the record does not continue what the owner said last", where=str(path))
        state = record.negotiation
        seen = at.seen_by(record.transcript.user.public.fingerprint, record.transcript.id)
        owner = at.owner()
        event = owner.answer(state, clock.fresh, seen)
        told = record.with_event(Party.OWNER, event, clock.time, key)
        at.write(told, event if isinstance(event, Offer | CounterOffer) else None)
        _write(path, told)
        blocked = isinstance(event, RequestRejected) and event.reason == LEDGER
        room = owner.room(state.pattern) if state.pattern is not None else (0, 0)
        deals = owner.in_the_way(state.pattern) if blocked and state.pattern is not None else ()
    return Answered(told, True, room, tuple(each for each in at.shown if each.offer in {deal.id for deal in deals}))


def _follows(longer: Record, shorter: Record, *, exactly: bool = True) -> bool:
    """Whether a record is another one with more events; exactly one more, of the owner."""
    ours, theirs = longer.transcript, shorter.transcript
    same = replace(ours, entries=()) == replace(theirs, entries=()) and ours.entries[: len(theirs.entries)] == theirs.entries
    return same and (not exactly or len(ours.entries) == len(theirs.entries) + 1)


def _require_same_table(desk: Desk) -> None:
    rules = desk.rules
    with opened(rules.data, rules.schema, dict(rules.source)) as table:
        if table.digest() != rules.table_digest or table.declared.digest() != rules.schema_digest:
            raise NotVerified(
                "the table or its schema has changed since the sheet was made; open a new one", where=str(desk.folder)
            )


def _write(path: Path, record: Record) -> None:
    try:
        with held(path.parent):
            may_be_changed(path)
            write_text(path, record.text(), force=True)
    except OSError as error:
        raise unwritable(path, error) from None


@one_call()
def decide(
    path: Path,
    key: PrivateKey,
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
    key : PrivateKey
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
    record = Record.read(path)
    party = record.party_of(key)
    event = _event(record, record.negotiation, move, pattern, sentence, clock)
    told = record.with_event(party, event, clock.time, key)
    _write(path, told)
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


@one_call()
def deliver(path: Path, key: PrivateKey, output: Path, desk: Path | None = None, clock: Clock = SYSTEM) -> tuple[Record, Release]:
    """Publish what was agreed, and close the negotiation.

    Parameters
    ----------
    path : path
        The record.
    key : PrivateKey
        The owner's key, which also signs the certificate.
    output : path
        A folder for the release, its certificate and the closed record.
    desk : path, optional
        The owner's desk; the one beside the record by default.
    clock : Clock
        The time, and the number of the event.
    """
    record = Record.read(path)
    state = record.negotiation
    agreed = state.agreed
    if state.state is not State.AGREED or agreed is None:
        raise IllegalMove(f"nothing is agreed yet; the negotiation is {state.state.value}", where="deliver")
    if output.exists() and not output.is_dir():
        raise OutputError("not a folder", where=str(output))
    with desk_at(desk_of(desk, record, path)) as at:
        require_fitting(at, record)
        if agreed.id not in {each.offer for each in at.shown}:
            raise NotVerified("this desk has made no such offer", where=str(at.folder))
        output.mkdir(parents=True, exist_ok=True)
        release = _published(at.rules, dict(agreed.terms.levels), output / RELEASE, key, clock)
        event = Deliver(clock.fresh, agreed.id, release.certificate.digest)
        told = record.with_event(Party.OWNER, event, clock.time, key)
        at.write(told, None)
        write_text(output / CLOSED, told.text(), force=False)
        _write(path, told)
    return told, release


def _published(rules: Rules, levels: dict[str, int], output: Path, key: PrivateKey, clock: Clock) -> Release:
    """The release that was agreed: judged by the owner's bounds on the written file, of the table that was offered."""
    with opened(rules.data, rules.schema, dict(rules.source)) as table:
        policy = Policy.at_node(table, levels, list(levels))
        question = Question(models=models_of(rules.bounds), sensitive=[rules.sensitive])
        policy = replace(policy, question=question, schema=rules.schema_digest, table=rules.table_digest)
        return publish(table, policy=policy, output=output, sign=key, now=clock.now)


def verify(path: Path, sheet: Path | None = None) -> Record:
    """A record that is unchanged and keeps the protocol; refuses any other.

    Parameters
    ----------
    path : path
        The record.
    sheet : path, optional
        The sheet that it must be about.
    """
    record = Record.read(path)
    if sheet is not None and read_sheet(sheet).digest != record.sheet.digest:
        raise NotVerified("the record is about another sheet", where=str(path))
    return record
