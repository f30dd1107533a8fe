"""Signatures of a certificate. One covers the certificate's digest, the signer's name and role, the time, and the key itself.

The prefix keeps a signature of sfumato from being one of anything else, and the key among what is signed keeps another key from
claiming it. Several people may sign the same digest; their signatures do not cover each other.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.errors import UsageError, argument
from sfumato.inputs.shape import Misshapen, require_nothing_more, shaped
from sfumato.signing.canonical import bytes_of, canonical, text_of
from sfumato.signing.keys import LONGEST_NAME, PrivateKey, PublicKey, named

OWNER, REVIEWER = "owner", "reviewer"
LONGEST_ROLE = 40
_PREFIX = b"sfumato certificate signature, version 1\x00"
_KEY, _SIGNATURE = 32, 64  # bytes


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature, as it stands in a certificate; `key` and `signature` are base64."""

    name: str
    role: str
    time: str
    key: str
    signature: str

    @property
    def public(self) -> PublicKey:
        """The key that it names."""
        return PublicKey(base64.b64decode(self.key), self.name)

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint

    def holds(self, digest: str) -> bool:
        """Whether it was made for this digest, name, role and time, with the key that it names."""
        return self.public.signed(_message(digest, self._stated()), base64.b64decode(self.signature))

    def _stated(self) -> dict[str, str]:
        return {name: text for name, text in asdict(self).items() if name != "signature"}

    @classmethod
    def of(cls, entry: Any, where: str) -> Signature:
        """A signature from its entry; `Misshapen` if it cannot be one."""
        made = shaped(entry, cls, where)
        require_nothing_more(entry, asdict(made), where)
        for name, longest in (("name", LONGEST_NAME), ("role", LONGEST_ROLE), ("time", LONGEST_ROLE)):
            if not named(getattr(made, name), longest):
                raise Misshapen(f"{name} must be a text of one line, at most {longest} characters (at {where}.{name})")
        for name, length in (("key", _KEY), ("signature", _SIGNATURE)):
            if len(bytes_of(getattr(made, name))) != length:
                raise Misshapen(f"{name} must be {length} bytes in base64 (at {where}.{name})")
        return made


def signed(digest: str, key: PrivateKey, role: str, time: str) -> Signature:
    """Sign a digest."""
    if not named(role, LONGEST_ROLE):
        raise UsageError(
            f"a role is a word or two, such as {OWNER} or {REVIEWER}, of at most {LONGEST_ROLE} characters",
            where=argument("role"),
        )
    stated = {"name": key.name, "role": role, "time": time, "key": text_of(key.public.raw)}
    return Signature(**stated, signature=text_of(key.sign(_message(digest, stated))))


def _message(digest: str, stated: Mapping[str, str]) -> bytes:
    return _PREFIX + canonical({"digest": digest, **stated}).encode()
