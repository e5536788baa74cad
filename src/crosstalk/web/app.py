"""The application: `create_app(accounts, areas)` puts the shell and its areas together.

Everything else takes what it needs from `app.state`; nothing is global.
"""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from fastapi import FastAPI

from crosstalk import __version__
from crosstalk.web import account_routes
from crosstalk.web.accounts import Accounts
from crosstalk.web.area import Area
from crosstalk.web.error_handlers import add_handlers
from crosstalk.web.middleware import AccessMiddleware, Hosts, local_hosts
from crosstalk.web.page import Statics
from crosstalk.web.sessions import Cookies


@dataclass(frozen=True, slots=True)
class Address:
    """Where people find the site."""

    port: int = 8000
    hosts: Hosts = field(default_factory=local_hosts)
    secure: bool = False
    """Whether people come by https."""


def create_app(
    accounts: Accounts, areas: Sequence[Area], address: Address | None = None
) -> AccessMiddleware:
    """The website, behind its middleware; of two routes with one path the first area's counts."""
    where = address or Address()
    app = FastAPI(
        title="Crosstalk",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.accounts = accounts
    app.state.areas = tuple(areas)
    app.state.cookies = Cookies(where.port, where.secure)
    for area in areas:
        for name, value in area.state.items():
            setattr(app.state, name, value)
    add_handlers(app)
    _add_routes(app, areas)
    return AccessMiddleware(app, where.hosts, secure=where.secure)


def _add_routes(app: FastAPI, areas: Sequence[Area]) -> None:
    @app.get("/healthz")
    def healthz() -> dict[str, str]:
        about = {name: text for area in areas for name, text in area.about.items()}
        return {"status": "ok", "version": __version__, **about}

    app.include_router(account_routes.router)
    if not any(area.personal_links for area in areas):
        app.include_router(account_routes.passwords)
    for area in areas:
        for router in area.routers:
            app.include_router(router)
    app.mount("/static", Statics(), name="static")


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with contextlib.AsyncExitStack() as stack:
        for area in app.state.areas:
            await stack.enter_async_context(area.running())
        yield
