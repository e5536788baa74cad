"""Requests and pages of stage 2: editors correct the machine translation of their dialogues."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from crosstalk.errors import Rejection
from crosstalk.translation.alignment import align_segment
from crosstalk.translation.post_editing import EditingQueue, EditRequest, with_forms
from crosstalk.translation.translation_segments import Segment, is_label, matched
from crosstalk.web.account_routes import RequestBody
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import AnyAdmin, AnyWorker
from crosstalk.web.store.worker_store import Worker
from crosstalk.web.translate.work_lists import (
    SECTIONS,
    DialogueLine,
    Number,
    Plain,
    coordinator_page,
    dialogue_at,
    download,
    own_page,
    queue_of,
    speaker_of,
)

api = APIRouter(prefix="/api", responses=POSSIBLE)
pages = APIRouter(include_in_schema=False)
MOST = 200
"""Lines of a report on one page."""
Text = Annotated[str, Field(max_length=9000)]
Name = Annotated[str, Field(max_length=300)]


class CheckBody(RequestBody):
    """A turn as its editor has it."""

    dialogue: Annotated[int, Field(ge=0)]
    """Its number in the file: ids are anything, also slashes."""
    turn: Annotated[int, Field(ge=0)]
    text: Text
    values: Annotated[list[tuple[Name, Text]], Field(max_length=200)]


class SaveBody(CheckBody):
    revision: Annotated[int, Field(ge=0)]
    seconds: Annotated[float, Field(ge=0)] = 0.0
    id: Annotated[str, Field(max_length=60)] = ""
    sure: bool = False
    """Save although something seems to be missing."""


class TermBody(RequestBody):
    slot: Name
    source: Text
    form: Text


def editor_name(worker: Worker) -> str:
    """The name in the journal."""
    return "coordinator" if worker.admin else worker.name


OurQueue = Annotated[EditingQueue, Depends(queue_of)]


def judged(queue: EditingQueue, segment: Segment) -> dict[str, object]:
    """Alignments of all values, and the findings of the checks, as JSON."""
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


@api.post("/check")
def check(body: CheckBody, worker: AnyWorker, queue: OurQueue) -> dict[str, object]:
    key = dialogue_at(queue, body.dialogue), body.turn
    return judged(queue, queue.preview(key, body.text, tuple(body.values)))


@api.post("/save")
def save(body: SaveBody, worker: AnyWorker, queue: OurQueue) -> dict[str, object]:
    """Answered when the save is durable."""
    dialogue = dialogue_at(queue, body.dialogue)
    wish = EditRequest(
        dialogue, body.turn, body.text, tuple(body.values), body.revision, body.seconds, body.id
    )
    asks = not body.sure
    revision = queue.save(wish, editor_name(worker), coordinator=worker.admin, asks=asks)
    segment = queue.preview((dialogue, body.turn), body.text, tuple(body.values))
    changed = {"utterance": segment.changed_utterance, "values": segment.changed_values}
    return {"revision": revision, "changed": changed, **judged(queue, segment)}


@api.post("/term")
def term(body: TermBody, worker: AnyWorker, queue: OurQueue) -> dict[str, object]:
    queue.set_form(body.slot, body.source, body.form, editor_name(worker))
    return {"form": body.form.strip()}


@api.post("/unify")
def unify(body: TermBody, worker: AnyAdmin, queue: OurQueue) -> dict[str, object]:
    if not body.form.strip():
        raise Rejection("empty_text", "there is no form")
    changed = queue.unify(body.slot, body.source, body.form, editor_name(worker))
    return {"changed": changed}


@pages.get("/")
def start(page: AnyPage, worker: AnyWorker, queue: OurQueue) -> Response:
    lines = _lines(queue)
    if not worker.admin:
        own = [line for line in lines if line.owner == worker.name]
        own.sort(key=lambda line: (line.done == line.all, -line.doubts / line.all))
        return own_page(page, worker.name, own)
    names = dict.fromkeys((*queue.editors, *queue.efforts()))
    shares = {name: [line for line in lines if line.owner == name] for name in names}
    several = len(queue.inconsistencies())
    return coordinator_page(page, shares, lines=lines, inconsistent=several)


def _lines(queue: EditingQueue) -> list[DialogueLine]:
    progress, doubtful = queue.progress(), queue.doubtful()
    return [
        DialogueLine(
            number, dialogue, *progress[dialogue], queue.owner(dialogue), *doubtful[dialogue]
        )
        for number, dialogue in enumerate(queue.dialogues)
    ]


@pages.get("/dialogue/{number}")
def dialogue_page(number: Number, page: AnyPage, worker: AnyWorker, queue: OurQueue) -> Response:
    if number >= len(queue.dialogues):
        return RedirectResponse("/", 303)
    id = queue.dialogues[number]
    if not worker.admin and queue.owner(id) != worker.name:
        return RedirectResponse("/", 303)
    segments = queue.segments(id)
    everything = enumerate(queue.dialogues)
    mine = [n for n, each in everything if worker.admin or queue.owner(each) == worker.name]
    place = mine.index(number)
    return page(
        "translate/dialogue.html",
        sections=SECTIONS,
        data={
            "dialogue": number,
            "who": editor_name(worker),
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
        "speaker": speaker_of(segment),
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


@pages.get("/glossary")
def glossary_page(page: AnyPage, worker: AnyWorker, queue: OurQueue) -> Response:
    terms = sorted(queue.glossary.terms.items())
    shown = [{"slot": slot, "source": source, "form": form} for (slot, source), form in terms]
    return page("translate/glossary.html", terms=shown[:2000], more=len(shown) - 2000)


@pages.get("/consistency")
def consistency_page(page: AnyPage, worker: AnyAdmin, queue: OurQueue) -> Response:
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
    return page("translate/consistency.html", found=shown, more=len(found) - MOST)


@pages.get("/download")
def download_all(worker: AnyAdmin, queue: OurQueue) -> Response:
    """Everything as it stands, in the format of Appendix A."""
    return download(queue.records(), "translation.json")
