"""Delivery: the release that was agreed, its certificate and the closed record take their places together.

The desk and the record that was sent are written after that. Whoever was interrupted in between delivers again, into the same folder:
what lies there is then what was agreed, and only the rest is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sfumato.commit.call import one_call
from sfumato.commit.journal import settle
from sfumato.commit.places import require_folder, unwritable
from sfumato.commit.writing import write_text
from sfumato.errors import NotVerified, OutputError
from sfumato.models import Verdict, models_of
from sfumato.negotiation.events import Deliver, Offer, Party
from sfumato.negotiation.files.clock import SYSTEM, Clock
from sfumato.negotiation.files.desk import desk_at, desk_of
from sfumato.negotiation.files.moves import CLOSED, Place, private_key, require_undelivered, write_back
from sfumato.negotiation.files.record import Record
from sfumato.negotiation.files.rules import Rules, require_same_table
from sfumato.negotiation.protocol import IllegalMove, State
from sfumato.policy import Policy
from sfumato.question import Question
from sfumato.release.certificate import Certificate
from sfumato.release.judging import NONE
from sfumato.signing.keys import PrivateKey
from sfumato.verbs.publish import publish
from sfumato.verbs.verify import verify

RELEASE = "release.parquet"


@dataclass(frozen=True, slots=True)
class Delivered:
    """The closed record, the release and its certificate, and what the owner's bounds said of it; empty if it was delivered before.

    `late`: by the owner's clock the offer had expired. It was accepted in time by the user's clock, which nobody can check.
    """

    record: Record
    path: Path
    certificate: Certificate
    verdicts: tuple[Verdict, ...] = ()
    late: bool = False

    @property
    def new(self) -> bool:
        """Whether it was delivered now."""
        return bool(self.verdicts)


@one_call()
def deliver(path: Place, key: PrivateKey | Place, output: Place, desk: Place | None = None, clock: Clock = SYSTEM) -> Delivered:
    """Publish what was agreed, and close the negotiation. Again, into the same folder, it finishes what was interrupted.

    Parameters
    ----------
    path : path
        The record.
    key : PrivateKey or path
        The owner's key, which also signs the certificate.
    output : path
        A folder for the release, its certificate and the closed record.
    desk : path, optional
        The owner's desk; the one beside the record by default.
    clock : Clock
        The time, and the number of the event.
    """
    path, key, output = Path(path), private_key(key), Path(output)
    record = Record.read(path)
    record.require_owner(key)
    state = record.negotiation
    agreed = state.agreed
    if agreed is None or state.state not in (State.AGREED, State.DELIVERED):
        raise IllegalMove(f"nothing is agreed yet; the negotiation is {state.state.value}", where="deliver")
    with desk_at(desk_of(desk, record, path)) as at:
        kept = at.record(record.transcript.id)
        delivered = delivered_before(record, kept, output)
        if delivered is None:
            at.require_continued(record)
            if agreed.id not in at.offers:
                raise NotVerified("this desk has made no such offer", where=str(at.folder))
            require_undelivered(at, record, output.resolve())
            at.intend(record.transcript.id, output)
            try:
                delivered = deliver_now(at.rules, record, agreed, key, output, clock)
            except BaseException:
                at.forget(record.transcript.id)
                raise
        at.require_continued(delivered.record)
        at.write(delivered.record, delivered.record.negotiation.history[-1].event)
        at.forget(record.transcript.id)
        write_back(path, delivered.record)
    return delivered


def delivered_before(record: Record, kept: Record | None, folder: Path, name: str = RELEASE) -> Delivered | None:
    """What was delivered before; refuses a folder with the delivery of another negotiation, and one without what was delivered."""
    closed, release = folder / CLOSED, folder / name
    settle(closed)
    known = kept if kept is not None and kept.negotiation.state is State.DELIVERED and kept.continues(record) else None
    found = Record.read(closed) if closed.exists() else known
    if found is None:
        return None
    if not found.continues(record) or found.negotiation.state is not State.DELIVERED:
        raise OutputError("exists already; deliver into another folder", where=str(closed))
    named = str(found.transcript.entries[-1].event["certificate"])
    if not release.is_file():
        raise IllegalMove(
            f"it was delivered already, with the certificate {named[:12]}…, which cannot be made again; give the folder that has it",
            where=str(folder),
        )
    certificate = verify(release, key=found.transcript.owner.public).certificate
    if certificate.digest != named:
        raise NotVerified("the release is not the one that the closed record names", where=str(release))
    if not closed.exists():
        write_text(closed, found.text(), force=False)
    return Delivered(found, release, certificate)


def deliver_now(
    rules: Rules, record: Record, agreed: Offer, key: PrivateKey, folder: Path, clock: Clock, name: str = RELEASE
) -> Delivered:
    """The release that was agreed: judged by the owner's bounds on the written file, of the table that was offered."""
    levels, identity = dict(agreed.terms.levels), clock.fresh
    time = clock.after(record.last_time)

    def closed(certificate: Certificate) -> Record:
        return record.with_event(Party.OWNER, Deliver(identity, agreed.id, certificate.digest), time, key)

    if (folder / name).exists():
        raise OutputError("exists already; deliver into another folder", where=str(folder / name))
    with _folder(folder), rules.table() as table:
        require_same_table(table, rules)
        policy = Policy.at_node(table, levels, list(levels))
        question = Question(models=models_of(rules.bounds), sensitive=[rules.sensitive])
        policy = replace(policy, question=question, schema=rules.schema_digest, table=rules.table_digest)
        texts = {CLOSED: lambda certificate: closed(certificate).text()}
        # What all deals tell together was bounded when this one was offered (`negotiation.coalition`).
        release = publish(table, policy=policy, output=folder / name, sign=key, now=clock.now, texts=texts, together=NONE)
    made = next(each.time for each in record.negotiation.history if each.event.id == agreed.id)
    late = datetime.fromisoformat(time).timestamp() - made >= agreed.terms.valid_for
    return Delivered(Record.read(folder / CLOSED), folder / name, release.certificate, release.verdicts, late)


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    """A folder, made if need be, and gone again if nothing is delivered into it."""
    require_folder(path)
    made = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        if made:
            with suppress(OSError):
                path.rmdir()
        if isinstance(error, OSError):
            raise unwritable(path, error) from None
        raise
