"""Two annotations of a dialogue side by side: its decisions, their pages and requests."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import Field, StringConstraints
from starlette.responses import RedirectResponse, Response

from crosstalk.annotation.adjudication import CellChoice
from crosstalk.annotation.decisions import Decision, OperationKey, Side, decisions
from crosstalk.annotation.label_states import Cause, Sureness, Verdict
from crosstalk.annotation.operations import OperationKind, Search
from crosstalk.annotation.settlement import OwnValue
from crosstalk.collection.user_table import slot_label
from crosstalk.collection.world_context import WorldContext, is_several
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import InputError, Rejection
from crosstalk.web.account_routes import RequestBody
from crosstalk.web.annotate import expert_annotations as experts
from crosstalk.web.annotate.expert_annotations import COLLECTED, annotate_of
from crosstalk.web.collect.admin import Number
from crosstalk.web.collect.room_records import said, worker_lines
from crosstalk.web.collect.site import OurSite
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import needs
from crosstalk.web.store.role_store import Permission
from crosstalk.web.store.room_store import Log

api = APIRouter(
    prefix="/api/admin/experts",
    responses=POSSIBLE,
    dependencies=[Depends(needs(Permission.ADJUDICATE))],
)
pages = APIRouter(
    prefix="/admin/experts",
    include_in_schema=False,
    dependencies=[Depends(needs(Permission.ADJUDICATE))],
)
Plain = dict[str, Any]
Version = Annotated[str, StringConstraints(max_length=20)]
Short = Annotated[str, StringConstraints(max_length=500)]


class VerdictBody(RequestBody):
    """What is decided about one cause; its place names it as on the page."""

    turn: Annotated[int, Field(ge=1)]
    operation: OperationKind
    cell: Annotated[list[Short], Field(max_length=3)]
    search: Search | Literal[""] = ""
    choice: CellChoice | Literal["own"]
    value: bool | Short = ""
    """For `own`; several texts are parted by semicolons."""
    cause: Cause | Literal[""] = ""
    sure: Sureness | Literal[""] = ""
    mend: Annotated[str, StringConstraints(max_length=2000)] = ""

    def key(self, room: int) -> OperationKey:
        return OperationKey(str(room), self.turn, self.operation, tuple(self.cell), self.search)


class SettlementBody(RequestBody):
    left: Version
    right: Version
    verdicts: Annotated[list[VerdictBody], Field(max_length=5000)]
    finished: bool = True
    """Whether everything has to be decided; otherwise what is open stays as the left has it."""


@api.post("/{room}/settle")
def settle(room: Number, body: SettlementBody, site: OurSite, request: Request) -> Plain:
    panel = site.store.read(experts.read_panel)
    annotate = annotate_of(request)
    found = experts.versions(site, annotate, panel, room)
    pair = found.pair(body.left, body.right)
    verdicts = {each.key(room): _verdict(site.context, each) for each in body.verdicts}
    records = [each.model_dump(mode="json") for each in body.verdicts]
    told = {"left": body.left, "right": body.right, "verdicts": records}
    try:
        unmade = experts.decide(site, annotate, room, pair, verdicts, body.finished, told)
    except InputError as error:
        raise Rejection("undecided", str(error)) from error
    return {"room": room, "open": unmade}


def _verdict(context: WorldContext, body: VerdictBody) -> Verdict:
    if body.choice != "own":
        return Verdict(body.choice, body.cause, body.sure, body.mend)
    return Verdict(OwnValue(_own_value(context, body)), body.cause, body.sure, body.mend)


def _own_value(context: WorldContext, body: VerdictBody) -> bool | SlotValue:
    if isinstance(body.value, bool):
        return body.value
    parts = tuple(part.strip() for part in body.value.replace("；", ";").split(";"))
    several = body.operation is OperationKind.ACT or len(parts) > 1
    if body.operation is OperationKind.SEARCH and len(body.cell) > 1:
        slot = context.slot(body.cell[0], body.cell[1])
        several = several or is_several(slot, body.cell[1])
    return tuple(filter(None, parts)) if several else parts[0]


@pages.get("/{room}")
def compare(
    room: Number,
    page: AnyPage,
    site: OurSite,
    left: Version = COLLECTED,
    right: Version = "",
) -> Response:
    panel = site.store.read(experts.read_panel)
    if room not in panel.rooms:
        return RedirectResponse("/admin/experts", 303)
    kept = experts.versions(site, annotate_of(page.request), panel, room)
    named = site.store.read(worker_lines) if Permission.ADMINISTER in page.may else []
    names = {str(line["id"]): line["name"] for line in named}
    others = [name for name in kept.dialogues if name != left]
    right = right or next(iter(others), "")
    found = decisions(*kept.pair(left, right), acts=False) if right else []
    log = experts.sampled_log(site, room)
    before = kept.made if (kept.made.get("left"), kept.made.get("right")) == (left, right) else {}
    return page(
        "admin/compare.html",
        sections=("experts",),
        data={"room": room, "left": left, "right": right, "made": before.get("verdicts", [])},
        room=room,
        left=left,
        right=right,
        versions=[(name, names.get(name, "")) for name in kept.dialogues],
        turns=_turns(site.context, log, found),
        count=len(found),
        explained=sum(len(each.explains) for each in found),
        causes=[(each.value, each.name.lower()) for each in Cause],
        sureness=[(each.value, each.name.lower()) for each in Sureness],
        is_settled=kept.settled is not None,
    )


def _turns(context: WorldContext, log: Log, found: Sequence[Decision]) -> list[Plain]:
    turns = []
    for number, turn in enumerate(log.room.conversation.turns, start=1):
        here = [each for each in found if each.key.turn == number]
        turns.append(
            {
                "by": "user" if turn.speaker is Speaker.USER else "wizard",
                "pieces": list(marked(turn.text, here)),
                "decisions": [_decision(context, each) for each in here],
            }
        )
    return turns


def marked(text: str, found: Sequence[Decision]) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with whose label stands in it: a, b, both, or nobody's."""
    owners: dict[int, set[str]] = {}
    for each in found:
        for side, value in (("a", each.left), ("b", each.right)):
            for label in _labels(each, value):
                begin = text.casefold().find(label.casefold())
                for at in range(begin, begin + len(label)) if begin >= 0 else ():
                    owners.setdefault(at, set()).add(side)
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or owners.get(at) != owners.get(start):
            sides = owners.get(start, set())
            yield text[start:at], "both" if len(sides) > 1 else "".join(sides)
            start = at


