"""The lists that both sites begin with: one's own dialogues, or everybody's for the coordinator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from crosstalk.translation.effort import Effort
from crosstalk.translation.work_queues import WorkQueue
from crosstalk.web.translation.people import Guest, people_of
from crosstalk.web.translation.render import page


@dataclass(frozen=True, slots=True)
class Line:
    """One dialogue, and how many of its utterances are done."""

    number: int
    id: str
    done: int
    all: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One person's work."""

    name: str
    dialogues: int
    done: int
    all: int
    hours: float
    cost: float
    link: str
    """Empty for those who work here no longer."""


def own_page(request: Request, guest: Guest, lines: Sequence[Line]) -> Response:
    queue: WorkQueue = request.app.state.queue
    return page(
        request,
        guest,
        "mine.html",
        lines=lines,
        done=sum(line.done for line in lines),
        all=sum(line.all for line in lines),
        next=next((line for line in lines if line.done < line.all), None),
        effort=queue.efforts().get(guest.name or "", Effort()),
    )


def coordinator_page(
    request: Request,
    guest: Guest,
    shares: Mapping[str, Sequence[Line]],
    *,
    lines: Sequence[Line] = (),
    inconsistent: int = 0,
) -> Response:
    """`shares`: the dialogues of each person; `lines`: all of them, where each is one person's."""
    queue: WorkQueue = request.app.state.queue
    rows = [_row(request, queue, name, share) for name, share in shares.items()]
    return page(
        request,
        guest,
        "overview.html",
        rows=rows,
        lines=lines,
        done=sum(row.done for row in rows),
        all=sum(row.all for row in rows),
        total=sum(queue.efforts().values(), Effort()),
        rate=request.app.state.rate,
        file=queue.path.name,
        inconsistent=inconsistent,
    )


def _row(request: Request, queue: WorkQueue, name: str, lines: Sequence[Line]) -> Row:
    effort = queue.efforts().get(name, Effort())
    return Row(
        name,
        len(lines),
        sum(line.done for line in lines),
        sum(line.all for line in lines),
        effort.hours,
        effort.cost(request.app.state.rate),
        f"/enter/{people_of(request).link(name)}" if name in queue.people else "",
    )
