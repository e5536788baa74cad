"""Stage 3 on the web: annotators answer alone; the coordinator sees how far they are, not what
they say.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response, StreamingResponse

from crosstalk.translation.appendix import record_chunks
from crosstalk.translation.appendix_b import Judgement
from crosstalk.translation.desks import Declined
from crosstalk.translation.effort import Effort
from crosstalk.translation.judging import Answer, JudgingDesk
from crosstalk.translation.segments import matched
from crosstalk.web.translation.people import Guest, Known, people_of
from crosstalk.web.translation.rendering import page

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


def desk_of(request: Request) -> JudgingDesk:
    desk: JudgingDesk = request.app.state.desk
    return desk


@api.post("/answer")
def answer(body: Answering, request: Request, guest: Known) -> dict[str, object]:
    """Answered when it is on the disk."""
    desk = desk_of(request)
    if guest.coordinator or guest.name is None:
        raise Declined("not_yours", "only annotators judge")
    if body.dialogue >= len(desk.dialogues):
        raise Declined("unknown_turn", f"there is no dialogue {body.dialogue}")
    dialogue = desk.dialogues[body.dialogue]
    rest = body.acceptable, body.values_match, body.note, body.seconds
    found = desk.answer(Answer(dialogue, body.turn, *rest), guest.name)
    return {"finished": found.finished}


@pages.get("/")
def start(request: Request, guest: Known) -> Response:
    return _overview(request, guest) if guest.coordinator else _mine(request, guest)


def _lines(desk: JudgingDesk, name: str) -> list[Plain]:
    progress = desk.progress(name)
    return [
        {"number": number, "id": id, "done": progress[id][0], "all": progress[id][1]}
        for number, id in enumerate(desk.dialogues)
    ]


def _mine(request: Request, guest: Guest) -> Response:
    desk, name = desk_of(request), guest.name or ""
    lines = _lines(desk, name)
    return page(
        request,
        guest,
        "mine.html",
        lines=lines,
        done=sum(line["done"] for line in lines),
        all=sum(line["all"] for line in lines),
        next=next((line for line in lines if line["done"] < line["all"]), None),
        effort=desk.efforts().get(name, Effort()),
    )


def _overview(request: Request, guest: Guest) -> Response:
    desk, rate = desk_of(request), request.app.state.rate
    people = desk.efforts()
    rows = []
    for name in desk.annotators:
        lines, effort = _lines(desk, name), people.get(name, Effort())
        rows.append(
            {
                "name": name,
                "dialogues": len(lines),
                "done": sum(line["done"] for line in lines),
                "all": sum(line["all"] for line in lines),
                "hours": effort.hours,
                "cost": effort.cost(rate),
                "link": f"/enter/{people_of(request).link(name)}",
            }
        )
    return page(
        request,
        guest,
        "overview.html",
        rows=rows,
        lines=[],
        done=sum(row["done"] for row in rows),
        all=sum(row["all"] for row in rows),
        total=sum(people.values(), Effort()),
        rate=rate,
        file=desk.path.name,
        inconsistent=0,
    )


@pages.get("/dialogue/{number}")
def dialogue(number: Number, request: Request, guest: Known) -> Response:
    desk = desk_of(request)
    if guest.coordinator or guest.name is None or number >= len(desk.dialogues):
        return RedirectResponse("/", 303)
    id = desk.dialogues[number]
    after = number + 1 if number + 1 < len(desk.dialogues) else None
    return page(
        request,
        guest,
        "judge.html",
        data={
            "dialogue": number,
            "turns": [_turn(each) for each in desk.judgements(guest.name, id)],
        },
        id=id,
        number=number + 1,
        count=len(desk.dialogues),
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
    chunks = record_chunks(desk_of(request).records(guest.name))
    headers = {"Content-Disposition": 'attachment; filename="judgements.json"'}
    return StreamingResponse(chunks, media_type="application/json", headers=headers)
