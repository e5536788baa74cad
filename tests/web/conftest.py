"""A site about the built-in world, on either store, and a server to reach it."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, NullPool, create_engine, text
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
def fresh_postgres(postgres: str, opened: list[Site]) -> Iterator[str]:
    """The same server, with nothing in it; what a test opens on it is closed after the test."""
    engine = create_engine(store_url(postgres), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    yield postgres
    for site in [each for each in opened if each.store.shared]:
        site.store.close()
        opened.remove(site)
    end = time.monotonic() + 5
    while (left := _others(engine)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left, f"connections that the test leaves open: {left}"


def _others(engine: Engine) -> list[str]:
    """What the other connections to a PostgreSQL server did last."""
    asked = (
        "SELECT query FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
    )
    with engine.connect() as connection:
        return list(connection.execute(text(asked)).scalars())


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
def opened() -> Iterator[list[Site]]:
    """The sites that are open."""
    sites: list[Site] = []
    yield sites
    for site in sites:
        site.store.close()


@pytest.fixture(scope="session")
def open_site(context: WorldContext, goals: list[StoredGoal], opened: list[Site]) -> OpenSite:
    """Opens sites with goals in them; they are closed afterwards."""

    def open_one(
        address: str, *, count: int = 100, rules: SiteRules = RULES, clock: Clock = time.time
    ) -> Site:
        site = Site(Store(store_url(address)), context, rules, clock=clock)
        opened.append(site)
        site.submit(remember_world).result()
        missing_goals(site, goals[:count])
        return site

    return open_one


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
