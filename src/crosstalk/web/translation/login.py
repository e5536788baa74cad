"""Coming in and going out by one's own link."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, JSONResponse

from crosstalk.translation.work_queues import Declined
from crosstalk.web.translation.people import (
    COORDINATOR,
    DAYS,
    AnyGuest,
    Known,
    cookies_of,
    find_guest,
    people_of,
)
from crosstalk.web.translation.render import page

router = APIRouter()
Token = Annotated[str, Path(max_length=200)]


class Entering(BaseModel):
    token: Annotated[str, Field(max_length=200)]


@router.get("/enter/{token}")
def enter(token: Token, request: Request, guest: AnyGuest) -> HTMLResponse:
    """Does nothing by itself: programs that look at links must not come in by that."""
    name = people_of(request).by_link(token)
    status = 200 if name else 403
    shown = "" if name == COORDINATOR else name
    return page(request, guest, "enter.html", token=token, name=shown, status=status)


@router.post("/api/enter")
def come_in(body: Entering, request: Request) -> Response:
    """The link is the key; the door keeps other sites from pressing it."""
    people, cookies = people_of(request), cookies_of(request)
    name = people.by_link(body.token)
    if name is None:
        raise Declined("bad_link", "this link is not good, or not any more")
    answer = JSONResponse({"ok": True})
    cookies.give(answer, cookies.session, people.session(name), days=DAYS)
    return answer


@router.post("/api/logout")
def go(request: Request, guest: Known) -> Response:
    cookies = cookies_of(request)
    answer = JSONResponse({"ok": find_guest(request).name is not None})
    cookies.take(answer, cookies.session)
    return answer
