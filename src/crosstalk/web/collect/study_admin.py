"""Requests (`/api/admin/study`) and the page (`/admin/study`) of a study's administrators."""

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path
from pydantic import Field, StringConstraints
from sqlalchemy import Connection
from starlette.responses import Response

from crosstalk.collection.pay import amount
from crosstalk.errors import Rejection
from crosstalk.web.account_routes import EmptyBody, RequestBody
from crosstalk.web.collect.admin import sound
from crosstalk.web.collect.payments import draw_batch, lines_due, stored_plan
from crosstalk.web.collect.site import OurSite, Transaction
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.page import AnyPage
from crosstalk.web.sessions import cookies_of, needs
from crosstalk.web.store import study_store
from crosstalk.web.store.role_store import Permission
from crosstalk.web.store.worker_store import find_worker

router = APIRouter(
    prefix="/api/admin/study", responses=POSSIBLE, dependencies=[Depends(needs(Permission.PAY))]
)
pages = APIRouter(
    prefix="/admin", include_in_schema=False, dependencies=[Depends(needs(Permission.PAY))]
)
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Plain = dict[str, Any]


class BatchBody(RequestBody):
    state: Literal["sent", "failed"]


class BonusBody(RequestBody):
    worker: Annotated[int, Field(ge=1, le=2**31 - 1)]
    minor: Annotated[int, Field(ge=1, le=1_000_000)]
    reason: Annotated[str, StringConstraints(min_length=3, max_length=500)]


@router.post("/pay")
def pay(body: EmptyBody, site: OurSite) -> Plain:
    """Draw a batch of all that is due."""

    def task(transaction: Transaction) -> Plain:
        batch = draw_batch(
            transaction.connection, stored_plan(transaction.connection), transaction.now
        )
        return {"batch": batch.number, "lines": batch.lines, "minor": batch.minor}

    return site.submit(task).result()


@router.get("/batches/{number}")
def batch(number: Number, site: OurSite) -> Response:
    """The payment file of a batch, always the same bytes."""
    body = site.store.read(partial(study_store.batch_file, number=number))
    if body is None:
        raise Rejection("unknown_batch", f"there is no batch {number}")
    name = f'attachment; filename="pay-{number}.csv"'
    return Response(body, media_type="text/csv", headers={"Content-Disposition": name})


@router.post("/batches/{number}")
def mark(number: Number, body: BatchBody, site: OurSite) -> Plain:
    def task(transaction: Transaction) -> bool:
        return study_store.mark_batch(transaction.connection, number, body.state)

    if not site.submit(task).result():
        raise Rejection("unknown_batch", f"there is no batch {number}, or it has failed")
    return {}


@router.post("/bonus")
def bonus(body: BonusBody, site: OurSite) -> Plain:
    """Grant a bonus, which the next batch pays."""
    reason = sound(body.reason)

    def task(transaction: Transaction) -> None:
        connection = transaction.connection
        if find_worker(connection, body.worker) is None:
            raise Rejection("unknown_worker", f"there is no worker {body.worker}")
        currency = stored_plan(connection).rates.currency
        study_store.grant(connection, body.worker, body.minor, currency, reason, transaction.now)

    site.submit(task).result()
    return {}


@pages.get("/study")
def study_page(page: AnyPage, site: OurSite) -> Response:
    study = site.study
    if study is None:
        return page("admin/study.html", study=None)

    def look(connection: Connection) -> Plain:
        plan = stored_plan(connection)
        return {
            "arrivals": study_store.arrivals(connection, study.key),
            "due": lines_due(connection, plan),
            "batches": study_store.batches(connection),
            "answers": len(study_store.all_answers(connection)),
            "rates": plan.rates,
        }

    scheme = "https" if cookies_of(page.request).secure else "http"
    address = f"{scheme}://{page.request.url.netloc}"
    shown = site.store.read(look)
    return page("admin/study.html", study=study, link=study.link(address), amount=amount, **shown)
