"""Errors as HTTP answers: a status, a code that pages translate, and an English message."""

import math
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from crosstalk.collection.commands import HintedRejection
from crosstalk.errors import CrosstalkError, OutputError, Rejection
from crosstalk.web.interface_words import accepted_language
from crosstalk.web.middleware import BodyTooLarge, BodyTooSlow
from crosstalk.web.page import Page
from crosstalk.web.rate_limits import TooFast
from crosstalk.web.request_log import FAILURE, RETRY, failure
from crosstalk.web.sessions import (
    NeedsLogin,
    NotAllowed,
    Visitor,
    find_visitor,
    needs_personal_link,
)
from crosstalk.web.store.sqlite_files import StoreUnavailable

STATUSES: Final = {
    "not_logged_in": 401,
    "csrf": 403,
    "origin": 403,
    "not_yours": 403,
    "not_your_role": 403,
    "blocked": 403,
    "wrong_password": 403,
    "bad_invitation": 403,
    "unknown_room": 404,
    "unknown_worker": 404,
    "unknown_entity": 404,
    "unknown_item": 404,
    "unknown_invitation": 404,
    "unknown_message": 404,
    "unknown_opinion": 404,
    "unknown_turn": 404,
    "unknown_study": 404,
    "unknown_questionnaire": 404,
    "unknown_batch": 404,
    "bad_answer": 422,
    "unanswered": 422,
    "unknown_domain": 422,
    "unknown_slot": 422,
    "unknown_cell": 422,
    "bad_value": 422,
    "no_such_word": 422,
    "bad_message": 422,
    "empty_text": 422,
    "unreadable": 422,
    "too_long": 422,
    "weak_password": 422,
    "bad_name": 422,
    "too_fast": 429,
    "too_many": 409,
}
"""Codes that are not listed: 409."""


class HintBody(BaseModel):
    code: str
    cell: int | None
    value: str
    message: str
    domain: str = ""
    slot: str = ""
    near: list[str] = []


class ErrorBody(BaseModel):
    """What went wrong."""

    code: str
    message: str
    remedy: str = ""
    hints: list[HintBody] = []


POSSIBLE: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ErrorBody, "description": HTTPStatus(status).phrase}
    for status in (400, 401, 403, 404, 409, 413, 422, 429, 503)
}


def add_handlers(app: FastAPI) -> None:
    app.add_exception_handler(Rejection, _rejected)
    app.add_exception_handler(StoreUnavailable, _unavailable)
    app.add_exception_handler(OutputError, _unavailable)
    app.add_exception_handler(CrosstalkError, _bad_input)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(NeedsLogin, _needs_login)
    app.add_exception_handler(NotAllowed, _not_allowed)
    app.add_exception_handler(BodyTooLarge, _too_large)
    app.add_exception_handler(BodyTooSlow, _too_slow)


def rejection_record(rejection: Rejection) -> dict[str, Any]:
    """A rejection as JSON, for requests and for sockets."""
    hints = rejection.hints if isinstance(rejection, HintedRejection) else ()
    return {
        "code": rejection.code,
        "message": rejection.message,
        "remedy": "",
        "hints": [
            {
                "code": hint.code,
                "cell": hint.cell,
                "value": hint.value,
                "message": hint.message,
                "domain": hint.domain,
                "slot": hint.slot,
                "near": list(hint.near),
            }
            for hint in hints
        ],
    }


def problem(status: int, code: str, message: str, remedy: str = "") -> JSONResponse:
    content = {"code": code, "message": message, "remedy": remedy, "hints": []}
    return JSONResponse(content, status)


def _rejected(request: Request, error: Exception) -> Response:
    assert isinstance(error, Rejection)
    headers = {"Retry-After": str(math.ceil(error.wait))} if isinstance(error, TooFast) else None
    return JSONResponse(rejection_record(error), STATUSES.get(error.code, 409), headers)


def _unavailable(request: Request, error: Exception) -> Response:
    """Nothing is asked of the store for this answer, which is what does not answer."""
    request.scope.setdefault("state", {})[FAILURE] = str(error)
    if not wants_page(request):
        return failure(StoreUnavailable(""))
    wanted = accepted_language(request.headers.get("accept-language", ""))
    answer = Page(request, Visitor(None, "", "", wanted)).problem(503)
    answer.headers["Retry-After"] = str(RETRY)
    return answer


def _bad_input(request: Request, error: Exception) -> Response:
    assert isinstance(error, CrosstalkError)
    return problem(422, "bad_input", error.message, error.remedy)


def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return problem(422, "bad_message", f"{where}: {first['msg']}")


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if wants_page(request):
        try:
            visitor = find_visitor(request)
        except StoreUnavailable as away:
            return _unavailable(request, away)
        return Page(request, visitor).problem(error.status_code)
    answer = problem(error.status_code, _code(error.status_code), str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


def _code(status: int) -> str:
    return HTTPStatus(status).phrase.lower().replace(" ", "_")


def wants_page(request: Request) -> bool:
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def _needs_login(request: Request, error: Exception) -> Response:
    if not wants_page(request):
        return problem(401, "not_logged_in", "please log in first")
    if needs_personal_link(request):
        return Page(request, find_visitor(request))("no_link.html", status=401, wrong=False)
    return RedirectResponse("/login", 303)


def _not_allowed(request: Request, error: Exception) -> Response:
    if wants_page(request):
        return RedirectResponse("/", 303)
    return problem(403, "not_allowed", "this is not for you")


def _too_large(request: Request, error: Exception) -> Response:
    return problem(413, "too_large", "the request is too large")


def _too_slow(request: Request, error: Exception) -> Response:
    return problem(408, "too_slow", "the request did not arrive in time")
