"""What editors' pages ask for: live checks, saves, forms for the glossary."""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from crosstalk.translation.alignment import align_segment
from crosstalk.translation.post_editing import EditingQueue, Save
from crosstalk.translation.segments import Segment
from crosstalk.translation.work_queues import Declined
from crosstalk.web.translation.people import Coordinator, Known

router = APIRouter(prefix="/api")
Text = Annotated[str, Field(max_length=9000)]
Name = Annotated[str, Field(max_length=300)]


class Texts(BaseModel):
    """A turn as its editor has it."""

    model_config = ConfigDict(extra="forbid")

    dialogue: Annotated[int, Field(ge=0)]
    """Its number in the file: ids are anything, also slashes."""
    turn: Annotated[int, Field(ge=0)]
    text: Text
    values: Annotated[list[tuple[Name, Text]], Field(max_length=200)]


class Saving(Texts):
    revision: Annotated[int, Field(ge=0)]
    seconds: Annotated[float, Field(ge=0)] = 0.0
    id: Annotated[str, Field(max_length=60)] = ""


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    slot: Name
    source: Text
    form: Text


def desk_of(request: Request) -> EditingQueue:
    queue: EditingQueue = request.app.state.queue
    return queue


def dialogue_at(queue: EditingQueue, number: int) -> str:
    if number >= len(queue.dialogues):
        raise Declined("unknown_turn", f"there is no dialogue {number}")
    return queue.dialogues[number]


def judged(queue: EditingQueue, segment: Segment) -> dict[str, object]:
    """How every value stands in the utterance, and what else is to be looked at."""
    values = [
        {"slot": each.slot, "found": each.found.value, "words": each.words}
        for each in align_segment(segment, queue.source, queue.target)
    ]
    findings = [
        {
            "code": each.code.value,
            "slot": each.slot,
            "what": each.what,
            "problem": each.is_problem,
        }
        for each in queue.findings(segment)
        if each.code not in ("unfinished", "flags")
    ]
    return {"alignments": values, "findings": findings}


@router.post("/check")
def check(body: Texts, request: Request, guest: Known) -> dict[str, object]:
    queue = desk_of(request)
    key = dialogue_at(queue, body.dialogue), body.turn
    return judged(queue, queue.looked_at(key, body.text, tuple(body.values)))


@router.post("/save")
def save(body: Saving, request: Request, guest: Known) -> dict[str, object]:
    """Answered when it is on the disk."""
    queue = desk_of(request)
    dialogue = dialogue_at(queue, body.dialogue)
    wish = Save(
        dialogue, body.turn, body.text, tuple(body.values), body.revision, body.seconds, body.id
    )
    name = guest.name or ""
    who = "coordinator" if guest.coordinator else name
    revision = queue.save(wish, who, coordinator=guest.coordinator)
    segment = queue.looked_at((dialogue, body.turn), body.text, tuple(body.values))
    changed = {"utterance": segment.changed_utterance, "values": segment.changed_values}
    return {"revision": revision, "changed": changed, **judged(queue, segment)}


@router.post("/term")
def term(body: Form, request: Request, guest: Known) -> dict[str, object]:
    who = "coordinator" if guest.coordinator else guest.name or ""
    desk_of(request).set_form(body.slot, body.source, body.form, who)
    return {"form": body.form.strip()}


@router.post("/unify")
def unify(body: Form, request: Request, guest: Coordinator) -> dict[str, object]:
    if not body.form.strip():
        raise Declined("empty_text", "there is no form")
    changed = desk_of(request).unify(body.slot, body.source, body.form, "coordinator")
    return {"changed": changed}
