"""A site about the built-in world, on either store, and a server to reach it."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.web.postgres import running_postgres
from tests.web.running import Running

from crosstalk.collection.world_context import WorldContext
from crosstalk.goals.goal_files import StoredGoal, sample_stored_goals
from crosstalk.goals.sampler import goal_sampler
from crosstalk.web.collect.site import Site, SiteRules
from crosstalk.web.collect.startup import missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url
from crosstalk.worlds.world import load_world

Clock = Callable[[], float]
RULES = SiteRules(training=False, pause=0)


@pytest.fixture(scope="session")
def context() -> WorldContext:
    return WorldContext(load_world("harbour"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with running_postgres() as address:
        yield address


@pytest.fixture
def fresh_postgres(postgres: str) -> str:
    """The same server, with nothing in it."""
    engine = create_engine(store_url(postgres))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "site.db")
    fresh: str = request.getfixturevalue("fresh_postgres")
    return fresh


@pytest.fixture(scope="session")
def goals(context: WorldContext) -> list[StoredGoal]:
    return list(sample_stored_goals(goal_sampler(context.world), 100, seed=0))


OpenSite = Callable[..., Site]


@pytest.fixture(scope="session")
def open_site(context: WorldContext, goals: list[StoredGoal]) -> Iterator[OpenSite]:
    """Opens sites with goals in them, and closes them afterwards."""
    opened: list[Site] = []

    def open_one(
        address: str, *, count: int = 100, rules: SiteRules = RULES, clock: Clock = time.time
    ) -> Site:
        site = Site(Store(store_url(address)), context, rules, clock=clock)
        opened.append(site)
        site.submit(remember_world).result()
        missing_goals(site, goals[:count])
        return site

    yield open_one
    for site in opened:
        site.store.close()


@pytest.fixture(scope="module")
def shared(open_site: OpenSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(open_site(str(tmp_path_factory.mktemp("site") / "site.db"))) as running:
        yield running


@pytest.fixture
def server(shared: Running) -> Iterator[Running]:
    """A server on SQLite; tests of a module share it, one after the other, with other people."""
    yield shared
    shared.everybody_leaves()


@pytest.fixture
def site(server: Running) -> Site:
    return server.site
