"""Requests about the world and about rooms: for pages, and for when sockets are blocked."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request

from crosstalk.collection.forms import described_world
from crosstalk.collection.refusals import Refusal
from crosstalk.collection.roles import Role
from crosstalk.collection.search import card
from crosstalk.web import messages
from crosstalk.web.hub import update_message
from crosstalk.web.problems import POSSIBLE
from crosstalk.web.room_messages import acknowledged, own_room, peek, result_of, submit
from crosstalk.web.visitors import AnyWorker, OurSite

router = APIRouter(prefix="/api", responses=POSSIBLE)
RoomNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
Plain = dict[str, Any]


@router.get("/world")
def world(worker: AnyWorker, request: Request, site: OurSite) -> Plain:
    return described_world(site.context)


@router.get("/rooms/{room}")
def room(
    room: RoomNumber,
    worker: AnyWorker,
    site: OurSite,
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    role: Annotated[Role, Query(description="Whose view an administrator wants.")] = Role.USER,
) -> Plain:
    log = site.log(room)
    own = log.room.role_of(worker.id) if log else None
    if log is not None and own is None and worker.admin:
        own = role
    if log is None or own is None:
        raise Refusal("not_yours", "this is not your room")
    return update_message(site, log, own, after)


@router.post("/rooms/{room}/messages")
def message(
    room: RoomNumber,
    body: Annotated[messages.RoomMessage, Body()],
    worker: AnyWorker,
    site: OurSite,
) -> Plain:
    if body.room != room:
        raise Refusal("bad_message", f"the message is about room {body.room}")
    own_room(site, worker.id, room)
    if isinstance(body, messages.Peek):
        return acknowledged(body.id, None, peek(site, worker.id, body))
    ack = submit(site, worker.id, body).result()
    return acknowledged(body.id, ack, result_of(site, body))


@router.get("/rooms/{room}/entity")
def entity(
    room: RoomNumber,
    domain: Annotated[str, Query(max_length=200)],
    name: Annotated[str, Query(max_length=200)],
    worker: AnyWorker,
    site: OurSite,
) -> Plain:
    log = site.log(room)
    own = log.room.role_of(worker.id) if log else None
    if own is not Role.WIZARD and not worker.admin:
        raise Refusal("not_yours", "this is not your room")
    return card(site.context, domain, name)
