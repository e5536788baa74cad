"""Pages for administrators."""

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from crosstalk.web import api_admin
from crosstalk.web.live_statistics import LiveStatistics
from crosstalk.web.overview import overview, room_line, room_lines, worker_lines
from crosstalk.web.pages.length_chart import length_chart
from crosstalk.web.pages.render import page, problem_page
from crosstalk.web.pages.replay import steps, table
from crosstalk.web.store import people
from crosstalk.web.store.goal_pool import count_goals, goal_page
from crosstalk.web.visitors import AnyVisitor, OurSite, needs_admin

router = APIRouter(prefix="/admin", dependencies=[Depends(needs_admin)])
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Wanted = Annotated[int | None, Query(ge=1, le=2**31 - 1)]
State = Literal["pool", "taken", "done", ""]
LINES = 50
RECENT = 8


@router.get("")
def start(request: Request, visitor: AnyVisitor, site: OurSite) -> Response:
    def look(connection: Any) -> dict[str, Any]:
        return {
            "counts": overview(site, connection),
            "running": room_lines(connection, {"status": "open"}, None, LINES),
            "recent": room_lines(connection, {"status": "finished"}, None, RECENT),
            "invitations": people.invitations(connection),
        }

    seen = site.store.read(look)
    welcome = "welcome" in request.query_params
    return page(
        request,
        visitor,
        "admin/overview.html",
        welcome=welcome,
        world=site.context.world.name,
        **seen,
    )


@router.get("/rooms")
def rooms(
    request: Request,
    visitor: AnyVisitor,
    site: OurSite,
    status: Literal["open", "finished", "closed", ""] = "",
    review: Literal["pending", "approved", "returned", ""] = "",
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
    return page(request, visitor, "admin/rooms.html", lines=lines, chosen=chosen, more=more)


@router.get("/rooms/{room}")
def room(room: Number, request: Request, visitor: AnyVisitor, site: OurSite) -> Response:
    log = site.log(room)
    line = site.store.read(lambda connection: room_line(connection, room))
    if log is None or line is None:
        return problem_page(request, 404)
    unreviewed = {"status": "finished", "review": "pending"}
    others = site.store.read(lambda connection: room_lines(connection, unreviewed, None, 2))
    return page(
        request,
        visitor,
        "admin/room.html",
        sections=("admin",),
        room=room,
        line=line,
        steps=list(steps(site.context, log)),
        table=table(site.context, log.room),
        goal=log.room.goal,
        reports=log.room.reports,
        next_room=next((each["room"] for each in others if each["room"] != room), None),
    )


@router.get("/workers")
def workers(request: Request, visitor: AnyVisitor, site: OurSite) -> Response:
    lines = site.store.read(worker_lines)
    return page(request, visitor, "admin/workers.html", lines=lines, training=site.rules.training)


@router.get("/goals")
def goals(
    request: Request,
    visitor: AnyVisitor,
    site: OurSite,
    state: State = "",
    after: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:
    found = site.store.read(partial(goal_page, state=state or None, after=after, limit=LINES))
    counts = site.store.read(count_goals)
    more = found[-1]["number"] if len(found) == LINES else None
    return page(
        request, visitor, "admin/goals.html", lines=found, counts=counts, state=state, more=more
    )


@router.get("/invitations")
def invitations(request: Request, visitor: AnyVisitor, site: OurSite) -> Response:
    lines = site.store.read(people.invitations)
    return page(request, visitor, "admin/invitations.html", sections=("admin",), lines=lines)


@router.get("/statistics")
def statistics(
    request: Request,
    visitor: AnyVisitor,
    counts: Annotated[LiveStatistics, Depends(api_admin.counting)],
) -> Response:
    chart = length_chart(counts.counts()[0])
    return page(request, visitor, "admin/statistics.html", told=counts.told(), chart=chart)
