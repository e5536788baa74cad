"""Requests and pages of workers: consent, training, lobby, rooms, credited work."""

import json
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from crosstalk.collection.events import Role
from crosstalk.collection.exercises import Exercise, is_right
from crosstalk.collection.room_actions import described_actions
from crosstalk.collection.room_views import view
from crosstalk.collection.rooms import Status
from crosstalk.collection.wizard_aid import WizardAid
from crosstalk.collection.wizard_form import card, described_world
from crosstalk.errors import Rejection
from crosstalk.goals.describe import for_people
from crosstalk.web.account_routes import RequestBody
from crosstalk.web.accounts import worker_record
from crosstalk.web.collect import messages
from crosstalk.web.collect.hub import update_message
from crosstalk.web.collect.jobs import Sender
from crosstalk.web.collect.messages import acknowledged, own_room, peek, result_of, submit
from crosstalk.web.collect.participation import (
    give_consent,
    missed,
    next_step,
    visit_of,
)
from crosstalk.web.collect.room_records import credit, own_dialogues, steps
from crosstalk.web.collect.site import OurSite, Site, Transaction
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage, words_for
from crosstalk.web.rate_limits import TooFast
from crosstalk.web.sessions import (
    AnyVisitor,
    AnyWorker,
    find_visitor,
    session_token,
)
from crosstalk.web.store import worker_store
from crosstalk.web.store.message_store import unread
from crosstalk.web.store.study_store import CONSENT, touch
from crosstalk.web.store.worker_store import Worker

router = APIRouter(prefix="/api", responses=POSSIBLE)
pages = APIRouter(include_in_schema=False)
RoomNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
Plain = dict[str, Any]
WAY = {stage: f"/{stage}" for stage in ("consent", "questionnaire", "training", "done")}
"""Stage -> page of workers who may not enter the lobby yet."""


class ConsentBody(RequestBody):
    agreed: Literal[True]


class AnswerBody(RequestBody):
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
    credited = site.store.read(lambda connection: credit(connection, worker))
    return {**worker_record(worker), "credit": credited}


@router.post("/consent")
def consent(body: ConsentBody, worker: AnyWorker, site: OurSite, request: Request) -> Plain:
    language = words_for(request, find_visitor(request)).code
    task = partial(give_consent, worker=worker.id, language=language)
    return worker_record(site.submit(task).result())


@router.get("/training")
def training(worker: AnyWorker, request: Request) -> Plain:
    items = [
        {**item.to_page(), "done": bool(worker.training.get(item.key))} for item in _items(request)
    ]
    return {"items": items, "passed": worker.trained}


@router.post("/training/{item}")
def train(
    item: Annotated[str, Path(max_length=40)],
    body: AnswerBody,
    worker: AnyWorker,
    site: OurSite,
    request: Request,
) -> Plain:
    items = _items(request)
    asked = next((each for each in items if each.key == item), None)
    if asked is None:
        raise Rejection("unknown_item", f"there is no exercise {item!r}")
    right = is_right(site.context, asked, body.answer)
    passed, ended = worker.trained, False
    if not right:
        ended = site.submit(partial(missed, worker=worker.id, item=item)).result()
    else:
        passed = site.submit(partial(_learned, worker=worker.id, item=item, items=items)).result()
    return {"right": right, "expected": asked.expected, "passed": passed, "ended": ended}


def _items(request: Request) -> tuple[Exercise, ...]:
    items: tuple[Exercise, ...] = request.app.state.training
    return items


def _learned(transaction: Transaction, worker: int, item: str, items: tuple[Exercise, ...]) -> bool:
    """Record a solved exercise; returns whether all of them are solved."""
    known = worker_store.find_worker(transaction.connection, worker)
    assert known is not None
    done = {**known.training, item: True}
    touch(transaction.connection, worker, transaction.now)
    passed = known.trained or all(done.get(each.key) for each in items)
    trained = {"trained": transaction.now} if passed and not known.trained else {}
    worker_store.change_worker(transaction.connection, worker, training=json.dumps(done), **trained)
    return passed


@router.get("/home")
def home(visitor: AnyVisitor, worker: AnyWorker, site: OurSite) -> Plain:
    def look(connection: Any) -> Plain:
        step = next_step(site, connection, worker)
        return {
            "worker": {**worker_record(worker), "credit": credit(connection, worker)},
            "stage": step.stage,
            "room": step.room if step.stage == "room" else None,
            "visit": visit_of(site, connection, worker.id) is not None,
            "dialogues": own_dialogues(connection, worker.id),
        }

    return site.store.read(look)


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
        raise Rejection("not_yours", "this is not your room")
    return update_message(site, log, own, after)


