"""Requests and pages of reviewers: dialogues, the queue of those to be judged, verdicts.

Reviewers see numbers instead of names; names are for administrators.
"""

from functools import partial
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Depends
from starlette.responses import RedirectResponse, Response

from crosstalk.collection.events import RETURN_REASONS, Decision, Role
from crosstalk.collection.room_views import view
from crosstalk.errors import Rejection
from crosstalk.goals.describe import for_people
from crosstalk.web.account_routes import EmptyBody, RequestBody
from crosstalk.web.collect import review_queue
from crosstalk.web.collect.admin import LINES, Limit, Note, Number, Plain, Wanted, sound
from crosstalk.web.collect.corpus_export import findings_in
from crosstalk.web.collect.review_queue import Verdict
from crosstalk.web.collect.room_records import (
    room_line,
    room_lines,
    steps,
    table,
    told_events,
)
from crosstalk.web.collect.site import OurSite, Site
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage, Page
from crosstalk.web.sessions import needs
from crosstalk.web.store.role_store import Permission
from crosstalk.web.store.worker_store import Worker

AnyReviewer = Annotated[Worker, Depends(needs(Permission.REVIEW))]
router = APIRouter(
    prefix="/api/admin",
    responses=POSSIBLE,
    dependencies=[Depends(needs(Permission.REVIEW))],
)
pages = APIRouter(
    prefix="/admin",
    include_in_schema=False,
    dependencies=[Depends(needs(Permission.REVIEW))],
)
Reason = Literal["", "goal", "ticks", "searches", "facts", "language", "manners"]
assert set(get_args(Reason)) == {"", *RETURN_REASONS}


class ReviewBody(RequestBody):
    decision: Decision
    note: Note = ""
    reason: Reason = ""
    note_for: Literal["", "user", "wizard"] = ""
    """Empty: both sides read the note."""


@router.get("/rooms")
def get_rooms(
    site: OurSite,
    page: AnyPage,
    status: Literal["open", "finished", "closed"] | None = None,
    review: Decision | None = None,
    worker: Wanted = None,
    problem: bool | None = None,
    before: Wanted = None,
    limit: Limit = 50,
) -> Plain:
    filters = {"status": status, "review": review, "worker": worker, "problem": problem}
    rooms = site.store.read(lambda connection: room_lines(connection, filters, before, limit))
    return {
        "rooms": [known(page, each) for each in rooms],
        "next": rooms[-1]["room"] if len(rooms) == limit else None,
    }


def known(page: Page, line: Plain) -> Plain:
    """A room's line with names for administrators, numbers for everybody else."""
    if Permission.ADMINISTER in page.may:
        return line
    people = {
        role: {**line[role], "name": str(line[role]["worker"])}
        for role in ("user", "wizard")
        if line[role]["worker"] is not None
    }
    return {**line, **people}


@router.get("/rooms/{room}")
def get_room(room: Number, site: OurSite, page: AnyPage) -> Plain:
    log = site.log(room)
    line = site.store.read(lambda connection: room_line(connection, room))
    if log is None or line is None:
        raise Rejection("unknown_room", f"there is no room {room}")
    views = {role.value: view(site.context, log.room, role) for role in Role}
    return {"room": known(page, line), "events": told_events(log), "views": views}


@router.post("/rooms/{room}/review")
def review(room: Number, body: ReviewBody, reviewer: AnyReviewer, site: OurSite) -> Plain:
    log = site.log(room)
    if log and log.room.role_of(reviewer.id) is not None and not reviewer.admin:
        raise Rejection("not_yours", "you took part in this dialogue")
    side = Role(body.note_for) if body.note_for else None
    reason = body.reason if body.decision == "returned" else ""
    verdict = Verdict(body.decision, sound(body.note), reason, side)
    task = partial(review_queue.judge, room=room, verdict=verdict, by=reviewer.id)
    return {"seq": site.submit(task).result().seq}


@router.post("/rooms/{room}/claim")
def claim(room: Number, body: EmptyBody, reviewer: AnyReviewer, site: OurSite) -> Plain:
    site.submit(partial(review_queue.claim, room=room, reviewer=reviewer.id)).result()
    return {}


@pages.get("/review")
def queue_page(
    page: AnyPage,
    reviewer: AnyReviewer,
    site: OurSite,
    after: Wanted = None,
    before: Wanted = None,
) -> Response:
    """The first dialogue of the queue, or the one after or before another."""
    queue = _queue(site, reviewer)
    if not queue:
        return page("admin/review_empty.html")
    numbers = [each.room for each in queue]
    place = 0
    if after in numbers:
        place = (numbers.index(after) + 1) % len(numbers)
    elif before in numbers:
        place = numbers.index(before) - 1
    return RedirectResponse(f"/admin/review/{numbers[place]}", 303)


def _queue(site: Site, reviewer: Worker) -> list[review_queue.Waiting]:
    now = site.clock()
    look = partial(review_queue.waiting, reviewer=reviewer.id, now=now, own=reviewer.admin)
    return site.store.read(look)


@pages.get("/review/{room}")
def judge_page(room: Number, page: AnyPage, reviewer: AnyReviewer, site: OurSite) -> Response:
    queue = _queue(site, reviewer)
    numbers = [each.room for each in queue]
    if room not in numbers:
        return RedirectResponse("/admin/review", 303)
    shown = _about(page, site, room)
    if shown is None:
        return page.problem(404)
    return page(
        "admin/review.html",
        sections=("admin",),
        data={"room": room, "reasons": RETURN_REASONS},
        waiting=len(queue),
        place=queue[numbers.index(room)],
        reasons=RETURN_REASONS,
        **shown,
    )


def _about(page: Page, site: Site, room: int) -> dict[str, Any] | None:
    """What pages show of a dialogue; None if there is no such room."""
    log = site.log(room)
    line, findings = site.store.read(
        lambda connection: (room_line(connection, room), findings_in(connection, room))
    )
    if log is None or line is None:
        return None
    return {
        "room": room,
        "line": known(page, line),
        "steps": list(steps(site.context, log, findings)),
        "table": table(site.context, log.room),
        "goal_words": for_people(log.room.goal.description),
        "reports": log.room.reports,
    }


@pages.get("/rooms")
def rooms_page(
    page: AnyPage,
    site: OurSite,
    status: Literal["open", "finished", "closed", ""] = "",
    review: Decision | Literal[""] = "",
    problem: Literal["1", ""] = "",
    worker: Wanted = None,
    before: Wanted = None,
) -> Response:
    filters = {
        "status": status or None,
        "review": review or None,
        "worker": worker,
        "problem": True if problem else None,
    }
    lines = site.store.read(lambda connection: room_lines(connection, filters, before, LINES))
    chosen = {"status": status, "review": review, "problem": problem, "worker": worker}
    more = lines[-1]["room"] if len(lines) == LINES else None
    shown = [known(page, each) for each in lines]
    return page("admin/rooms.html", lines=shown, chosen=chosen, more=more)


@pages.get("/rooms/{room}")
def room_page(room: Number, page: AnyPage, site: OurSite) -> Response:
    shown = _about(page, site, room)
    if shown is None:
        return page.problem(404)
    data = {"room": room}
    return page("admin/room.html", sections=("admin",), data=data, reasons=RETURN_REASONS, **shown)
