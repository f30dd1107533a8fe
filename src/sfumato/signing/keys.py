"""Key files for Ed25519: the private key in PKCS #8, the public one as SubjectPublicKeyInfo, both PEM, below a line with the name.

The name is what its holder says; a signature repeats it, but only the key itself shows who signed. A private key that others can
read is refused, as ssh does. Its passphrase is given by a file, by a question in the terminal or in the environment, never on the
command line, which other users of the machine can see.
"""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.commit.call import one_call
from sfumato.commit.journal import settle
from sfumato.commit.places import unwritable
from sfumato.commit.transaction import Transaction
from sfumato.errors import DataError, OutputError, UsageError, argument
from sfumato.inputs.files import KB, opened

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ENVIRONMENT = "SFUMATO_PASSPHRASE"
LONGEST_NAME = 80
_LARGEST = 64 * KB
_NAME = "# name: "
_ENCRYPTED = b"-----BEGIN ENCRYPTED PRIVATE KEY-----"
_PRIVATE = "# A private key of sfumato: whoever has it signs in your name.\n"
_PUBLIC = "# A public key of sfumato: give it to those who verify what you sign.\n"


def named(text: Any, longest: int = LONGEST_NAME) -> bool:
    """Whether a text can be shown as a name: one line, printable, not too long."""
    return isinstance(text, str) and 0 < len(text) <= longest and text.isprintable() and text == text.strip()


@dataclass(frozen=True, slots=True)
class PublicKey:
    """What others need to verify a signature: 32 bytes, and the name that its holder goes by."""

    raw: bytes
    name: str

    @property
    def fingerprint(self) -> str:
        """The digest of the key's DER form with `SHA256` in front, to be compared by people."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        der = _public(self.raw).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return "SHA256:" + base64.b64encode(hashlib.sha256(der).digest()).decode().rstrip("=")

    @property
    def text(self) -> str:
        """The content of the key's file."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        pem = _public(self.raw).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return f"{_PUBLIC}{_NAME}{self.name}\n{pem.decode()}"

    def signed(self, message: bytes, signature: bytes) -> bool:
        """Whether a signature of a message was made with the private half of this key."""
        from cryptography.exceptions import InvalidSignature

        with suppress(InvalidSignature):
            _public(self.raw).verify(signature, message)
            return True
        return False

    @classmethod
    def read(cls, path: str | PathLike[str]) -> PublicKey:
        """A public key from its file."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        content = _content(Path(path))
        if b"PRIVATE KEY-----" in content:
            raise UsageError("a private key; the public one ends in .pub, and only that is given to others", where=str(path))
        with suppress(ValueError, TypeError):
            key = load_pem_public_key(content)
            if isinstance(key, Ed25519PublicKey):
                return cls(key.public_bytes_raw(), _name(content, Path(path)))
        raise DataError("not a public key for Ed25519", where=str(path))


@dataclass(frozen=True, slots=True, eq=False)
class PrivateKey:
    """A key to sign with."""

    name: str
    _key: Ed25519PrivateKey = field(repr=False)
    public: PublicKey = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "public", PublicKey(self._key.public_key().public_bytes_raw(), self.name))

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""
        return self._key.sign(message)

    @classmethod
    def read(cls, path: str | PathLike[str], passphrase: str | None = None) -> PrivateKey:
        """A private key from its file; its passphrase, if it has one, is given or in `$SFUMATO_PASSPHRASE`."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        place = Path(path)
        content = _content(place, secret=True)
        words = None
        if _ENCRYPTED in content:
            words = passphrase or os.environ.get(ENVIRONMENT)
            if not words:
                raise UsageError(
                    f"the key has a passphrase; {argument('passphrase_file')} or ${ENVIRONMENT} gives it", where=str(place)
                )
        try:
            key = load_pem_private_key(content, words.encode() if words else None)
        except (ValueError, TypeError):
            wrong = "the passphrase is wrong" if words else "not a private key for Ed25519"
            raise (UsageError if words else DataError)(wrong, where=str(place)) from None
        if not isinstance(key, Ed25519PrivateKey):
            raise DataError("not a private key for Ed25519", where=str(place))
        return cls(_name(content, place), key)


@one_call()
def new_key(path: Path, name: str, passphrase: str | None = None) -> tuple[Path, Path]:
    """Write a new pair of keys, the private one readable by its owner only; nothing that exists is replaced."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        KeySerializationEncryption,
        NoEncryption,
        PrivateFormat,
    )

    if not named(name):
        raise UsageError(f"a name is one line of at most {LONGEST_NAME} characters", where=argument("name"))
    if not path.name:
        raise OutputError("a folder; name the file of the key", where=str(path))
    public = path.with_suffix(".pub")
    if public == path:
        raise OutputError("the public key gets this name; choose another for the private one", where=str(path))
    key = Ed25519PrivateKey.generate()
    hidden: KeySerializationEncryption = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    head = f"{_NAME}{name}\n".encode()
    private_pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, hidden)
    shown = PublicKey(key.public_key().public_bytes_raw(), name)
    settle(path)
    for place in (path, public):
        if os.path.lexists(place):
            raise OutputError("exists already; a key is never replaced", where=str(place))
    try:
        with Transaction(force=False) as pair:
            pair.stage(path, private=True).write_bytes(_PRIVATE.encode() + head + private_pem)
            pair.stage(public).write_bytes(shown.text.encode())
            pair.commit()
    except OSError as error:
        raise unwritable(path, error) from None
    return path, public


def has_passphrase(path: Path) -> bool:
    """Whether a private key is encrypted."""
    return _ENCRYPTED in _content(path, secret=True)


def _content(path: Path, *, secret: bool = False) -> bytes:
    """The bytes of a key file; a private one must be its owner's alone."""
    with opened(path) as file:
        content = file.read(_LARGEST)
        open_to = stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077
    if secret and b"PRIVATE KEY" in content and open_to and os.name == "posix":
        raise UsageError(f"others can read this private key; make it yours alone: chmod 600 {path}", where=str(path))
    return content


def _name(content: bytes, path: Path) -> str:
    """The name in the line above the key, or that of the file."""
    for line in content.decode(errors="replace").splitlines():
        if line.startswith(_NAME) and named(line.removeprefix(_NAME)):
            return line.removeprefix(_NAME)
    return path.stem if named(path.stem) else "nameless"


def _public(raw: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(raw)
