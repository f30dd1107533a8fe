"""People who use the service, by their accounts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from sfumato.signing.keys import PrivateKey


class Role(StrEnum):
    """An owner has tables and offers them; a user asks for releases of them."""

    OWNER = "owner"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who signs in. The key signs what the account says in negotiations."""

    id: str
    name: str
    mail: str
    role: Role
    key: str = field(repr=False)
    created: float
    closed: float | None = None

    @property
    def private_key(self) -> PrivateKey:
        """The key to sign with; its holder is named like the account."""
        return _loaded(self.name, self.key)

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER


@lru_cache(maxsize=256)
def _loaded(name: str, text: str) -> PrivateKey:
    key = load_pem_private_key(text.encode(), None)
    assert isinstance(key, Ed25519PrivateKey)  # noqa: S101 the service has made it
    return PrivateKey(name, key)


def new_key() -> str:
    """The text of a new key, as an account keeps it."""
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
