"""Pages for experts, and for administrators who compare what they say."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from crosstalk.annotation.adjudication import Cell, Difference, Part, differences
from crosstalk.annotation.matching import match
from crosstalk.collection.cells import shown_cells, slot_label
from crosstalk.collection.forms import described_world
from crosstalk.collection.rooms import replay
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.evaluation.agreement import Bootstrap, agreement
from crosstalk.web import experts
from crosstalk.web.experts import COLLECTED, AnyExpert, annotate_of
from crosstalk.web.overview import worker_lines
from crosstalk.web.pages.admin_pages import Number
from crosstalk.web.pages.render import page
from crosstalk.web.pages.replay import cell_label, said
from crosstalk.web.site import Site
from crosstalk.web.store import opinions
from crosstalk.web.store.opinions import SETTLED
from crosstalk.web.store.room_log import Log
from crosstalk.web.visitors import AnyVisitor, OurSite, needs_admin

router = APIRouter()
for_admins = APIRouter(prefix="/admin/experts", dependencies=[Depends(needs_admin)])
Plain = dict[str, Any]
Version = Annotated[str, Query(max_length=20)]


@router.get("/expert")
def start(request: Request, visitor: AnyVisitor, expert: AnyExpert, site: OurSite) -> Response:
    panel = site.store.read(opinions.read_panel)
    states = site.store.read(opinions.states)
    own = site.store.read(partial(opinions.took_part, worker=expert.id, rooms=panel.rooms))
    rooms = [
        {"room": room, "state": _state(states.get((room, expert.id)))}
        for room in panel.rooms
        if room not in own
    ]
    return page(request, visitor, "experts.html", rooms=rooms)


def _state(done: bool | None) -> str:
    return "new" if done is None else "done" if done else "begun"


@router.get("/expert/{room}")
def annotate(
    room: Number, request: Request, visitor: AnyVisitor, expert: AnyExpert, site: OurSite
) -> Response:
    if room not in site.store.read(opinions.read_panel).rooms:
        return RedirectResponse("/expert", 303)
    log = experts.sampled_log(site, room)
    kept = site.store.read(partial(opinions.read_opinion, room=room, expert=expert.id))
    data = {
        "room": room,
        "worker": expert.id,
        "world": described_world(site.context),
        "turns": _words(site.context, log),
        "cells": _pristine_cells(site.context, log),
        "opinion": kept.body["turns"] if kept else [],
    }
    return page(
        request,
        visitor,
        "expert.html",
        sections=("room", "experts"),
        data=data,
        room=room,
        goal=log.room.goal,
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


def _pristine_cells(context: WorldContext, log: Log) -> list[Plain]:
    """The table as it was before anybody had filled in anything."""
    return shown_cells(context, replay(log.events[:1]))


@for_admins.get("")
def panel(request: Request, visitor: AnyVisitor, site: OurSite) -> Response:
    found = site.store.read(opinions.read_panel)
    everybody = experts.everybody(site, found)
    workers = [line for line in site.store.read(worker_lines) if not line["blocked"]]
    names = {line["id"]: line["name"] for line in workers}
    return page(
        request,
        visitor,
        "admin/experts.html",
        rooms=found.rooms,
        experts=[(expert, names.get(expert, str(expert))) for expert in everybody],
        appointed=found.experts,
        workers=workers,
        states=site.store.read(opinions.states),
        settled=SETTLED,
        agreed=_agreement(request, site, found),
    )


def _agreement(request: Request, site: Site, found: opinions.Panel) -> list[Plain]:
    """Pair by pair, over the dialogues that both have annotated."""
    finished = {room for (room, _), done in site.store.read(opinions.states).items() if done}
    annotations: dict[str, list[Dialogue]] = {}
    for room in finished.intersection(found.rooms):
        kept = experts.versions(site, annotate_of(request), found, room)
        settled = {"settled": kept.settled} if kept.settled else {}
        for name, dialogue in {**kept.dialogues, **settled}.items():
            annotations.setdefault(name, []).append(dialogue)
    if len(annotations) < 2:
        return []
    return [
        {
            "names": each.names,
            "dialogues": each.dialogues,
            "f1": each.act_f1.overall.value,
            "state": each.state_accuracy.overall.value,
        }
        for each in agreement(match(annotations), bootstrap=Bootstrap(samples=1)).pairs
    ]


@for_admins.get("/{room}")
def compare(
    room: Number,
    request: Request,
    visitor: AnyVisitor,
    site: OurSite,
    left: Version = COLLECTED,
    right: Version = "",
) -> Response:
    found = site.store.read(opinions.read_panel)
    if room not in found.rooms:
        return RedirectResponse("/admin/experts", 303)
    kept = experts.versions(site, annotate_of(request), found, room)
    names = {str(line["id"]): line["name"] for line in site.store.read(worker_lines)}
    others = [name for name in kept.dialogues if name != left]
    right = right or next(iter(others), "")
    lines = list(differences(*kept.pair(left, right))) if right else []
    log = experts.sampled_log(site, room)
    return page(
        request,
        visitor,
        "admin/compare.html",
        sections=("experts",),
        data={"room": room, "left": left, "right": right},
        room=room,
        left=left,
        right=right,
        versions=[(name, names.get(name, "")) for name in kept.dialogues],
        turns=_compared(site.context, log, lines),
        count=len(lines),
        is_settled=kept.settled is not None,
    )


def _compared(context: WorldContext, log: Log, found: list[Difference]) -> list[Plain]:
    return [
        {
            "by": "user" if turn.speaker is Speaker.USER else "wizard",
            "text": turn.text,
            "differences": [
                _difference(context, log, each) for each in found if each.key.turn == number
            ],
        }
        for number, turn in enumerate(log.room.conversation.turns, start=1)
    ]


def _difference(context: WorldContext, log: Log, each: Difference) -> Plain:
    return {
        "name": experts.name(each),
        "part": each.key.part.value,
        "label": _label(context, log, each),
        "left": _cell(each.left),
        "right": _cell(each.right),
        "both": each.key.part is Part.ACTS,
    }


def _label(context: WorldContext, log: Log, each: Difference) -> str:
    cell = each.key.cell
    match each.key.part:
        case Part.ACTS:
            intent, domain, slot = cell
            known = f"{context.pack.domain_name(domain)} · {slot_label(context, domain, slot)}"
            return f"{intent} {known if context.slot(domain, slot) else f'{domain} {slot}'}"
        case Part.USER_STATE:
            return cell_label(context, log.room, int(cell[0]) - 1)
    return f"{context.pack.domain_name(cell[0])} · {slot_label(context, *cell)}"


def _cell(cell: Cell) -> str | None:
    """None: nothing is there; an act without a value is there, and empty."""
    if isinstance(cell, SemanticTuple):
        return f"{said(cell.value) or '?'}{' ✓' if cell.expressed else ''}"
    return said(cell) if cell else None
