"""A transcript shows who said what: no byte of it can be changed, no event left out, put in or said by another key."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import DataError, NotVerified, SfumatoError
from sfumato.negotiation import Negotiation, State, Transcript
from sfumato.negotiation.events import Accept, Offer, Party, Reject, Request, Terminate, as_dict
from sfumato.negotiation.protocol import IllegalMove
from sfumato.negotiation.transcript import Entry, Speaker
from sfumato.signing.canonical import digest_of, text_of
from sfumato.signing.keys import PrivateKey
from tests.unit.negotiation.test_protocol import PATTERN, TERMS, identity

TIMES = [f"2031-02-03T04:05:{second:02d}+00:00" for second in range(10)]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[PrivateKey, PrivateKey, PrivateKey]:
    folder: Path = tmp_path_factory.mktemp("keys")
    for name in ("owner", "user", "other"):
        sf.keys.new(folder / name, name=name.title())
    return tuple(PrivateKey.read(folder / f"{name}.key") for name in ("owner", "user", "other"))  # type: ignore[return-value]


@pytest.fixture(scope="module")
def transcript(keys: tuple[PrivateKey, ...]) -> Transcript:
    owner, user, _ = keys
    begun = Transcript(identity(77), "a" * 64, "flat", 5, Speaker.of(owner.public), Speaker.of(user.public))
    said = begun.with_event(Party.USER, Request(identity(1), PATTERN.as_dict(), 20.5), TIMES[0], user)
    said = said.with_event(Party.OWNER, Offer(identity(2), TERMS), TIMES[1], owner)
    return said.with_event(Party.USER, Accept(identity(3), identity(2), TERMS.digest), TIMES[2], user)


def test_it_replays_to_the_same_state(transcript: Transcript) -> None:
    again = Transcript.of(json.loads(json.dumps(transcript.as_dict())))
    assert again == transcript
    assert again.negotiation().state is State.AGREED
    assert again.negotiation() == transcript.negotiation()


def test_the_same_event_again_changes_nothing(transcript: Transcript, keys: tuple[PrivateKey, ...]) -> None:
    accept = Accept(identity(3), identity(2), TERMS.digest)
    assert transcript.with_event(Party.USER, accept, TIMES[5], keys[1]) is transcript
    with pytest.raises(IllegalMove):
        transcript.with_event(Party.USER, replace(accept, digest="1" * 64), TIMES[5], keys[1])


def test_a_side_cannot_make_the_others_move(transcript: Transcript, keys: tuple[PrivateKey, ...]) -> None:
    end = Terminate(identity(4), "enough", "enough")
    for party, key in ((Party.OWNER, keys[1]), (Party.USER, keys[0]), (Party.USER, keys[2])):
        with pytest.raises(NotVerified, match="not the key of the"):
            transcript.with_event(party, end, TIMES[6], key)
    # nor by writing it down: the signature is not the owner's
    forged = transcript.with_event(Party.USER, end, TIMES[6], keys[1])
    entries = (*forged.entries[:-1], replace(forged.entries[-1], party="owner"))
    with pytest.raises(NotVerified, match="not signed with the key of the owner"):
        replace(forged, entries=entries).negotiation()


def test_an_event_out_of_turn_is_found_though_its_author_signed_it(transcript: Transcript, keys: tuple[PrivateKey, ...]) -> None:
    again = Entry(transcript.head, "user", TIMES[4], as_dict(Reject(identity(8), identity(2))), "")
    signature = text_of(keys[1].sign(b"sfumato negotiation event, version 1\x00" + digest_of(again.message).encode()))
    with pytest.raises(NotVerified, match="out of turn: reject is no move of the user while it is agreed"):
        replace(transcript, entries=(*transcript.entries, replace(again, signature=signature))).negotiation()


def spelled(transcript: Transcript) -> bytes:
    return json.dumps(transcript.as_dict(), sort_keys=True).encode()


def test_any_change_of_any_byte_is_found(transcript: Transcript) -> None:
    whole, meaning = spelled(transcript), transcript.as_dict()
    undetected = []
    for place in range(len(whole)):
        for other in (whole[place] ^ 1, ord("0") if whole[place] != ord("0") else ord("1")):
            changed = whole[:place] + bytes([other]) + whole[place + 1 :]
            try:
                document = json.loads(changed)
            except ValueError:
                continue  # no longer JSON
            if document == meaning:
                continue
            try:
                Transcript.of(document).negotiation()
            except SfumatoError:
                continue
            undetected.append(changed[max(0, place - 20) : place + 20])
    assert undetected == []


def test_events_left_out_put_in_or_swapped_are_found(transcript: Transcript, keys: tuple[PrivateKey, ...]) -> None:
    first, second, third = transcript.entries
    for entries in ((second, third), (first, third), (first, third, second), (first, second, second, third)):
        with pytest.raises(NotVerified, match="does not follow the event before it"):
            replace(transcript, entries=entries).negotiation()
    cut = replace(transcript, entries=(first, second))  # a shorter transcript is one that stands earlier
    assert cut.negotiation().state is State.OFFERED
    other = replace(transcript, id=identity(78))
    with pytest.raises(NotVerified):
        other.negotiation()
    # One's own past cannot be rewritten either: the other's answer names it.
    rewritten = replace(transcript, entries=(first,)).with_event(
        Party.OWNER, Offer(identity(2), replace(TERMS, price=9)), TIMES[1], keys[0]
    )
    with pytest.raises(NotVerified):
        replace(rewritten, entries=(*rewritten.entries, third)).negotiation()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": 0}, "limit must be"),
        ({"limit": "5"}, "limit must be a whole number"),
        ({"rate": "free"}, "rate must be one of flat, variable"),
        ({"entries": 5}, "entries must be a list"),
        ({"more": 1}, "'more' has no value, or is no key of it"),
        ({"version": 2}, "not a transcript of version 1"),
        ({"owner": {"key": "x" * 44, "name": "a\nb"}}, "a name has several lines"),
    ],
)
def test_another_document_is_refused_in_one_line(transcript: Transcript, change: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        Transcript.of({**transcript.as_dict(), **change})
    assert "\n" not in str(refused.value)


def test_what_is_left_out_is_not_supplied(transcript: Transcript) -> None:
    for key in transcript.as_dict():
        document = {name: value for name, value in transcript.as_dict().items() if name != key}
        with pytest.raises(DataError, match=r"is missing|has no value"):
            Transcript.of(document)


def test_times_have_an_offset(transcript: Transcript, keys: tuple[PrivateKey, ...]) -> None:
    reject = Reject(identity(9), identity(2))
    earlier = replace(transcript, entries=transcript.entries[:2])
    for time in ("2031-02-03T04:05:06", "yesterday at noon or so"):
        with pytest.raises(ValueError, match="a date and time with an offset"):
            earlier.with_event(Party.USER, reject, time, keys[1])
    assert isinstance(earlier.with_event(Party.USER, reject, TIMES[4], keys[1]).negotiation(), Negotiation)
    assert base64.b64decode(earlier.owner.key)