@router.post("/rooms/{room}/messages")
def message(
    room: RoomNumber,
    body: Annotated[messages.RoomMessage, Body()],
    worker: AnyWorker,
    site: OurSite,
    request: Request,
) -> Plain:
    if body.room != room:
        raise Rejection("bad_message", f"the message is about room {body.room}")
    if not request.app.state.messages.take(worker.id):
        raise TooFast("too many messages; please wait a moment", 1.0)
    sender = Sender(worker.id, session_token(request))
    own_room(site, sender, room)
    if isinstance(body, messages.PeekMessage):
        return acknowledged(body.id, None, peek(site, sender, body))
    ack = submit(site, sender, body).result()
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
        raise Rejection("not_yours", "this is not your room")
    return card(site.context, domain, name)


@router.get("/rooms/{room}/aid")
def aid(room: RoomNumber, worker: AnyWorker, request: Request, site: OurSite) -> Plain:
    """What the wizard is offered now: wishes for the form, and a drafted answer."""
    log = site.log(room)
    own = log.room.role_of(worker.id) if log else None
    if log is None or (own is not Role.WIZARD and not worker.admin):
        raise Rejection("not_yours", "this is not your room")
    helper: WizardAid = request.app.state.aid
    rules, mine = site.rules, log.room.next_role is Role.WIZARD
    return {
        "turn": len(log.room.conversation.turns),
        "wishes": helper.wishes(log.room) if rules.offers and mine else [],
        "draft": helper.draft(log.room) if rules.drafts and mine else "",
    }


@pages.get("/")
def start(page: AnyPage) -> Response:
    if page.visitor.worker is None:
        return RedirectResponse("/login", 303)
    if page.visitor.worker.blocked:
        return page("blocked.html")
    return RedirectResponse("/admin" if page.visitor.worker.admin else "/lobby", 303)


@pages.get("/consent")
def consent_page(page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    text = site.study.text(CONSENT, page.language) if site.study else ""
    visits = site.store.read(lambda reading: visit_of(site, reading, worker.id)) is not None
    return page("consent.html", text=text, visits=visits, study=site.study)


@pages.get("/training")
def training_page(page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    if not worker.consented:
        return RedirectResponse("/consent", 303)
    data = {"world": described_world(site.context)}
    return page("training.html", sections=("training", "room"), data=data)


@pages.get("/lobby")
def lobby_page(page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    about = home(page.visitor, worker, site)
    if about["stage"] == "room":
        return RedirectResponse(f"/room/{about['room']}", 303)
    if about["stage"] in WAY:
        return RedirectResponse(WAY[about["stage"]], 303)
    return page("lobby.html", sections=("lobby",), about=about, notices=_notices(site, worker))


def _notices(site: Site, worker: Worker) -> list[Plain]:
    return site.store.read(lambda connection: unread(connection, worker.id))


@pages.get("/work")
def work_page(page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    about = home(page.visitor, worker, site)
    return page("work.html", about=about, notices=_notices(site, worker))


@pages.get("/own/{room}")
def own_dialogue_page(
    room: RoomNumber, page: AnyPage, worker: AnyWorker, site: OurSite
) -> Response:
    """A dialogue of one's own that is over, with what oneself did, and the verdict."""
    log = site.log(room)
    role = log.room.role_of(worker.id) if log else None
    if log is None or (role is None and not worker.admin):
        return page.problem(404)
    if role is None or log.room.status is Status.OPEN:
        return RedirectResponse(f"/room/{room}", 303)
    verdict = view(site.context, log.room, role)
    own = [each for each in steps(site.context, log) if not each.happened]
    return page(
        "own_dialogue.html",
        room=room,
        role=role.value,
        steps=[each if each.by == role else replace(each, notes=(), hints=()) for each in own],
        verdict={key: verdict[key] for key in ("review", "note", "reason")},
        goal_words=for_people(log.room.goal.description) if role is Role.USER else [],
    )


@pages.get("/room/{room}")
def room_page(room: RoomNumber, page: AnyPage, worker: AnyWorker, site: OurSite) -> Response:
    log = site.log(room)
    role = log.room.role_of(worker.id) if log else None
    if role is None and worker.admin:
        return RedirectResponse(f"/admin/rooms/{room}", 303)
    if role is None:
        return page.problem(404)
    data: dict[str, Any] = {
        "room": room,
        "role": role.value,
        "worker": worker.id,
        "world": described_world(site.context),
        "actions": described_actions(site.context) if role is Role.WIZARD else [],
    }
    return page(
        f"room_{role.value}.html",
        sections=("room", "hints"),
        data=data,
        room=room,
        role=role.value,
        domains=data["world"]["domains"],
        has_actions=bool(data["actions"]),
        notices=[],  # the socket brings them
        visits=site.store.read(lambda reading: visit_of(site, reading, worker.id)) is not None,
    )
