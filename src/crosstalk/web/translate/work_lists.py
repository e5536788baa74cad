"""What the editing and the judging site share: start pages, downloads, access to the queue."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Path as PathParameter
from fastapi import Request
from starlette.responses import Response

from crosstalk.errors import Rejection
from crosstalk.translation.appendix_files import AnnotatorJudgement, record_chunks
from crosstalk.translation.journal import Effort
from crosstalk.translation.translation_segments import Segment
from crosstalk.translation.work import WorkQueue
from crosstalk.web.page import Page

Number = Annotated[int, PathParameter(ge=0, le=2**31)]
Plain = dict[str, Any]
SECTIONS: Final = ("translate",)
"""What scripts need of the words."""


@dataclass(frozen=True, slots=True)
class DialogueLine:
    """One dialogue, and how many of its utterances are done."""

    number: int
    id: str
    done: int
    all: int
    owner: str = ""
    warnings: int = 0
    """Utterances that are done although something seems to be missing."""
    doubts: int = 0
    """Utterances to do whose machine translation is doubtful."""


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person's work."""

    name: str
    dialogues: int
    done: int
    all: int
    hours: float
    cost: float
    warnings: int
    link: str
    """Empty for those who work here no longer."""


def queue_of(request: Request) -> Any:
    """The work queue of the site: an EditingQueue or a ControlQueue."""
    return request.app.state.queue


def dialogue_at(queue: WorkQueue, number: int) -> str:
    """The id of a dialogue by its position; ids may contain anything, so URLs have positions."""
    if number >= len(queue.dialogues):
        raise Rejection("unknown_turn", f"there is no dialogue {number}")
    return queue.dialogues[number]


def speaker_of(turn: Segment | AnnotatorJudgement) -> str:
    """As the record says; users speak first where it does not."""
    return str(turn.extras.get("speaker") or ("system" if turn.turn % 2 else "user"))


def own_page(page: Page, name: str, lines: Sequence[DialogueLine]) -> Response:
    queue: WorkQueue = page.request.app.state.queue
    return page(
        "translate/mine.html",
        sections=SECTIONS,
        lines=lines,
        done=sum(line.done for line in lines),
        all=sum(line.all for line in lines),
        next=next((line for line in lines if line.done < line.all), None),
        effort=queue.efforts().get(name, Effort()),
    )


def coordinator_page(
    page: Page,
    shares: Mapping[str, Sequence[DialogueLine]],
    *,
    lines: Sequence[DialogueLine] = (),
    inconsistent: int = 0,
) -> Response:
    """`shares`: the dialogues of each person; `lines`: all of them, where each is one person's."""
    queue: WorkQueue = page.request.app.state.queue
    rows = [_row(page.request, queue, name, share) for name, share in shares.items()]
    return page(
        "translate/overview.html",
        sections=SECTIONS,
        rows=rows,
        lines=lines,
        done=sum(row.done for row in rows),
        all=sum(row.all for row in rows),
        total=sum(queue.efforts().values(), Effort()),
        rate=page.request.app.state.rate,
        file=queue.path.name,
        inconsistent=inconsistent,
    )


def _row(request: Request, queue: WorkQueue, name: str, lines: Sequence[DialogueLine]) -> PersonRow:
    effort = queue.efforts().get(name, Effort())
    links: Mapping[str, str] = request.app.state.links
    return PersonRow(
        name,
        len(lines),
        sum(line.done for line in lines),
        sum(line.all for line in lines),
        effort.hours,
        effort.cost(request.app.state.rate),
        sum(line.warnings for line in lines),
        f"/enter/{links[name]}" if name in links else "",
    )


def download(records: Iterable[dict[str, Any]], name: str) -> Response:
    """In one piece: a chunk a record would take many times as long to send."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    text = "".join(record_chunks(records))
    return Response(text, media_type="application/json", headers=headers)
