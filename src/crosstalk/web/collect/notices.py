"""Messages to workers: written by reviewers, read in the lobby and under My work."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field, StringConstraints
from starlette.responses import Response

from crosstalk.errors import Rejection
from crosstalk.web.account_routes import EmptyBody, RequestBody
from crosstalk.web.collect.admin import LINES, Number, Plain, sound
from crosstalk.web.collect.review import AnyReviewer
from crosstalk.web.collect.site import OurSite, Transaction
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import AnyWorker, needs
from crosstalk.web.store import message_store
from crosstalk.web.store.role_store import Permission
from crosstalk.web.store.worker_store import find_worker

router = APIRouter(prefix="/api", responses=POSSIBLE)
pages = APIRouter(
    prefix="/admin",
    include_in_schema=False,
    dependencies=[Depends(needs(Permission.REVIEW))],
)


class MessageBody(RequestBody):
    text: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    worker: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Missing or 0: to everybody."""


@router.post("/admin/messages")
def write(body: MessageBody, reviewer: AnyReviewer, site: OurSite) -> Plain:
    text, to = sound(body.text).strip(), body.worker or None
    if not text:
        raise Rejection("empty_text", "there is no text")

    def task(transaction: Transaction) -> int:
        connection = transaction.connection
        if to is not None and find_worker(connection, to) is None:
            raise Rejection("unknown_worker", f"there is no worker {to}")
        transaction.lobby = True  # those who wait are told at once
        return message_store.write(connection, reviewer.id, to, text, transaction.now)

    return {"id": site.submit(task).result()}


@router.post("/messages/{message}/read")
def read(message: Number, body: EmptyBody, worker: AnyWorker, site: OurSite) -> Plain:
    task = partial(message_store.mark_read, worker=worker.id, message=message)
    if not site.store.write(task).result():
        raise Rejection("unknown_message", f"there is no message {message}")
    return {}


@pages.get("/messages")
def messages_page(page: AnyPage, site: OurSite) -> Response:
    lines = site.store.read(lambda connection: message_store.sent(connection, LINES))
    return page("admin/messages.html", lines=lines)
