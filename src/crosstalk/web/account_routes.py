"""Logging in and out: links, names and passwords, the language of the interface.

Requests under `/api`, and the pages that send them. Opening the page of a one-time link does not
use it up, because mail scanners and previews open links, too.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints
from starlette.responses import HTMLResponse

from crosstalk.web.accounts import worker_record
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.interface_words import DEFAULT, languages
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import (
    AnyLink,
    AnyVisitor,
    AnyWorker,
    OurAccounts,
    accounts_of,
    cookies_of,
    needs_personal_link,
    session_token,
)
from crosstalk.web.store.worker_store import PERSONAL_LINK, Worker

router = APIRouter(responses=POSSIBLE)
passwords = APIRouter(responses=POSSIBLE)
"""For areas where people have names and passwords."""
Name = Annotated[str, StringConstraints(max_length=100)]
Password = Annotated[str, StringConstraints(max_length=200)]
Token = Annotated[str, StringConstraints(max_length=200)]
PathToken = Annotated[str, Path(max_length=200)]
Plain = dict[str, Any]


def _known_language(code: str) -> str:
    if code not in languages():
        raise ValueError(f"known: {', '.join(languages())}")
    return code


Interface = Annotated[str, AfterValidator(_known_language)]


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EmptyBody(RequestBody):
    pass


class JoinBody(RequestBody):
    invitation: Token
    name: Name
    password: Password
    interface: Interface = DEFAULT


class LoginBody(RequestBody):
    name: Name
    password: Password


class EnterBody(RequestBody):
    token: Token


class PasswordBody(RequestBody):
    password: Password


class ResetBody(RequestBody):
    token: Token
    password: Password


class InterfaceBody(RequestBody):
    interface: Interface


@router.get("/enter/{token}", include_in_schema=False)
def entrance(token: PathToken, page: AnyPage, accounts: OurAccounts) -> HTMLResponse:
    if not needs_personal_link(page.request):
        return page("enter.html", token=token)
    link = accounts.link(token)
    if link is None or link.kind != PERSONAL_LINK:
        return page("no_link.html", status=403, wrong=True)
    return page("personal_link.html", token=token, name=link.label)


@router.post("/api/enter")
def enter(
    body: EnterBody, visitor: AnyLink, accounts: OurAccounts, request: Request, response: Response
) -> Plain:
    """Needs no CSRF token: the link authenticates, and the middleware rejects other origins."""
    entered = accounts.enter(_address(request), body.token, visitor.interface)
    return logged_in(request, response, *entered)


@router.post("/api/logout")
def logout(
    body: EmptyBody, worker: AnyWorker, accounts: OurAccounts, request: Request, response: Response
) -> Plain:
    accounts.log_out(session_token(request))
    _session_ended(request, worker)
    cookies_of(request).take(response, cookies_of(request).session)
    return {}


@router.post("/api/interface")
def interface(body: InterfaceBody, worker: AnyWorker, accounts: OurAccounts) -> Plain:
    return worker_record(accounts.change(worker, interface=body.interface))


@passwords.get("/login", include_in_schema=False)
def login_page(page: AnyPage) -> HTMLResponse:
    return page("login.html")


@passwords.get("/join/{token}", include_in_schema=False)
def join_page(token: PathToken, page: AnyPage, accounts: OurAccounts) -> HTMLResponse:
    """A form; who has an invitation that no longer works learns it before filling it in."""
    if not accounts.invites(token):
        return page("no_invitation.html")
    return page("join.html", token=token)


@passwords.get("/reset/{token}", include_in_schema=False)
def reset_page(token: PathToken, page: AnyPage) -> HTMLResponse:
    return page("reset.html", token=token)


@passwords.post("/api/reset")
def reset(
    body: ResetBody,
    visitor: AnyVisitor,
    accounts: OurAccounts,
    request: Request,
    response: Response,
) -> Plain:
    """Choose a new password by an administrator's link; all other sessions end."""
    worker, session = accounts.reset_password(_address(request), body.token, body.password)
    _session_ended(request, worker)
    return logged_in(request, response, worker, session)


@passwords.post("/api/join")
def join(
    body: JoinBody, visitor: AnyVisitor, accounts: OurAccounts, request: Request, response: Response
) -> Plain:
    joined = accounts.join(_address(request), **body.model_dump())
    return logged_in(request, response, *joined)


@passwords.post("/api/login")
def login(
    body: LoginBody,
    visitor: AnyVisitor,
    accounts: OurAccounts,
    request: Request,
    response: Response,
) -> Plain:
    known = accounts.log_in(_address(request), body.name, body.password)
    return logged_in(request, response, *known)


@passwords.post("/api/password")
def password(
    body: PasswordBody,
    worker: AnyWorker,
    accounts: OurAccounts,
    request: Request,
    response: Response,
) -> Plain:
    changed = accounts.change_password(worker, body.password)
    _session_ended(request, worker)
    return logged_in(request, response, *changed)


def _session_ended(request: Request, worker: Worker) -> None:
    for area in request.app.state.areas:
        area.session_ended(worker.id)


def _address(request: Request) -> str:
    address: str = request.state.client_address
    return address


def logged_in(request: Request, response: Response, worker: Worker, session: str) -> Plain:
    """Set the cookie of a new session, which prevents session fixation."""
    cookies, accounts = cookies_of(request), accounts_of(request)
    cookies.give(response, cookies.session, session, days=accounts.days)
    return {"csrf": accounts.csrf(session), "worker": worker_record(worker)}
