"""Requests about oneself: coming in, consent, training, what one has done."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, StringConstraints

from crosstalk.collection.refusals import Refusal
from crosstalk.collection.training import Item, is_right
from crosstalk.web import accounts
from crosstalk.web.accounts import Gate, told_worker
from crosstalk.web.problems import POSSIBLE
from crosstalk.web.site import Site, Work
from crosstalk.web.store import attendance, people
from crosstalk.web.store.people import Worker
from crosstalk.web.visitors import (
    AnyVisitor,
    AnyWorker,
    OurSite,
    cookies_of,
    csrf_token,
    session_token,
)

router = APIRouter(prefix="/api", responses=POSSIBLE)
Interface = Literal["en", "zh"]
Name = Annotated[str, StringConstraints(max_length=100)]
Password = Annotated[str, StringConstraints(max_length=200)]
Token = Annotated[str, StringConstraints(max_length=200)]
Plain = dict[str, Any]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(Body):
    pass


class Join(Body):
    invitation: Token
    name: Name
    password: Password
    interface: Interface = "en"


class Login(Body):
    name: Name
    password: Password


class Enter(Body):
    token: Token


class NewPassword(Body):
    password: Password


class NewInterface(Body):
    interface: Interface


class Consent(Body):
    agreed: Literal[True]


class Answer(Body):
    answer: str | list[int] | dict[str, Any]


@router.get("/me")
def me(visitor: AnyVisitor, site: OurSite) -> Plain:
    pack = site.context.pack
    worker = _with_credit(site, visitor.worker) if visitor.worker else None
    about = {
        "world": site.context.world.name,
        "language": pack.code,
        "direction": pack.direction,
        "grace": site.rules.grace,
        "patience": site.rules.patience,
        "training": site.rules.training,
    }
    return {"csrf": visitor.csrf, "worker": worker, "site": about}


def _with_credit(site: Site, worker: Worker) -> Plain:
    credited = site.store.read(lambda connection: accounts.credit(connection, worker))
    return {**told_worker(worker), "credit": credited}


@router.post("/join")
def join(
    body: Join, visitor: AnyVisitor, site: OurSite, request: Request, response: Response
) -> Plain:
    worker, session = accounts.join(
        site,
        _gate(request),
        _address(request),
        invitation=body.invitation,
        name=body.name,
        password=body.password,
        interface=body.interface,
    )
    return _logged_in(request, response, worker, session)


@router.post("/enter")
def enter(
    body: Enter, visitor: AnyVisitor, site: OurSite, request: Request, response: Response
) -> Plain:
    gate, address = _gate(request), _address(request)
    if gate.by_address.wait(address):
        raise Refusal("too_fast", "too many wrong tries; please wait some minutes")
    gate.by_address.count(address)
    worker, session = accounts.enter(site, body.token, visitor.interface)
    return _logged_in(request, response, worker, session)


@router.post("/login")
def login(
    body: Login, visitor: AnyVisitor, site: OurSite, request: Request, response: Response
) -> Plain:
    worker, session = accounts.log_in(
        site, _gate(request), _address(request), body.name, body.password
    )
    return _logged_in(request, response, worker, session)


def _gate(request: Request) -> Gate:
    gate: Gate = request.app.state.gate
    return gate


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _logged_in(request: Request, response: Response, worker: Worker, session: str) -> Plain:
    """A new session, so that nobody can have fixed the token beforehand."""
    cookies = cookies_of(request)
    cookies.give(response, cookies.session, session, days=14)
    return {"csrf": csrf_token(request.app.state.secret, session), "worker": told_worker(worker)}


@router.post("/logout")
def logout(
    body: Nothing, worker: AnyWorker, site: OurSite, request: Request, response: Response
) -> Plain:
    session = session_token(request)
    site.submit(lambda work: people.end_session(work.connection, session)).result()
    cookies_of(request).take(response, cookies_of(request).session)
    return {}


@router.post("/password")
def password(
    body: NewPassword, worker: AnyWorker, site: OurSite, request: Request, response: Response
) -> Plain:
    session = accounts.change_password(site, worker, body.password)
    return _logged_in(request, response, worker, session)


@router.post("/interface")
def interface(body: NewInterface, worker: AnyWorker, site: OurSite) -> Plain:
    return told_worker(_change(site, worker, interface=body.interface))


@router.post("/consent")
def consent(body: Consent, worker: AnyWorker, site: OurSite) -> Plain:
    return told_worker(_change(site, worker, consented=site.clock()))


def _change(site: Site, worker: Worker, **values: Any) -> Worker:
    return site.submit(
        lambda work: people.change_worker(work.connection, worker.id, **values)
    ).result()


@router.get("/training")
def training(worker: AnyWorker, request: Request) -> Plain:
    items = [
        {**item.to_page(), "done": worker.training.get(item.key, False)} for item in _items(request)
    ]
    return {"items": items, "passed": worker.trained}


@router.post("/training/{item}")
def train(
    item: Annotated[str, Path(max_length=40)],
    body: Answer,
    worker: AnyWorker,
    site: OurSite,
    request: Request,
) -> Plain:
    items = _items(request)
    asked = next((each for each in items if each.key == item), None)
    if asked is None:
        raise Refusal("unknown_item", f"there is no exercise {item!r}")
    right = is_right(site.context, asked, body.answer)
    passed = worker.trained
    if right:
        passed = site.submit(lambda work: _learned(work, worker.id, item, items)).result()
    return {"right": right, "expected": asked.expected, "passed": passed}


def _items(request: Request) -> tuple[Item, ...]:
    items: tuple[Item, ...] = request.app.state.training
    return items


def _learned(work: Work, worker: int, item: str, items: tuple[Item, ...]) -> bool:
    """Whether, with this exercise, all of them are done."""
    known = people.find_worker(work.connection, worker)
    assert known is not None
    done = {**known.training, item: True}
    passed = known.trained or all(done.get(each.key) for each in items)
    trained = {"trained": work.now} if passed and not known.trained else {}
    people.change_worker(work.connection, worker, training=json.dumps(done), **trained)
    return passed


@router.get("/home")
def home(visitor: AnyVisitor, worker: AnyWorker, site: OurSite) -> Plain:
    def look(connection: Any) -> Plain:
        room = attendance.room_of(connection, worker.id)
        waits = attendance.waiting(connection, worker.id) is not None
        return {
            "worker": {**told_worker(worker), "credit": accounts.credit(connection, worker)},
            "stage": _stage(site, worker, room, waits),
            "room": room,
            "dialogues": accounts.own_dialogues(connection, worker.id),
        }

    return site.store.read(look)


def _stage(site: Site, worker: Worker, room: int | None, waits: bool) -> str:
    if room is not None:
        return "room"
    if not worker.consented:
        return "consent"
    if site.rules.training and not worker.trained:
        return "training"
    return "waiting" if waits else "lobby"
