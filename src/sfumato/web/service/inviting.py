"""How people come in: the first owner by a link that the service prints, everybody else by an invitation of an owner."""

from __future__ import annotations

from fastapi import Request
from sqlalchemy.engine import Connection

from sfumato.web.service import passwords
from sfumato.web.service.access import note
from sfumato.web.service.people import Account, Role, new_key
from sfumato.web.service.refusals import NoSuch, Taken
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.secret import digest, new_id, new_secret
from sfumato.web.service.service import Service, service_of
from sfumato.web.service.signing_in import begin
from sfumato.web.service.store import accounts, invitations, listings, resets, sessions, tokens
from sfumato.web.service.store.invitations import Invitation
from sfumato.web.service.texts import looks

_DAY = 24 * 3600.0
FIRST, OTHERS = _DAY, 7 * _DAY  # how long the links last
_DEAD_LINK = "this link leads nowhere: it was withdrawn or is too old; ask for a new one"


def set_up_link(service: Service) -> str | None:
    """The address where the first owner sets the service up; none once there is an owner. Earlier links are void."""
    secret, now = new_secret(), service.now()
    with service.database.writing() as connection:
        invitations.withdraw_by(connection, None)
        if accounts.owners(connection):
            return None
        invitations.add(connection, Invitation(new_id(), Role.OWNER, None, None, now, now + FIRST), digest(secret))
    return f"{service.address}/set-up/{secret}"


def invite(request: Request, by: Account, role: Role, mail: str | None) -> tuple[Invitation, str]:
    """An invitation, and the address that is its link."""
    service = service_of(request)
    secret, now = new_secret(), service.now()
    new = Invitation(new_id(), role, mail, by.id, now, now + OTHERS)
    with service.database.writing() as connection:
        invitations.add(connection, new, digest(secret))
        note(connection, by.id, "invite", role.value, request)
    return new, f"{service.address}/join/{secret}"


def withdraw(request: Request, by: Account, number: str) -> None:
    """Make an invitation void."""
    with service_of(request).database.writing() as connection:
        if not invitations.withdraw(connection, number):
            raise NoSuch("no invitation that waits; it may have been used")
        note(connection, by.id, "withdraw", number, request)


def invited(service: Service, secret: str, *, first: bool) -> Invitation:
    """The invitation of a link that can be used."""
    with service.database.reading() as connection:
        found = invitations.by_digest(connection, digest(secret))
    if found is None or (found.by is None) != first:
        raise NoSuch(_DEAD_LINK)
    if found.used is not None:
        raise Taken("this link was used already; sign in")
    if found.expires <= service.now():
        raise NoSuch(_DEAD_LINK)
    return found


def join(request: Request, secret: str, name: str, mail: str, password: str, *, first: bool) -> tuple[Account, str]:
    """Make the account that a link is for: the account, and the secret of its first session. Of two at once, one gets it."""
    service = service_of(request)
    invitation = invited(service, secret, first=first)
    kept, now = passwords.hashed(password), service.now()
    account = Account(new_id(), name, invitation.mail or mail, invitation.role, new_key(), now)
    with service.database.writing() as connection:
        if not invitations.use(connection, digest(secret), now):
            raise Taken("somebody else was faster, or the link was withdrawn")
        if first and accounts.owners(connection):
            raise Taken("there is an owner already; ask for an invitation")
        _require_unlike(connection, account)
        accounts.add(connection, account, kept)
        note(connection, account.id, "set-up" if first else "join", account.role.value, request)
        return account, begin(connection, service, account)


def _require_unlike(connection: Connection, new: Account) -> None:
    """A name stands under everything that is said; nobody should be taken for somebody else."""
    others = [each for each in accounts.everybody(connection) if each.closed is None]
    if looks(new.name) in {looks(each.name) for each in others}:
        raise Taken("somebody has this name, or one that looks like it; add something, such as where you work", where="name")
    if looks(new.mail) in {looks(each.mail) for each in others}:
        raise Taken("there is an account with this mail address, or one that looks like it", where="mail")


def close(request: Request, by: Account, number: str) -> None:
    """End an account, its sessions, its tokens, the links that it has sent or got, and its offers. One owner always stays."""
    service = service_of(request)
    with service.database.writing() as connection:
        listings.close_all(connection, number, service.now())  # first: who answers has locked a listing and then needs its owner
        if accounts.owners(connection) == [number]:
            raise Taken("the last owner stays; invite another one first")
        if not accounts.close(connection, number, service.now()):
            raise NoSuch("no open account of that name")
        sessions.end_all(connection, number)
        tokens.end_all(connection, number)
        invitations.withdraw_by(connection, number)
        resets.void(connection, number)
        resets.void_by(connection, number)
        note(connection, by.id, "close-account", number, request)
    news = rooms_of(request).news
    news.leave(number)
    news.tell_everybody()
