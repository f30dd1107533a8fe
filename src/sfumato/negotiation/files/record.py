"""The file that two parties send each other: the owner's sheet and the transcript."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato import inputs
from sfumato.errors import DataError, NotVerified
from sfumato.inputs.files import MB
from sfumato.negotiation.events import Event, Offer, Party, Request
from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import Negotiation
from sfumato.negotiation.transcript import Transcript
from sfumato.signing.canonical import parsed
from sfumato.signing.keys import PrivateKey

LARGEST = 32 * MB


@dataclass(frozen=True, slots=True)
class Record:
    """A negotiation as a file: both parties have the same."""

    sheet: Sheet
    transcript: Transcript

    def text(self) -> str:
        """The content of its file."""
        return (
            json.dumps({"sheet": self.sheet.as_dict(), "transcript": self.transcript.as_dict()}, indent=2, ensure_ascii=False)
            + "\n"
        )

    @classmethod
    def read(cls, path: Path) -> Record:
        """A record from its file, verified: the sheet is signed, the transcript is about it, and every event is in its place."""
        document = document_of(path)
        if not isinstance(document, Mapping) or set(document) != {"sheet", "transcript"}:
            raise DataError("not the record of a negotiation", where=str(path))
        made = cls(Sheet.of(document["sheet"], str(path)), Transcript.of(document["transcript"], str(path)))
        made.require_fitting(path)  # replayed, so that nobody goes on from what does not hold
        return made

    def require_fitting(self, path: Path) -> None:
        """Refuse a transcript about another sheet, under other rules, or with a request or an offer that the sheet does not allow."""
        sheet, said = self.sheet, self.transcript
        if (said.sheet, said.owner, said.rate, said.limit) != (sheet.digest, sheet.owner, sheet.rate, sheet.limit):
            raise NotVerified("the transcript is about another sheet than the one beside it", where=str(path))
        pattern: UtilityPattern | None = None
        budget: float | None = None
        for number, made in enumerate(said.negotiation().history, start=1):
            if isinstance(made.event, Request):
                (pattern, wrong), budget = sheet.asked(made.event), made.event.budget
            else:
                wrong = sheet.refuses(made.event, pattern, budget) if isinstance(made.event, Offer) and pattern else None
            if wrong:
                raise NotVerified(f"event {number}: {wrong}", where=str(path))

    @property
    def negotiation(self) -> Negotiation:
        return self.transcript.negotiation()

    def continues(self, earlier: Record) -> bool:
        """Whether this is another record, or that with more events."""
        ours, theirs = self.transcript, earlier.transcript
        return replace(ours, entries=()) == replace(theirs, entries=()) and ours.entries[: len(theirs.entries)] == theirs.entries

    @property
    def last_time(self) -> str:
        """When the last event was made."""
        return self.transcript.entries[-1].time

    def party_of(self, key: PrivateKey) -> Party:
        """Who somebody with a key is."""
        raw = key.public.raw
        for party, speaker in ((Party.OWNER, self.transcript.owner), (Party.USER, self.transcript.user)):
            if speaker.public.raw == raw:
                return party
        raise NotVerified("this key is neither the owner's nor the user's", where=key.name)

    def require_owner(self, key: PrivateKey) -> None:
        """Refuse another key than the owner's."""
        if self.transcript.owner.public.raw != key.public.raw:
            raise NotVerified("this is not the key of the owner of this negotiation", where=key.name)

    def with_event(self, party: Party, event: Event, time: str, key: PrivateKey) -> Record:
        return replace(self, transcript=self.transcript.with_event(party, event, time, key))


def document_of(path: Path) -> Any:
    """A JSON document from its file."""
    try:
        return parsed(inputs.text(path, LARGEST))
    except ValueError as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from None
