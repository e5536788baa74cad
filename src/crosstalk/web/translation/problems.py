"""Errors as answers, in the manner of the website: a status, a code, words."""

from typing import Final

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from crosstalk.errors import OutputError
from crosstalk.translation.work_queues import Declined
from crosstalk.web.problems import add_handlers as add_shell_handlers
from crosstalk.web.problems import problem, wants_page
from crosstalk.web.translation.people import find_guest
from crosstalk.web.translation.render import page
from crosstalk.web.visitors import NeedsLogin

STATUSES: Final = {
    "csrf": 403,
    "not_yours": 403,
    "bad_link": 403,
    "unknown_turn": 404,
    "changed_meanwhile": 409,
}
"""Everything else is a text that cannot be kept: 422."""


def add_handlers(app: FastAPI) -> None:
    """The website's, and our own where pages need another answer."""
    add_shell_handlers(app)
    app.add_exception_handler(Declined, _declined)
    app.add_exception_handler(OutputError, _not_kept)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(NeedsLogin, _needs_login)


def _declined(request: Request, error: Exception) -> Response:
    assert isinstance(error, Declined)
    return problem(STATUSES.get(error.code, 422), error.code, error.message)


def _not_kept(request: Request, error: Exception) -> Response:
    return problem(503, "unavailable", "this could not be recorded; please try again")


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if wants_page(request):
        status = error.status_code
        return page(request, find_guest(request), "problem.html", status=status, problem=status)
    return problem(error.status_code, "not_found", str(error.detail))


def _needs_login(request: Request, error: Exception) -> Response:
    if wants_page(request):
        return page(request, find_guest(request), "stranger.html", status=401)
    return problem(401, "not_logged_in", "please use your link first")
