"""Requests and pages of stage 3: annotators judge independently of each other.

The coordinator sees their progress, not their answers.
"""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from crosstalk.errors import Rejection
from crosstalk.translation.appendix_files import AnnotatorJudgement
from crosstalk.translation.control import ControlAnswer, ControlQueue
from crosstalk.translation.error_marks import CATEGORIES, MOST_MARKS, WEIGHTS, ErrorMark
from crosstalk.translation.translation_segments import is_label, matched
from crosstalk.web.account_routes import RequestBody
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import AnyWorker
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


class MarkBody(RequestBody):
    """An error in the translation; positions count its letters."""

    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    category: Annotated[str, Field(max_length=40)]
    severity: Annotated[str, Field(max_length=40)]


class JudgementBody(RequestBody):
    """The two questions, a note, and marks of errors where the site asks for them."""

    dialogue: Annotated[int, Field(ge=0)]
    turn: Annotated[int, Field(ge=0)]
    acceptable: bool
    values_match: bool | None = None
    note: Annotated[str, Field(max_length=9000)] = ""
    seconds: Annotated[float, Field(ge=0)] = 0.0
    marks: Annotated[list[MarkBody], Field(default_factory=list, max_length=MOST_MARKS)]


OurQueue = Annotated[ControlQueue, Depends(queue_of)]


@api.post("/answer")
def answer(body: JudgementBody, worker: AnyWorker, queue: OurQueue) -> dict[str, object]:
    """Answered when the judgement is durable."""
    if worker.admin:
        raise Rejection("not_yours", "only annotators judge")
    dialogue = dialogue_at(queue, body.dialogue)
    marks = tuple(ErrorMark(**each.model_dump()) for each in body.marks)
    rest = body.acceptable, body.values_match, body.note, body.seconds, marks
    found = queue.answer(ControlAnswer(dialogue, body.turn, *rest), worker.name)
    return {"finished": found.finished}


@pages.get("/")
def start(page: AnyPage, worker: AnyWorker, queue: OurQueue) -> Response:
    if not worker.admin:
        return own_page(page, worker.name, _lines(queue, worker.name))
    return coordinator_page(page, {name: _lines(queue, name) for name in queue.annotators})


def _lines(queue: ControlQueue, name: str) -> list[DialogueLine]:
    progress = queue.progress(name)
    return [DialogueLine(number, id, *progress[id]) for number, id in enumerate(queue.dialogues)]


@pages.get("/dialogue/{number}")
def dialogue(number: Number, page: AnyPage, worker: AnyWorker, queue: OurQueue) -> Response:
    if worker.admin or number >= len(queue.dialogues):
        return RedirectResponse("/", 303)
    id = queue.dialogues[number]
    after = number + 1 if number + 1 < len(queue.dialogues) else None
    return page(
        "translate/judge.html",
        sections=SECTIONS,
        data={
            "dialogue": number,
            "turns": [_turn(each) for each in queue.judgements(worker.name, id)],
            "marks": {"categories": CATEGORIES, "severities": [*WEIGHTS]} if queue.marks else None,
        },
        id=id,
        number=number + 1,
        count=len(queue.dialogues),
        before=number - 1 if number else None,
        after=after,
    )


def _turn(each: AnnotatorJudgement) -> Plain:
    forms = matched(each.values, each.text_values)
    return {
        "turn": each.turn,
        "speaker": speaker_of(each),
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
        "marks": [mark.record() for mark in each.marks],
        "finished": each.finished,
    }


@pages.get("/download")
def download_all(worker: AnyWorker, queue: OurQueue) -> Response:
    """One's own answers, in the format of Appendix B."""
    if worker.admin:
        return RedirectResponse("/", 303)
    return download(queue.records(worker.name), "judgements.json")
