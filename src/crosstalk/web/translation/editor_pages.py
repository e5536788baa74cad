"""Pages of stage 2: my dialogues, one dialogue side by side, glossary, consistency, the whole."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from crosstalk.translation.post_editing import EditingQueue, with_forms
from crosstalk.translation.segments import Segment, is_label, matched
from crosstalk.web.translation.downloads import as_file
from crosstalk.web.translation.editor_api import desk_of, judged
from crosstalk.web.translation.lists import Line, coordinator_page, own_page
from crosstalk.web.translation.people import COORDINATOR, Coordinator, Known
from crosstalk.web.translation.render import page

router = APIRouter(include_in_schema=False)
Number = Annotated[int, Path(ge=0, le=2**31)]
MOST = 200
"""Lines of a report on one page."""
Plain = dict[str, Any]


@router.get("/")
def start(request: Request, guest: Known) -> Response:
    queue = desk_of(request)
    lines = _lines(queue)
    if not guest.coordinator:
        return own_page(request, guest, [line for line in lines if line.owner == guest.name])
    names = dict.fromkeys((*queue.editors, *queue.efforts()))
    shares = {name: [line for line in lines if line.owner == name] for name in names}
    several = len(queue.inconsistencies())
    return coordinator_page(request, guest, shares, lines=lines, inconsistent=several)


def _lines(queue: EditingQueue) -> list[Line]:
    progress = queue.progress()
    return [
        Line(number, dialogue, *progress[dialogue], queue.owner(dialogue))
        for number, dialogue in enumerate(queue.dialogues)
    ]


@router.get("/dialogue/{number}")
def dialogue(number: Number, request: Request, guest: Known) -> Response:
    queue = desk_of(request)
    if number >= len(queue.dialogues):
        return RedirectResponse("/", 303)
    id = queue.dialogues[number]
    if not guest.coordinator and queue.owner(id) != guest.name:
        return RedirectResponse("/", 303)
    segments = queue.segments(id)
    everything = enumerate(queue.dialogues)
    mine = [n for n, each in everything if guest.coordinator or queue.owner(each) == guest.name]
    place = mine.index(number)
    return page(
        request,
        guest,
        "dialogue.html",
        data={
            "dialogue": number,
            "who": "coordinator" if guest.name == COORDINATOR else guest.name,
            "file": queue.path.name,
            "source": queue.source,
            "target": queue.target,
            "turns": [_turn(queue, segment) for segment in segments],
            "next": f"/dialogue/{mine[place + 1]}" if place + 1 < len(mine) else "/",
        },
        id=id,
        number=place + 1,
        count=len(mine),
        services=segments[0].services,
        before=mine[place - 1] if place else None,
        after=mine[place + 1] if place + 1 < len(mine) else None,
    )


def _turn(queue: EditingQueue, segment: Segment) -> Plain:
    shown = with_forms(segment, queue.glossary)
    forms = matched(shown.values, shown.edited_values or ())
    machine = matched(segment.values, segment.machine_values)
    return {
        "turn": segment.turn,
        "speaker": segment.extras.get("speaker") or ("system" if segment.turn % 2 else "user"),
        "utterance": segment.utterance,
        "machine": segment.machine,
        "text": shown.text,
        "finished": segment.finished,
        "revision": queue.revision(segment.key),
        "untranslated": segment.untranslated,
        "values": [
            {
                "slot": slot,
                "source": value,
                "machine": machine[n] or "",
                "value": forms[n] or "",
                "label": is_label(value),
                "form": queue.glossary.translate(slot, value) or "",
            }
            for n, (slot, value) in enumerate(segment.values)
        ],
        **judged(queue, shown),
    }


@router.get("/glossary")
def glossary(request: Request, guest: Known) -> Response:
    queue = desk_of(request)
    terms = sorted(queue.glossary.terms.items())
    shown = [{"slot": slot, "source": source, "form": form} for (slot, source), form in terms]
    return page(request, guest, "glossary.html", terms=shown[:2000], more=len(shown) - 2000)


@router.get("/consistency")
def consistency(request: Request, guest: Coordinator) -> Response:
    queue = desk_of(request)
    numbers = {id: number for number, id in enumerate(queue.dialogues)}
    found = queue.inconsistencies()
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
    return as_file(desk_of(request).records(), "translation.json")
