"""What `sfumato negotiate` prints, and the pattern that it reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli import show
from sfumato.errors import UsageError, argument, visible

if TYPE_CHECKING:
    from sfumato.negotiation.files.record import Record
    from sfumato.negotiation.files.sheet import Sheet
    from sfumato.negotiation.pattern import UtilityPattern

REASONS = {
    "bounds": "no policy that matches the pattern keeps your bounds",
    "all_offered": "every policy that matches the pattern was offered",
    "budget": "no such policy costs as little as the budget",
    "ledger": "with earlier offers, every such policy would let a coalition of users break your bounds",
    "too_many_answers": "this user has got all answers that one user gets; --most-seen says how many",
}


def pattern_of(text: str | None, shares: str | None) -> UtilityPattern | None:
    """The pattern of the options; None if there is none."""
    from sfumato.negotiation.pattern import UtilityPattern

    if text is None:
        if shares is not None:
            raise UsageError(f"shares are those of a pattern; say {argument('pattern')}", where=argument("shares"))
        return None
    try:
        numbers = [float(part) for part in shares.split(",")] if shares else []
    except ValueError:
        raise UsageError("numbers from 0 to 1 with commas, as in 0,0.5,1", where=argument("shares")) from None
    return UtilityPattern.parse(text, numbers)


def show_sheet(sheet: Sheet, path: Path, json: bool) -> None:
    """What a sheet offers."""
    from sfumato.negotiation.files.story import rules_in_words
    from sfumato.results import Rows

    if json:
        show.emit({"sheet": sheet.as_dict()})
        return
    levels = [(visible(each.name), number, words) for each in sheet.attributes for number, words in enumerate(each.levels)]
    heads = ("attribute", "level", "what the release shows")
    show.out().print(show.rows(Rows(heads, tuple(levels)), title=visible(sheet.title)))
    for line in rules_in_words(sheet):
        show.line(line)
    show.line(f"the owner's fingerprint, to be compared: {sheet.owner.public.fingerprint}")
    show.line(f"next: ask: sfumato negotiate request {path} --pattern '…' --key YOUR.key -o RECORD.json")


def show_parties(record: Record, compared: int = 0) -> None:
    """Who the parties say they are, and how to make sure."""
    for role, speaker in (("owner", record.transcript.owner), ("user", record.transcript.user)):
        show.line(f"{role}: {visible(speaker.name)} (fingerprint {speaker.public.fingerprint})")
    if not compared:
        show.line(
            "the names are what the parties say; 'negotiate verify --key NAME.pub' compares a key, or compare the fingerprint"
        )


def show_standing(record: Record, path: Path, json: bool, more: dict[str, Any] | None = None) -> None:
    """Where a negotiation stands now."""
    from sfumato.negotiation.files.story import following, story

    state, said = record.negotiation, record.transcript
    if json:
        last = said.entries[-1]
        standing = {"state": state.state.value, "turn": state.turn and state.turn.value, "answers": state.answers}
        keys = {"owner": said.owner.public.fingerprint, "user": said.user.public.fingerprint}
        event = {"party": last.party, **last.event}
        show.emit({"record": str(path), **standing, "limit": state.limit, "keys": keys, "last": event, **(more or {})})
        return
    show.line(story(record)[-1])
    show.line(f"next: {following(record, str(path))}")
