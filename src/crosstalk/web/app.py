"""The application: `create_app(site)` puts the parts together.

Everything else takes the parts it needs from `app.state`; nothing is global.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fastapi import FastAPI

from crosstalk import __version__
from crosstalk.collection.roles import Role
from crosstalk.collection.training import Item, training_items
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import GoalType
from crosstalk.goals.options import GoalOptions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.system.nlg.generator import Generator
from crosstalk.web import api_account, api_admin, api_experts, api_rooms, socket
from crosstalk.web.accounts import Gate, site_secret
from crosstalk.web.hub import Hub
from crosstalk.web.live_statistics import LiveStatistics
from crosstalk.web.middleware import AccessMiddleware, Hosts, local_hosts
from crosstalk.web.pages import routes as pages
from crosstalk.web.pages.statics import Statics
from crosstalk.web.parts import Parts, as_it_is
from crosstalk.web.problems import add_handlers
from crosstalk.web.room_work import begin_serving
from crosstalk.web.scheduler import Scheduler
from crosstalk.web.site import Site
from crosstalk.web.visitors import Cookies

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Address:
    """Where people find the site."""

    port: int = 8000
    hosts: Hosts = field(default_factory=local_hosts)
    secure: bool = False
    """Whether people come by https."""


def create_app(
    site: Site, address: Address | None = None, parts: Parts | None = None
) -> AccessMiddleware:
    """The whole site, behind its middleware."""
    where, parts = address or Address(), parts or Parts()
    app = FastAPI(
        title="Crosstalk",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.site = site
    app.state.hub = Hub(site)
    app.state.machines = parts.machines
    site.machine_roles = frozenset(filter(app.state.machines.can_play, Role))
    app.state.gate = Gate.of(site)
    app.state.parts = parts
    app.state.annotate = parts.annotate or as_it_is
    app.state.counting = LiveStatistics(site.store, parts.annotate)
    app.state.cookies = Cookies(where.port, where.secure)
    app.state.secret = site.submit(site_secret).result()
    site.submit(begin_serving).result()
    app.state.training = _training(site, parts.voice)
    app.state.stopping = False
    add_handlers(app)
    _add_routes(app)
    return AccessMiddleware(app, where.hosts, secure=where.secure)


def _add_routes(app: FastAPI) -> None:
    @app.get("/healthz")
    def healthz() -> dict[str, str]:
        context = app.state.site.context
        return {
            "status": "ok",
            "version": __version__,
            "world": context.world.name,
            "language": context.pack.code,
        }

    app.include_router(api_account.router)
    app.include_router(api_rooms.router)
    app.include_router(api_admin.router)
    app.include_router(api_experts.router)
    app.include_router(api_experts.for_admins)
    app.include_router(socket.router)
    app.mount("/static", Statics(directory=HERE / "static"), name="static")
    app.include_router(pages.router)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    hub: Hub = app.state.hub
    hub.start()
    scheduler = Scheduler(hub, app.state.parts)
    tasks = [asyncio.create_task(job) for job in scheduler.jobs()]
    try:
        yield
    finally:
        app.state.stopping = True
        hub.stop()
        scheduler.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _training(site: Site, voice: Generator | None) -> tuple[Item, ...]:
    """The exercises are about one goal with one place, the same on every server."""
    options = GoalOptions(only=frozenset({GoalType.S}))
    goal = goal_sampler(site.context.world, options).sample(goal_rng(0, 0))

    def say(acts: tuple[Act, ...]) -> str:
        if voice is None:
            return "; ".join(act.value or act.slot for act in acts)
        return voice.say(acts, Random("training"))

    return training_items(site.context, goal, say)
