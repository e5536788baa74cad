"""Requests and pages of experts, and of administrators who draw samples and see agreement."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response, StreamingResponse

from crosstalk.annotation.adjudication import match
from crosstalk.collection.commands import FieldText, FieldTexts, FormFields, Short
from crosstalk.collection.user_table import slot_label
from crosstalk.collection.wizard_form import described_world
from crosstalk.collection.world_context import WorldContext
from crosstalk.corpora.record_encoding import encode_dialogue
from crosstalk.dialogue.acts import NOTHING
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import Rejection
from crosstalk.evaluation.agreement import agreement
from crosstalk.evaluation.kappa import Bootstrap
from crosstalk.evaluation.label_agreement import LabelTable, label_agreement
from crosstalk.goals.describe import for_people
from crosstalk.web.account_routes import RequestBody
from crosstalk.web.annotate import adjudicate
from crosstalk.web.annotate import expert_annotations as experts
from crosstalk.web.annotate.expert_annotations import (
    SETTLED,
    AnyExpert,
    annotate_of,
)
from crosstalk.web.annotate.expert_turns import turn_view, work_doubts
from crosstalk.web.collect.admin import Number
from crosstalk.web.collect.room_records import worker_lines
from crosstalk.web.collect.site import OurSite, Site
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage, Area, NavigationLink
from crosstalk.web.sessions import AnyAdmin, Visitor, needs, needs_admin
from crosstalk.web.store.role_store import Permission, StaffRole, roles_of
from crosstalk.web.store.room_store import Log
from crosstalk.web.store.store import Store
from crosstalk.web.store.worker_store import find_worker

router = APIRouter(prefix="/api", responses=POSSIBLE)
for_admins = APIRouter(
    prefix="/api/admin/experts", responses=POSSIBLE, dependencies=[Depends(needs_admin)]
)
pages = APIRouter(include_in_schema=False)
admin_pages = APIRouter(
    prefix="/admin/experts",
    include_in_schema=False,
    dependencies=[Depends(needs(Permission.ADJUDICATE))],
)
Plain = dict[str, Any]
CellNumber = Annotated[int, Field(ge=0, le=999)]
"""Not strict: keys of a JSON object are strings."""
Form = Annotated[dict[Short, FormFields], Field(max_length=20)]


class TurnBody(RequestBody):
    state: Literal["unseen", "nothing", "said"] = "unseen"
    ticks: Annotated[list[CellNumber], Field(default_factory=list, max_length=200)]
    values: Annotated[
        dict[CellNumber, FieldText | FieldTexts], Field(default_factory=dict, max_length=200)
    ]
    dropped: Annotated[list[CellNumber], Field(default_factory=list, max_length=200)]
    first: Form | None = None
    last: Form | None = None
    selected: Annotated[dict[Short, FieldTexts], Field(max_length=20)] | None = None
    seconds: Annotated[float, Field(ge=0)] = 0.0


class OpinionBody(RequestBody):
    turns: Annotated[list[TurnBody], Field(max_length=200)]
    done: bool = False


class DrawBody(RequestBody):
    share: Annotated[float, Field(gt=0, le=1)] = 0.1
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class AppointmentBody(RequestBody):
    appointed: bool


@router.post("/expert/{room}")
def give_opinion(room: Number, body: OpinionBody, expert: AnyExpert, site: OurSite) -> Plain:
    plain = body.model_dump(mode="json", exclude={"done"}, exclude_none=False)
    experts.keep(site, expert, room, plain, body.done)
    doubted = work_doubts(experts.own_log(site, expert, room).room, plain)
    return {"done": body.done, "doubts": doubted}


@router.post("/expert/{room}/turn/{number}")
def turn(
    room: Number,
    number: Annotated[int, Path(ge=0, le=999)],
    body: OpinionBody,
    expert: AnyExpert,
    site: OurSite,
) -> Plain:
    """What the controls of a turn show while it is annotated; nothing is stored."""
    log = experts.own_log(site, expert, room)
    if number >= len(log.room.conversation.turns):
        raise Rejection("bad_value", f"there is no turn {number}")
    said = experts.turn_annotations(body.model_dump(mode="json", exclude={"done"}))
    return turn_view(site.context, log.room, number, said)


@for_admins.post("/sample")
def draw(body: DrawBody, site: OurSite) -> Plain:
    task = partial(experts.draw, share=body.share, seed=body.seed)
    return {"rooms": site.submit(task).result()}


@for_admins.post("/appoint/{worker}")
def appoint(worker: Number, body: AppointmentBody, admin: AnyAdmin, site: OurSite) -> Plain:
    if not site.store.read(lambda connection: find_worker(connection, worker)):
        raise Rejection("unknown_worker", f"there is no worker {worker}")
    task = partial(experts.appoint, expert=worker, appointed=body.appointed, by=admin.id)
    site.submit(task).result()
    return {}


@for_admins.get("/settled", response_class=StreamingResponse)
def settled(site: OurSite) -> StreamingResponse:
    """The adjudicated dialogues as a native corpus."""
    name = f"{site.context.world.name}-settled.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_lines(site), media_type="application/jsonl", headers=headers)


def _lines(site: Site) -> Iterator[bytes]:
    for room in site.store.read(experts.read_panel).rooms:
        dialogue = experts.settled_version(site, room)
        if dialogue is not None:
            record = encode_dialogue(dialogue)
            yield (json.dumps(record, ensure_ascii=False) + "\n").encode()


@pages.get("/expert")
def start(page: AnyPage, expert: AnyExpert, site: OurSite) -> Response:
    panel = site.store.read(experts.read_panel)
    states = site.store.read(experts.states)
    own = site.store.read(partial(experts.took_part, worker=expert.id, rooms=panel.rooms))
    rooms = [
        {"room": room, "state": _state(states.get((room, expert.id)))}
        for room in panel.rooms
        if room not in own
    ]
    return page("experts.html", rooms=rooms)


def _state(done: bool | None) -> str:
    return "new" if done is None else "done" if done else "begun"


@pages.get("/expert/{room}")
def annotate(room: Number, page: AnyPage, expert: AnyExpert, site: OurSite) -> Response:
    if room not in site.store.read(experts.read_panel).rooms:
        return RedirectResponse("/expert", 303)
    log = experts.sampled_log(site, room)
    kept = site.store.read(partial(experts.read_annotation, room=room, expert=expert.id))
    data = {
        "room": room,
        "worker": expert.id,
        "world": described_world(site.context),
        "turns": _words(site.context, log),
        "goal": for_people(log.room.goal.description),
        "opinion": kept.body["turns"] if kept else [],
    }
    return page(
        "expert.html",
        sections=("room", "experts", "hints"),
        data=data,
        room=room,
        goal_words=for_people(log.room.goal.description),
    )


def _words(context: WorldContext, log: Log) -> list[Plain]:
    return [
        {
            "by": "user" if turn.speaker is Speaker.USER else "wizard",
            "text": turn.text,
            "names": [mention[2:] for mention in context.mentions(turn.text)],
        }
        for turn in log.room.conversation.turns
    ]


@admin_pages.get("")
def panel(page: AnyPage, site: OurSite) -> Response:
    found = site.store.read(experts.read_panel)
    everybody = experts.everybody(site, found)
    workers = [line for line in site.store.read(worker_lines) if not line["blocked"]]
    named = Permission.ADMINISTER in page.may
    names = {line["id"]: line["name"] for line in workers} if named else {}
    return page(
        "admin/experts.html",
        rooms=found.rooms,
        experts=[(expert, names.get(expert, str(expert))) for expert in everybody],
        appointed=found.experts,
        workers=workers,
        states=site.store.read(experts.states),
        settled=SETTLED,
        names=names,
        agreed=_agreement(page.request, site),
        mends=list(_mends(site, found)),
    )


def _mends(site: Site, found: experts.Panel) -> Iterator[Plain]:
    """What adjudicators want the guideline to say."""
    for room in found.rooms:
        for each in experts.made_verdicts(site, room).get("verdicts", ()):
            if each.get("mend"):
                yield {"room": room, "text": each["mend"]}


SAMPLES = 200
"""Bootstrap samples for the intervals of the page."""


def _agreement(request: Request, site: Site) -> list[Plain]:
    """Agreement of each pair of annotators, over the dialogues that both have finished."""
    annotations = experts.all_versions(site, annotate_of(request))
    if len(annotations) < 2:
        return []
    matched = match(annotations)
    return [
        {
            "names": each.names,
            "dialogues": each.dialogues,
            "figures": [
                (name, *figure.words(digits))
                for name, figure, digits in (
                    ("act_f1", each.act_f1.overall, 1),
                    ("state_accuracy", each.state_accuracy.overall, 1),
                    ("act_kappa", each.act_kappa, 3),
                    ("act_ac1", each.act_ac1, 3),
                    ("state_kappa", each.state_kappa, 3),
                    ("act_masi", each.act_masi, 3),
                )
            ],
            "labels": _labels(site.context, label_agreement(matched.among(*each.names))),
        }
        for each in agreement(matched, bootstrap=Bootstrap(samples=SAMPLES)).pairs
        if each.dialogues
    ]


def _labels(context: WorldContext, table: LabelTable) -> list[Plain]:
    """Lines of a table: acts and slots, those with the least agreement first."""
    lines = [
        {
            "part": each.part,
            "name": _label_name(context, each.name),
            "used": each.used,
            "units": each.units,
            "same": f"{each.agreement:.1f}",
            "low": f"{each.interval[0]:.1f}",
            "high": f"{each.interval[1]:.1f}",
            "beyond": [
                "–" if value is None else f"{value:.2f}"
                for value in (each.kappa, each.ac1, each.alpha)
            ],
        }
        for each in table.labels
    ]
    return sorted(lines, key=lambda line: (str(line["part"]), float(str(line["same"]))))


def _label_name(context: WorldContext, name: tuple[str, ...]) -> str:
    """Intent, domain and slot as the world's language calls them."""
    *intent, domain, slot = name
    if not context.domain(domain):
        return " ".join(each for each in name if each != NOTHING)
    shown = slot_label(context, domain, slot) if context.slot(domain, slot) else slot
    return " ".join([*intent, context.pack.domain_name(domain), "·", shown])


def annotate_area(store: Store) -> Area:
    def navigation(request: Request, visitor: Visitor) -> Iterator[NavigationLink]:
        worker = visitor.worker
        if worker and StaffRole.EXPERT in store.read(lambda reading: roles_of(reading, worker)):
            yield NavigationLink("/expert", "common.expert")

    routers = router, for_admins, adjudicate.api, pages, admin_pages, adjudicate.pages
    return Area(routers=routers, navigation=navigation)
