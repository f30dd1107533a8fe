"""Negotiations, for both parties: the list, and each of them with what was said and what can be done now."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response

from sfumato.negotiation.files.sheet import Sheet, amount
from sfumato.negotiation.files.turns import Relaxed
from sfumato.negotiation.protocol import Rate, State
from sfumato.web.rendering import show
from sfumato.web.service import deciding
from sfumato.web.service.access import owner_in, signed_in
from sfumato.web.service.benches import job_of
from sfumato.web.service.negotiating import Said
from sfumato.web.service.pages.asking import budget_from, builder_of, pattern_from
from sfumato.web.service.pages.common import NUMBER, go_to
from sfumato.web.service.pages.wording import STATES, reason_words, standing_words
from sfumato.web.service.people import Account
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.secret import digest as digest_of
from sfumato.web.service.showing import View, shape_of, suggested, view_of
from sfumato.web.service.store import negotiations
from sfumato.web.service.store.negotiations import PAGE, Negotiated

router = APIRouter()
SignedIn = Annotated[Account, Depends(signed_in)]
Owner = Annotated[Account, Depends(owner_in)]


@router.get("/negotiations")
def mine(
    request: Request, account: SignedIn, page: Annotated[int, Query(ge=0, le=10**6)] = 0, state: State | None = None
) -> Response:
    """The negotiations of an account, those that changed last first."""
    with rooms_of(request).service.database.reading() as connection:
        found, total = negotiations.lines(connection, account.id, page, None if state is None else state.value)
    return show(
        request,
        "service/negotiations.html",
        lines=[(each, standing_words(each.state, account, each.user)) for each in found],
        total=total,
        page=page,
        last=max(total - 1, 0) // PAGE,
        state="" if state is None else state.value,
        states=STATES,
    )


@router.get("/negotiations/{identity}")
def one(request: Request, account: SignedIn, identity: str) -> Response:
    """A negotiation as a party sees it now."""
    found = deciding.found(request, account, identity)
    view = view_of(found, account, rooms_of(request).service.now())
    job = deciding.delivery(request, account, identity)
    said = found.record.transcript
    return show(
        request,
        "service/negotiation.html",
        view=view,
        names={"owner": said.owner.name, "user": said.user.name},
        words=standing_words(view.state, account, said.user.name, view.turn),
        numbers=_numbers(view),
        shape=shape_of(found),
        **_of_sheet(found.record.sheet, view),
        delivery=None if job is None else job_of(job),
        **_for_user(found, view.moves),
        **_for_owner(request, account, identity, said.user.name),
        files=deciding.FILES if view.state == State.DELIVERED else (),
    )


@router.post("/negotiations/{identity}/moves")
def move(
    request: Request,
    account: SignedIn,
    identity: str,
    move: Annotated[str, Form(pattern="^(accept|reject|relax|terminate)$")],
    offer: Annotated[str | None, Form()] = None,
    digest: Annotated[str | None, Form()] = None,
    pattern: Annotated[str, Form()] = "",
    shares: Annotated[str, Form()] = "",
    budget: Annotated[str, Form()] = "",
    reason: Annotated[str, Form(max_length=500)] = "",
    event: Annotated[str | None, Form(pattern=NUMBER)] = None,
) -> Response:
    """Make a move, and see what comes of it. The same form again changes nothing."""
    asked = Relaxed(pattern_from(pattern, shares), budget_from(budget)) if move == "relax" else None
    sentence = " ".join(reason.split()) or None
    deciding.say(request, account, identity, Said(move, offer, digest, asked, sentence, event))
    return go_to(f"/negotiations/{identity}")


@router.post("/negotiations/{identity}/again")
def again(request: Request, owner: Owner, identity: str) -> Response:
    """Deliver once more; it has failed."""
    deciding.deliver_again(request, owner, identity)
    return go_to(f"/negotiations/{identity}")


@router.get("/negotiations/{identity}/files/{name}")
def file(request: Request, account: SignedIn, identity: str, name: str) -> Response:
    """A file that was delivered."""
    return deciding.file(request, account, identity, name)


@router.get("/negotiations/{identity}/record")
def record(request: Request, account: SignedIn, identity: str) -> Response:
    """What was said so far, signed."""
    text = json.dumps(deciding.record(request, account, identity), indent=1, ensure_ascii=False) + "\n"
    return Response(text, media_type="application/json", headers=_as_file("record.json"))


@router.get("/negotiations/{identity}/key")
def key(request: Request, account: SignedIn, identity: str) -> Response:
    """The owner's public key."""
    return Response(deciding.key(request, account, identity), media_type="text/plain", headers=_as_file("owner.pub"))


def _numbers(view: View) -> dict[str, str]:
    """The number that each move would have here and now: a form that is sent twice makes its move once."""
    return {move: digest_of(f"{view.id} {len(view.history)} {move}")[:32] for move in view.moves}


def _as_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _of_sheet(sheet: Sheet, view: View) -> dict[str, Any]:
    """What the sheet says about the offer, in words."""
    offer = view.offer
    return {
        "kept": (sheet.sensitive, *sheet.plain),
        "flat": sheet.rate == Rate.FLAT,
        "until": "" if offer is None else f"{datetime.fromisoformat(offer.until):%Y-%m-%d %H:%M} UTC",
        "price": "" if offer is None or offer.price is None else amount(offer.price),
    }


def _for_user(found: Negotiated, moves: tuple[str, ...]) -> dict[str, Any]:
    """The builder, filled with a little less than was asked for."""
    if "relax" not in moves:
        return {"builder": None}
    state = found.record.negotiation
    budget = None if state.asked is None else state.asked.budget
    return {"builder": builder_of(found.record.sheet, suggested(found) or state.pattern, budget)}


def _for_owner(request: Request, account: Account, identity: str, user: str) -> dict[str, Any]:
    """Why there is no offer: for the owner alone."""
    why = deciding.refusal(request, account, identity)
    return {"why": why, "reason": "" if why is None else reason_words(why.reason, user)}
