"""Pages of stage 2: my dialogues, one dialogue side by side, glossary, consistency, the whole."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from crosstalk.translation.appendix import record_chunks
from crosstalk.translation.editing import EditingDesk, with_forms
from crosstalk.translation.effort import Effort
from crosstalk.translation.segments import Segment, is_label, matched
from crosstalk.web.translation.editor_api import desk_of, judged
from crosstalk.web.translation.people import COORDINATOR, Coordinator, Guest, Known, people_of
from crosstalk.web.translation.rendering import page

router = APIRouter(include_in_schema=False)
Number = Annotated[int, Path(ge=0, le=2**31)]
MOST = 200
"""Lines of a report on one page."""
Plain = dict[str, Any]


@router.get("/")
def start(request: Request, guest: Known) -> Response:
    return overview(request, guest) if guest.coordinator else my_dialogues(request, guest)


def my_dialogues(request: Request, guest: Guest) -> Response:
    desk = desk_of(request)
    lines = [line for line in _lines(desk) if line["owner"] == guest.name]
    done = sum(line["done"] for line in lines)
    following = next((line for line in lines if line["done"] < line["all"]), None)
    effort = desk.efforts().get(guest.name or "", Effort())
    return page(
        request,
        guest,
        "mine.html",
        lines=lines,
        done=done,
        all=sum(line["all"] for line in lines),
        next=following,
        effort=effort,
    )


def overview(request: Request, guest: Guest) -> Response:
    desk, rate = desk_of(request), request.app.state.rate
    lines = list(_lines(desk))
    people = desk.efforts()
    rows = []
    for name in dict.fromkeys((*desk.editors, *people)):
        mine = [line for line in lines if line["owner"] == name]
        effort = people.get(name, Effort())
        rows.append(
            {
                "name": name,
                "dialogues": len(mine),
                "done": sum(line["done"] for line in mine),
                "all": sum(line["all"] for line in mine),
                "hours": effort.hours,
                "cost": effort.cost(rate),
                "link": f"/enter/{people_of(request).link(name)}" if name in desk.editors else "",
            }
        )
    total = sum(people.values(), Effort())
    return page(
        request,
        guest,
        "overview.html",
        rows=rows,
        lines=lines,
        done=sum(line["done"] for line in lines),
        all=sum(line["all"] for line in lines),
        total=total,
        rate=rate,
        file=desk.path.name,
        inconsistent=len(desk.inconsistencies()),
    )


def _lines(desk: EditingDesk) -> Iterator[Plain]:
    progress = desk.progress()
    for number, dialogue in enumerate(desk.dialogues):
        done, all = progress[dialogue]
        owner = desk.owner(dialogue)
        yield {"number": number, "id": dialogue, "done": done, "all": all, "owner": owner}


@router.get("/dialogue/{number}")
def dialogue(number: Number, request: Request, guest: Known) -> Response:
    desk = desk_of(request)
    if number >= len(desk.dialogues):
        return RedirectResponse("/", 303)
    id = desk.dialogues[number]
    if not guest.coordinator and desk.owner(id) != guest.name:
        return RedirectResponse("/", 303)
    segments = desk.segments(id)
    mine = [
        n
        for n, each in enumerate(desk.dialogues)
        if guest.coordinator or _is_mine(desk, each, guest)
    ]
    place = mine.index(number)
    return page(
        request,
        guest,
        "dialogue.html",
        data={
            "dialogue": number,
            "who": "coordinator" if guest.name == COORDINATOR else guest.name,
            "file": desk.path.name,
            "source": desk.source,
            "target": desk.target,
            "turns": [_turn(desk, segment) for segment in segments],
            "next": f"/dialogue/{mine[place + 1]}" if place + 1 < len(mine) else "/",
        },
        id=id,
        number=place + 1,
        count=len(mine),
        services=segments[0].services,
        before=mine[place - 1] if place else None,
        after=mine[place + 1] if place + 1 < len(mine) else None,
    )


def _is_mine(desk: EditingDesk, dialogue: str, guest: Guest) -> bool:
    return desk.owner(dialogue) == guest.name


def _turn(desk: EditingDesk, segment: Segment) -> Plain:
    shown = with_forms(segment, desk.glossary)
    forms = matched(shown.values, shown.edited_values or ())
    machine = matched(segment.values, segment.machine_values)
    provenance = segment.extras.get("provenance", {})
    left = provenance.get("untranslated", []) if isinstance(provenance, dict) else []
    return {
        "turn": segment.turn,
        "speaker": segment.extras.get("speaker") or ("system" if segment.turn % 2 else "user"),
        "utterance": segment.utterance,
        "machine": segment.machine,
        "text": shown.text,
        "finished": segment.finished,
        "revision": desk.revision(segment.key),
        "untranslated": [str(word) for word in left] if isinstance(left, list) else [],
        "values": [
            {
                "slot": slot,
                "source": value,
                "machine": machine[n] or "",
                "value": forms[n] or "",
                "label": is_label(value),
                "form": desk.glossary.translate(slot, value) or "",
            }
            for n, (slot, value) in enumerate(segment.values)
        ],
        **judged(desk, shown),
    }


@router.get("/glossary")
def glossary(request: Request, guest: Known) -> Response:
    desk = desk_of(request)
    terms = sorted(desk.glossary.terms.items())
    shown = [{"slot": slot, "source": source, "form": form} for (slot, source), form in terms]
    return page(request, guest, "glossary.html", terms=shown[:2000], more=len(shown) - 2000)


@router.get("/consistency")
def consistency(request: Request, guest: Coordinator) -> Response:
    desk = desk_of(request)
    numbers = {id: number for number, id in enumerate(desk.dialogues)}
    found = desk.inconsistencies()
    shown = [
        {
            "slot": each.slot,
            "value": each.value,
            "forms": each.forms,
            "wanted": each.wanted,
            "where": [(id, turn, numbers[id]) for id, turn in each.where[:12]],
            "more": len(each.where) - 12,
        }
        for each in found[:MOST]
    ]
    return page(request, guest, "consistency.html", found=shown, more=len(found) - MOST)


@router.get("/download")
def download(request: Request, guest: Coordinator) -> Response:
    """Everything as it stands, in the format of Appendix A."""
    chunks = record_chunks(desk_of(request).records())
    headers = {"Content-Disposition": 'attachment; filename="translation.json"'}
    return StreamingResponse(chunks, media_type="application/json", headers=headers)
