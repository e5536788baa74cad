"""Stage 3 on the web: annotators answer alone; the coordinator sees how far they are, not what
they say.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from crosstalk.translation.appendix_b import Judgement
from crosstalk.translation.control_answers import Answer, ControlQueue
from crosstalk.translation.segments import is_label, matched
from crosstalk.translation.work_queues import Declined
from crosstalk.web.translation.downloads import as_file
from crosstalk.web.translation.lists import Line, coordinator_page, own_page
from crosstalk.web.translation.people import Known
from crosstalk.web.translation.render import page

api = APIRouter(prefix="/api")
pages = APIRouter(include_in_schema=False)
Number = Annotated[int, Path(ge=0, le=2**31)]
Plain = dict[str, Any]


class Answering(BaseModel):
    """The two questions and a note."""

    model_config = ConfigDict(extra="forbid")

    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=0)]
    acceptable: bool
    values_match: bool | None = None
    note: Annotated[str, Field(max_length=9000)] = ""
    seconds: Annotated[float, Field(ge=0)] = 0.0


def desk_of(request: Request) -> ControlQueue:
    queue: ControlQueue = request.app.state.queue
    return queue


@api.post("/answer")
def answer(body: Answering, request: Request, guest: Known) -> dict[str, object]:
    """Answered when it is on the disk."""
    queue = desk_of(request)
    if guest.coordinator or guest.name is None:
        raise Declined("not_yours", "only annotators judge")
    if body.dialogue >= len(queue.dialogues):
        raise Declined("unknown_turn", f"there is no dialogue {body.dialogue}")
    dialogue = queue.dialogues[body.dialogue]
    rest = body.acceptable, body.values_match, body.note, body.seconds
    found = queue.answer(Answer(dialogue, body.turn, *rest), guest.name)
    return {"finished": found.finished}


@pages.get("/")
def start(request: Request, guest: Known) -> Response:
    queue = desk_of(request)
    if not guest.coordinator:
        return own_page(request, guest, _lines(queue, guest.name or ""))
    return coordinator_page(
        request, guest, {name: _lines(queue, name) for name in queue.annotators}
    )


def _lines(queue: ControlQueue, name: str) -> list[Line]:
    progress = queue.progress(name)
    return [Line(number, id, *progress[id]) for number, id in enumerate(queue.dialogues)]


@pages.get("/dialogue/{number}")
def dialogue(number: Number, request: Request, guest: Known) -> Response:
    queue = desk_of(request)
    if guest.coordinator or guest.name is None or number >= len(queue.dialogues):
        return RedirectResponse("/", 303)
    id = queue.dialogues[number]
    after = number + 1 if number + 1 < len(queue.dialogues) else None
    return page(
        request,
        guest,
        "judge.html",
        data={
            "dialogue": number,
            "turns": [_turn(each) for each in queue.judgements(guest.name, id)],
        },
        id=id,
        number=number + 1,
        count=len(queue.dialogues),
        before=number - 1 if number else None,
        after=after,
    )


def _turn(each: Judgement) -> Plain:
    forms = matched(each.values, each.text_values)
    return {
        "turn": each.turn,
        "speaker": each.extras.get("speaker") or ("system" if each.turn % 2 else "user"),
        "utterance": each.utterance,
        "text": each.text,
        "values": [
            {"slot": slot, "source": value, "form": form or ""}
            for (slot, value), form in zip(each.values, forms, strict=True)
            if not is_label(value)
        ],
        "acceptable": each.acceptable,
        "values_match": each.values_match,
        "note": each.note,
        "finished": each.finished,
    }


@pages.get("/download")
def download(request: Request, guest: Known) -> Response:
    """One's own answers, in the format of Appendix B."""
    if guest.coordinator or guest.name is None:
        return RedirectResponse("/", 303)
    return as_file(desk_of(request).records(guest.name), "judgements.json")
