"""The moves of a negotiation by files. Each reads a record, makes one move, and writes the record back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from sfumato.commit.call import may_be_changed, one_call
from sfumato.commit.journal import settle
from sfumato.commit.locks import held
from sfumato.commit.places import unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import NotVerified
from sfumato.negotiation.events import Party
from sfumato.negotiation.files.clock import SYSTEM, Clock
from sfumato.negotiation.files.desk import Desk, Given, desk_at, desk_of
from sfumato.negotiation.files.record import Record, document_of
from sfumato.negotiation.files.rules import require_same_table
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.files.turns import Relaxed, answered, begun, moved
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import IllegalMove
from sfumato.release.signers import Key
from sfumato.signing.keys import PrivateKey, PublicKey

CLOSED = "negotiation.json"
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
    record = begun(offered, pattern, key, budget, clock)
    write_text(Path(output), record.text(), force=force)
    return record


@dataclass(frozen=True, slots=True)
class Answered:
    """The record with the owner's answer, and whether that is new. For the owner alone: how many matching policies that were not offered
    yet keep the bounds, how many of them the ledger still allows; and for a refusal, why (`bounds`, `all_offered`, `budget`, `ledger`,
    `too_many_answers`) and the earlier offers that are in the way."""

    record: Record
    new: bool
    room: tuple[int, int] | None = None
    reason: str | None = None
    in_the_way: tuple[Given, ...] = ()


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
    record.require_owner(key)
    with desk_at(desk_of(desk, record, path)) as at:
        kept = at.record(record.transcript.id)
        if kept is not None and kept.continues(record) and len(kept.transcript.entries) == len(record.transcript.entries) + 1:
            write_back(path, kept)
            return Answered(kept, new=False)
        at.require_continued(record)
        account = record.transcript.user.public.fingerprint
        if at.rules.users and account not in at.rules.users:
            raise NotVerified("the user's key is none of those that may ask here", where=str(path))
        with at.rules.table() as table:
            require_same_table(table, at.rules)
        reply = answered(at.owner(), record, key, at.answers_to(account, record.transcript.id), clock)
        at.write(reply.record, reply.event)
        write_back(path, reply.record)
        return Answered(reply.record, True, reply.room, reply.reason, tuple(at.offers[each] for each in reply.in_the_way))


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
    budget: float | None = None,
    sentence: str | None = None,
    desk: Place | None = None,
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
    budget : float, optional
        What to spend at the most from now on; as before by default.
    sentence : str, optional
        Why it is terminated.
    desk : path, optional
        The owner's desk, if the owner ends it; the one beside the record by default.
    clock : Clock
        The time, and the number of the event.
    """
    path, key = Path(path), private_key(key)
    record = Record.read(path)
    after = moved(record, key, move, clock, asked=Relaxed(pattern, budget), sentence=sentence)
    if record.party_of(key) is Party.USER:
        write_back(path, after)
        return after
    with desk_at(desk_of(desk, record, path)) as at:  # what the owner says holds against an older copy of the record, too
        at.require_continued(record)
        require_undelivered(at, record)
        at.write(after, after.negotiation.history[-1].event)
        write_back(path, after)
    return after


def require_undelivered(desk: Desk, record: Record, but: Path | None = None) -> None:
    """Refuse to go on with a negotiation whose release lies in a folder, even if the desk was not told any more."""
    folder = desk.destination(record.transcript.id)
    if folder is None or folder == but:
        return
    closed = folder / CLOSED
    settle(closed)
    if closed.exists() and Record.read(closed).continues(record):
        raise IllegalMove(f"it was delivered already, into {folder}; 'deliver' with that folder goes on", where="the record")


def verify(path: Place, sheet: Place | None = None, *, key: Key | Sequence[Key] = ()) -> Record:
    """A record that is unchanged and keeps the protocol; refuses any other.

    Parameters
    ----------
    path : path
        The record.
    sheet : path, optional
        The sheet that it must be about.
    key : PublicKey, path, or a list of them
        The public keys that its parties must have. Without it, the names are what they say.
    """
    record = Record.read(Path(path))
    if sheet is not None and read_sheet(sheet).digest != record.sheet.digest:
        raise NotVerified("the record is about another sheet", where=str(path))
    speakers = {each.public.raw for each in (record.transcript.owner, record.transcript.user)}
    for each in [key] if isinstance(key, str | PathLike | PublicKey) else key:
        known = each if isinstance(each, PublicKey) else PublicKey.read(each)
        if known.raw not in speakers:
            raise NotVerified(f"neither party has the key of {known.name} ({known.fingerprint})", where=str(path))
    return record
