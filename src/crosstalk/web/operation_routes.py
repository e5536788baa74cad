"""Requests of those who run a site: alive, ready, metrics."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import JSONResponse

from crosstalk import __version__
from crosstalk.web.accounts import Accounts
from crosstalk.web.error_handlers import POSSIBLE
from crosstalk.web.health import Health
from crosstalk.web.metrics import CONTENT_TYPE, Metrics, Sample
from crosstalk.web.request_log import FAILURE, RETRY
from crosstalk.web.sessions import NeedsLogin, NotAllowed, accounts_of, find_visitor
from crosstalk.web.store.sqlite_files import StoreUnavailable

router = APIRouter(responses=POSSIBLE)


def health_of(request: Request) -> Health:
    health: Health = request.app.state.health
    return health


def metrics_of(request: Request) -> Metrics:
    metrics: Metrics = request.app.state.metrics
    return metrics


@router.get("/livez")
@router.get("/healthz")
async def livez(request: Request) -> dict[str, str]:
    """Whether the server answers; asks nothing of the store."""
    about = {name: text for area in request.app.state.areas for name, text in area.about.items()}
    return {"status": "ok", "version": __version__, **about}


@router.get("/readyz")
async def readyz(request: Request, health: Annotated[Health, Depends(health_of)]) -> Response:
    """Whether the store was written and read back within the last seconds; 503 if not."""
    problem = health.problem()
    if not problem:
        return JSONResponse({"status": "ready", "store": "ok"})
    request.scope.setdefault("state", {})[FAILURE] = problem
    body = {"status": "not ready", "store": health.public_problem}
    return JSONResponse(body, 503, {"Retry-After": str(RETRY)})


def needs_admin_token(request: Request) -> None:
    """An administrator's session, or `Authorization: Bearer` with the administrator's token."""
    given = re.fullmatch(r"(?i:bearer) (\S{1,200})", request.headers.get("authorization", ""))
    accounts: Accounts = accounts_of(request)
    if given and accounts.is_admin_token(given[1]):
        return
    worker = find_visitor(request).worker
    if worker is None:
        raise NeedsLogin
    if not worker.admin or worker.blocked:
        raise NotAllowed


@router.get("/metrics", response_class=Response, dependencies=[Depends(needs_admin_token)])
def metrics(
    request: Request,
    counted: Annotated[Metrics, Depends(metrics_of)],
    health: Annotated[Health, Depends(health_of)],
) -> Response:
    """What the server has counted, in Prometheus' text format."""
    return Response(counted.text(_now(request, health)), media_type=CONTENT_TYPE)


def _now(request: Request, health: Health) -> Iterator[Sample]:
    yield Sample("crosstalk_build_info", 1, {"version": __version__})
    yield Sample("crosstalk_ready", 0 if health.problem() else 1)
    if health.age is not None:
        yield Sample("crosstalk_store_age_seconds", health.age)
    yield Sample("crosstalk_waiting_jobs", health.store.writer.waiting)
    if (folder := health.store.folder) is not None:
        yield Sample("crosstalk_disk_free_bytes", shutil.disk_usage(folder).free)
    yield Sample("crosstalk_memory_bytes", _memory())
    for area in request.app.state.areas:
        try:
            yield from area.samples()
        except StoreUnavailable:
            continue


def _memory() -> float:
    """Resident bytes; 0 where the system does not say."""
    try:
        fields: list[Any] = Path("/proc/self/statm").read_text().split()
    except OSError:
        return 0
    return int(fields[1]) * 4096.0
