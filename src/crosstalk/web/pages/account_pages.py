"""Pages for coming in: joining, logging in, the administrator's link."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from crosstalk.web.pages.render import page
from crosstalk.web.visitors import AnyVisitor

router = APIRouter()
Token = Annotated[str, Path(max_length=200)]


@router.get("/")
def start(request: Request, visitor: AnyVisitor) -> Response:
    if visitor.worker is None:
        return RedirectResponse("/login", 303)
    if visitor.worker.blocked:
        return page(request, visitor, "blocked.html")
    return RedirectResponse("/admin" if visitor.worker.admin else "/lobby", 303)


@router.get("/login")
def login(request: Request, visitor: AnyVisitor) -> HTMLResponse:
    return page(request, visitor, "login.html")


@router.get("/join/{token}")
def join(token: Token, request: Request, visitor: AnyVisitor) -> HTMLResponse:
    return page(request, visitor, "join.html", token=token)


@router.get("/enter/{token}")
def enter(token: Token, request: Request, visitor: AnyVisitor) -> HTMLResponse:
    """Does nothing by itself: programs that look at links must not use this one up."""
    return page(request, visitor, "enter.html", token=token)
