"""The sites of stages 2 and 3.

    editing_app(EditingQueue(...), people)      judging_app(ControlQueue(...), people)

They differ in their work queue and in the routes of their stage, and in nothing else.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, FastAPI

from crosstalk import __version__
from crosstalk.errors import CrosstalkError
from crosstalk.translation.control_answers import ControlQueue
from crosstalk.translation.post_editing import EditingQueue
from crosstalk.translation.work_queues import WorkQueue
from crosstalk.web.app import HERE, Address
from crosstalk.web.middleware import AccessMiddleware
from crosstalk.web.pages.statics import Statics
from crosstalk.web.translation import editor_api, editor_pages, judge_site, login
from crosstalk.web.translation.people import People
from crosstalk.web.translation.problems import add_handlers
from crosstalk.web.visitors import Cookies

SETTLING: Final = 3.0
"""Seconds between two writings of the file at least; the journal has every save at once."""
SHARE: Final = 20
"""So many times as long as writing took: a large file takes at most a twentieth of the time."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stage:
    """What one of the two sites has and the other has not."""

    name: str
    routers: tuple[APIRouter, ...]


EDITING: Final = Stage("editing", (editor_api.router, editor_pages.router))
JUDGING: Final = Stage("judging", (judge_site.api, judge_site.pages))


def editing_app(
    queue: EditingQueue, people: People, address: Address | None = None, *, rate: float = 16.0
) -> AccessMiddleware:
    return _behind_middleware(_app(EDITING, queue, people, rate), address)


def judging_app(
    queue: ControlQueue, people: People, address: Address | None = None, *, rate: float = 16.0
) -> AccessMiddleware:
    return _behind_middleware(_app(JUDGING, queue, people, rate), address)


def _behind_middleware(app: FastAPI, address: Address | None) -> AccessMiddleware:
    where = address or Address()
    app.state.cookies = Cookies(where.port, where.secure)
    return AccessMiddleware(app, where.hosts, secure=where.secure)


def _app(stage: Stage, queue: WorkQueue, people: People, rate: float) -> FastAPI:
    app = FastAPI(
        title="Crosstalk translation",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.queue = queue
    app.state.people = people
    app.state.languages = queue.languages
    app.state.stage = stage.name
    app.state.rate = rate
    add_handlers(app)

    @app.get("/healthz")
    def healthz() -> dict[str, str]:
        return {"status": "ok", "version": __version__, "stage": stage.name}

    for router in (login.router, *stage.routers):
        app.include_router(router)
    app.mount("/static", Statics(directory=HERE / "static"), name="static")
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    task = asyncio.create_task(_settling(app.state.queue))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _settling(queue: WorkQueue) -> None:
    """The file follows the journal; what goes wrong is tried again, and told once."""
    wait, told = SETTLING, ""
    while True:
        await asyncio.sleep(wait)
        began = time.monotonic()
        try:
            await asyncio.to_thread(queue.settle)
        except CrosstalkError as error:
            if told != (told := str(error)):
                log.warning("%s", told)
        except Exception:  # of any kind: a task that ended would never write again
            log.exception("%s could not be written", queue.path)
        wait = max(SETTLING, SHARE * (time.monotonic() - began))
