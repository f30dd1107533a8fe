"""Events as numbers, and the texts that the numbers stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.applications.ato.events import EVENTS, FAILED, SIGNED_IN, TRUTH
from sfumato.applications.ato.generating.agents import TEXTS
from sfumato.applications.ato.generating.chance import Chance
from sfumato.applications.ato.generating.parameters import EVERYWHERE, Parameters
from sfumato.applications.ato.generating.world import World

Whole = npt.NDArray[np.int64]
ERRORS = (
    "InvalidUserNameOrPassword",
    "IdsLocked",
    "UserAccountNotFound",
    "InvalidPasswordExpiredPassword",
    "UserStrongAuthClientAuthNRequiredInterrupt",
    "KmsiInterrupt",
    "SsoArtifactInvalidOrExpired",
)
WRONG, LOCKED, NOBODY, EXPIRED, SECOND, STAY, ENDED = range(len(ERRORS))
NONE = -1
GHOSTS = 12  # names that do not exist, in each organization
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
_DIGITS = [place for place in range(36) if place not in (8, 13, 18, 23)]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some events in columns. `error` is a number of `ERRORS`; NONE is for no error, no user agent, no campaign. `user` counts people,
    then services, then ghosts."""

    time: Whole  # microseconds since the epoch
    low: npt.NDArray[np.uint64]  # of the id
    high: npt.NDArray[np.uint64]
    error: Whole
    user: Whole
    org: Whole
    address: Whole
    agent: Whole
    campaign: Whole

    def chosen(self, places: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Piece:
        return Piece(*(getattr(self, each.name)[places] for each in fields(self)))


def together(pieces: Sequence[Piece]) -> Piece:
    """Pieces as one, in the order of time; among equal times in the order in which they were given."""
    one = Piece(*(np.concatenate([getattr(piece, each.name) for piece in pieces]) for each in fields(Piece)))
    return one.chosen(np.argsort(one.time, kind="stable"))


class Texts:
    """The texts of a world."""

    def __init__(self, world: World, parameters: Parameters, seed: int) -> None:
        people, services, orgs = len(world.people.org), len(world.services.org), len(world.sizes)
        domains = _numbered("org", np.arange(orgs))
        of_people = _named(_numbered("u", np.arange(people)), domains, world.people.org)
        of_services = _named(_numbered("service", np.arange(services)), domains, world.services.org)
        ghosts = _named(_numbered("name", np.tile(np.arange(GHOSTS), orgs)), domains, np.repeat(np.arange(orgs), GHOSTS))
        self._users = pa.concat_arrays([of_people, of_services, ghosts])
        self._orgs = domains
        self.addresses = world.addresses.texts()
        unknown = Chance(seed, "addresses").share("country", np.arange(world.addresses.count)) < parameters.no_country
        self._countries = pa.array(EVERYWHERE).take(pa.array(world.addresses.countries(), mask=unknown))

    def events(self, piece: Piece) -> pa.RecordBatch:
        """Events as rows of the log."""
        failed = piece.error != NONE
        return pa.record_batch(
            [
                ids(piece),
                pa.array(piece.time).view(pa.timestamp("us")),
                pa.array([SIGNED_IN, FAILED]).take(pa.array(failed.astype(np.int8))),
                pa.array(ERRORS).take(pa.array(piece.error, mask=~failed)),
                self._users.take(pa.array(piece.user)),
                self._orgs.take(pa.array(piece.org)),
                self.addresses.take(pa.array(piece.address)),
                self._countries.take(pa.array(piece.address)),
                pa.array(TEXTS).take(pa.array(piece.agent, mask=piece.agent == NONE)),
            ],
            schema=EVENTS,
        )


def truth(piece: Piece) -> pa.RecordBatch:
    """Fraudulent events as rows of the truth. One whose sign-in went through is a takeover."""
    campaign = pa.array(piece.campaign, pa.int32(), mask=piece.campaign == NONE)
    return pa.record_batch([ids(piece), campaign, pa.array(piece.error == NONE)], schema=TRUTH)


def ids(piece: Piece) -> pa.Array:
    """128 bits as text in the form of a UUID."""
    count = len(piece.time)
    parts = np.stack([piece.high, piece.low], axis=1).astype(">u8").view(np.uint8).reshape(count, 16)
    text = np.full((count, 36), ord("-"), np.uint8)
    text[:, _DIGITS] = _HEX[np.stack([parts >> 4, parts & 15], axis=2).reshape(count, 32)]
    offsets = np.arange(0, 36 * count + 1, 36, dtype=np.int32)
    return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text))


def _numbered(prefix: str, numbers: Whole) -> pa.Array:
    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), "")


def _named(names: pa.Array, domains: pa.Array, org: Whole) -> pa.Array:
    return pc.binary_join_element_wise(names, pc.binary_join_element_wise(domains.take(pa.array(org)), "example", "."), "@")
