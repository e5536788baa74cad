"""The area where people talk, with each other or with machines, and are administered."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from random import Random

from fastapi import Request

from crosstalk.collection.events import Role
from crosstalk.collection.training import Item, training_items
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import GoalType
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.system.nlg.generator import Generator
from crosstalk.web.area import Area, NavigationLink
from crosstalk.web.collect import admin, socket, worker
from crosstalk.web.collect.hub import Hub
from crosstalk.web.collect.live_statistics import LiveStatistics
from crosstalk.web.collect.parts import Parts, unchanged
from crosstalk.web.collect.room_jobs import begin_serving
from crosstalk.web.collect.scheduler import Scheduler
from crosstalk.web.collect.site import Site
from crosstalk.web.sessions import Visitor


def collect_area(site: Site, parts: Parts) -> Area:
    hub = Hub(site)
    site.machine_roles = frozenset(filter(parts.machines.can_play, Role))
    site.submit(begin_serving).result()
    pack = site.context.pack
    return Area(
        routers=(worker.router, admin.router, socket.router, worker.pages, admin.pages),
        state={
            "site": site,
            "hub": hub,
            "parts": parts,
            "annotate": parts.annotate or unchanged,
            "counting": LiveStatistics(site.store, parts.annotate),
            "training": _training(site, parts.voice),
        },
        about={"world": site.context.world.name, "language": pack.code},
        template_values={"world_language": pack.code, "world_direction": pack.direction},
        navigation=_navigation,
        running=lambda: _running(hub, parts),
        session_ended=site.session_ended,
    )


def _navigation(request: Request, visitor: Visitor) -> Iterator[NavigationLink]:
    if visitor.worker is None or visitor.worker.blocked:
        return
    yield NavigationLink("/lobby", "common.lobby")
    yield NavigationLink("/work", "common.work")
    if visitor.worker.admin:
        yield NavigationLink("/admin", "common.admin")


@contextlib.asynccontextmanager
async def _running(hub: Hub, parts: Parts) -> AsyncIterator[None]:
    hub.start()
    scheduler = Scheduler(hub, parts)
    tasks = [asyncio.create_task(job) for job in scheduler.jobs()]
    try:
        yield
    finally:
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