def _labels(decision: Decision, value: Side) -> list[str]:
    """The words that a side has put into the annotation."""
    if decision.key.kind is OperationKind.SELECT:
        return [decision.about[1]] if value else []
    if isinstance(value, SemanticTuple):
        value = "" if isinstance(value.value, Reference) else value.value
    words = [value] if isinstance(value, str) else list(value) if isinstance(value, tuple) else []
    return [word for word in words if word.strip()]


def _decision(context: WorldContext, each: Decision) -> Plain:
    key, (domain, name) = each.key, each.about
    is_switch = key.kind in (OperationKind.TICK, OperationKind.SELECT)
    label = name if key.kind is OperationKind.SELECT else slot_label(context, domain, name)
    place = {
        "turn": key.turn,
        "operation": key.kind.value,
        "cell": list(key.cell),
        "search": key.search,
    }
    return {
        "place": json.dumps(place, ensure_ascii=False),
        "kind": "first_search" if key.search == Search.FIRST else key.kind.value,
        "label": f"{context.pack.domain_name(domain)} · {label}",
        "left": _shown(each.left),
        "right": _shown(each.right),
        "is_switch": is_switch,
        "moved": each.moved,
        "explains": len(each.explains),
    }


def _shown(side: Side) -> str | bool:
    """A side as the page shows it: yes or no, or its words."""
    if isinstance(side, bool):
        return side
    if isinstance(side, SemanticTuple):
        return said(side.value) or ""
    return said(side) if side else ""
