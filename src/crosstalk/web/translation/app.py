"""The sites of stages 2 and 3: `editing_app(desk)` for editors, behind the website's doors."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Sequence
from typing import Final

from fastapi import APIRouter, FastAPI

from crosstalk import __version__
from crosstalk.translation.desks import Desk
from crosstalk.translation.editing import EditingDesk
from crosstalk.translation.judging import JudgingDesk
from crosstalk.web.app import HERE, Address
from crosstalk.web.doors import Doors
from crosstalk.web.pages.statics import Statics
from crosstalk.web.translation import editor_api, editor_pages, entering, judge_site
from crosstalk.web.translation.people import People
from crosstalk.web.translation.problems import add_handlers
from crosstalk.web.visitors import Cookies

SETTLING: Final = 3.0
"""Seconds between two writings of the file at least; the journal has every save at once."""
SHARE: Final = 20
"""So many times as long as writing took: a large file takes at most a twentieth of the time."""
log = logging.getLogger(__name__)


def editing_app(
    desk: EditingDesk, people: People, address: Address | None = None, *, rate: float = 16.0
) -> Doors:
    app = _app(desk, people, rate, "editing", (editor_api.router, editor_pages.router))
    return _behind_doors(app, address or Address())


def judging_app(
    desk: JudgingDesk, people: People, address: Address | None = None, *, rate: float = 16.0
) -> Doors:
    app = _app(desk, people, rate, "judging", (judge_site.api, judge_site.pages))
    return _behind_doors(app, address or Address())


def _behind_doors(app: FastAPI, where: Address) -> Doors:
    app.state.cookies = Cookies(where.port, where.secure)
    return Doors(app, where.hosts, secure=where.secure)


def _app(
    desk: Desk, people: People, rate: float, stage: str, routers: Sequence[APIRouter]
) -> FastAPI:
    app = FastAPI(
        title="Crosstalk translation",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.desk = desk
    app.state.people = people
    app.state.languages = desk.languages
    app.state.stage = stage
    app.state.rate = rate
    add_handlers(app)

    @app.get("/healthz")
    def healthz() -> dict[str, str]:
        return {"status": "ok", "version": __version__, "stage": stage}

    for router in (entering.router, *routers):
        app.include_router(router)
    app.mount("/static", Statics(directory=HERE / "static"), name="static")
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    task = asyncio.create_task(_settling(app.state.desk))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _settling(desk: Desk) -> None:
    """The file follows the journal; what goes wrong is tried again."""
    wait = SETTLING
    while True:
        await asyncio.sleep(wait)
        began = time.monotonic()
        try:
            await asyncio.to_thread(desk.settle)
        except Exception:  # of any kind: a task that ended would never write again
            log.exception("%s could not be written", desk.path)
        wait = max(SETTLING, SHARE * (time.monotonic() - began))
