"""Requests of experts, and of administrators about them."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field, StringConstraints
from starlette.responses import StreamingResponse

from crosstalk.annotation.adjudication import Choice
from crosstalk.collection.refusals import Refusal
from crosstalk.formats.encoding import encode_dialogue
from crosstalk.web import experts
from crosstalk.web.api_account import Body
from crosstalk.web.api_admin import Number
from crosstalk.web.experts import AnyExpert, annotate_of
from crosstalk.web.messages import Bounds, Several, Short, Value
from crosstalk.web.problems import POSSIBLE
from crosstalk.web.site import Site
from crosstalk.web.store import opinions
from crosstalk.web.store.people import find_worker
from crosstalk.web.visitors import OurSite, needs_admin

router = APIRouter(prefix="/api", responses=POSSIBLE)
for_admins = APIRouter(
    prefix="/api/admin/experts", responses=POSSIBLE, dependencies=[Depends(needs_admin)]
)
Plain = dict[str, Any]
Cell = Annotated[int, Field(ge=0, le=999)]
Tab = Annotated[dict[Short, Value | Several | Bounds], Field(max_length=50)]
Form = Annotated[dict[Short, Tab], Field(max_length=20)]
Version = Annotated[str, StringConstraints(max_length=20)]
Key = Annotated[str, StringConstraints(max_length=500)]


class Turn(Body):
    ticks: Annotated[list[Cell], Field(default_factory=list, max_length=200)]
    values: Annotated[dict[Cell, Value | Several], Field(default_factory=dict, max_length=200)]
    first: Annotated[Form, Field(default_factory=dict)]
    last: Form | None = None
    selected: Annotated[dict[Short, Several], Field(default_factory=dict, max_length=20)]


class Opinion(Body):
    turns: Annotated[list[Turn], Field(max_length=200)]
    done: bool = False


class Draw(Body):
    share: Annotated[float, Field(gt=0, le=1)] = 0.1
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class Appointment(Body):
    appointed: bool


class Decision(Body):
    left: Version
    right: Version
    choices: Annotated[dict[Key, Choice], Field(max_length=5000)]


@router.post("/expert/{room}")
def give_opinion(room: Number, body: Opinion, expert: AnyExpert, site: OurSite) -> Plain:
    plain = body.model_dump(mode="json", exclude={"done"}, exclude_none=False)
    experts.keep(site, expert, room, _without_gaps(plain), body.done)
    return {"done": body.done}


def _without_gaps(body: Plain) -> Plain:
    """Bounds with an open end have only the other."""
    for turn in body["turns"]:
        for form in filter(None, (turn["first"], turn["last"])):
            for tab in form.values():
                for slot, value in tab.items():
                    if isinstance(value, dict):
                        tab[slot] = {end: each for end, each in value.items() if each is not None}
    return body


@for_admins.post("/sample")
def draw(body: Draw, site: OurSite) -> Plain:
    task = partial(experts.draw, share=body.share, seed=body.seed)
    return {"rooms": site.submit(task).result()}


@for_admins.post("/appoint/{worker}")
def appoint(worker: Number, body: Appointment, site: OurSite) -> Plain:
    if not site.store.read(lambda connection: find_worker(connection, worker)):
        raise Refusal("unknown_worker", f"there is no worker {worker}")
    site.submit(partial(experts.appoint, expert=worker, appointed=body.appointed)).result()
    return {}


@for_admins.post("/{room}/settle")
def settle(room: Number, body: Decision, site: OurSite, request: Request) -> Plain:
    panel = site.store.read(opinions.read_panel)
    found = experts.versions(site, annotate_of(request), panel, room)
    experts.decide(site, room, found.pair(body.left, body.right), body.choices)
    return {"room": room}


@for_admins.get("/settled", response_class=StreamingResponse)
def settled(site: OurSite) -> StreamingResponse:
    """What was settled on, as a native corpus."""
    name = f"{site.context.world.name}-settled.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_lines(site), media_type="application/jsonl", headers=headers)


def _lines(site: Site) -> Iterator[bytes]:
    for room in site.store.read(opinions.read_panel).rooms:
        dialogue = experts.settled_version(site, room)
        if dialogue is not None:
            record = encode_dialogue(dialogue)
            yield (json.dumps(record, ensure_ascii=False) + "\n").encode()
