"""Pages for workers: consent, training, lobby, room, what one has done."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from crosstalk.collection.forms import described_world
from crosstalk.web.api_account import home as about_worker
from crosstalk.web.pages.render import page, problem_page
from crosstalk.web.visitors import AnyVisitor, AnyWorker, OurSite

router = APIRouter()
RoomNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
WAY = {"consent": "/consent", "training": "/training"}
"""Where somebody belongs who is not ready for the lobby."""


@router.get("/consent")
def consent(request: Request, visitor: AnyVisitor, worker: AnyWorker, site: OurSite) -> Response:
    return page(request, visitor, "consent.html", training=site.rules.training)


@router.get("/training")
def training(request: Request, visitor: AnyVisitor, worker: AnyWorker, site: OurSite) -> Response:
    if not worker.consented:
        return RedirectResponse("/consent", 303)
    data = {"world": described_world(site.context)}
    return page(request, visitor, "training.html", sections=("training", "room"), data=data)


@router.get("/lobby")
def lobby(request: Request, visitor: AnyVisitor, worker: AnyWorker, site: OurSite) -> Response:
    about = about_worker(visitor, worker, site)
    if about["stage"] == "room":
        return RedirectResponse(f"/room/{about['room']}", 303)
    if about["stage"] in WAY:
        return RedirectResponse(WAY[about["stage"]], 303)
    return page(request, visitor, "lobby.html", sections=("lobby",), about=about)


@router.get("/work")
def work(request: Request, visitor: AnyVisitor, worker: AnyWorker, site: OurSite) -> Response:
    about = about_worker(visitor, worker, site)
    return page(request, visitor, "work.html", about=about)


@router.get("/room/{room}")
def room(
    room: RoomNumber, request: Request, visitor: AnyVisitor, worker: AnyWorker, site: OurSite
) -> Response:
    log = site.log(room)
    role = log.room.role_of(worker.id) if log else None
    if role is None and worker.admin:
        return RedirectResponse(f"/admin/rooms/{room}", 303)
    if role is None:
        return problem_page(request, 404)
    data: dict[str, Any] = {
        "room": room,
        "role": role.value,
        "worker": worker.id,
        "world": described_world(site.context),
    }
    return page(
        request,
        visitor,
        f"room_{role.value}.html",
        sections=("room", "hints"),
        data=data,
        room=room,
        role=role.value,
        domains=data["world"]["domains"],
    )
