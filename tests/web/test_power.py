"""Power cuts: what was acknowledged had been synced, and is there when the power is back."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.web.playing import Pair
from tests.web.power import ForgetfulDisk, forgetful_disk

from crosstalk.collection.commands import Say
from crosstalk.collection.events import Role
from crosstalk.collection.world_context import WorldContext
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.web.collect.site import Site
from crosstalk.web.collect.startup import missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url

PAIRS = 3
EXCHANGES = 10
EVERY = 5
"""Messages of a pair between two power cuts; the other pairs are in the midst of theirs."""
LONG = "a message of some length " * 60


@dataclass
class Cuts:
    """What people were told, and what the disk still knew at each cut."""

    disk: ForgetfulDisk
    folder: Path
    acknowledged: list[str] = field(default_factory=list)
    lost: list[set[str]] = field(default_factory=list)

    def talk(self, two: Pair) -> None:
        for number in range(2 * EXCHANGES):
            message = f"{two.room}-{number}"
            two.does((Role.USER, Role.WIZARD)[number % 2], Say(LONG, sure=True), message)
            self.acknowledged.append(message)
            if number % EVERY == EVERY - 1:
                self.cut(self.folder / message)

    def cut(self, folder: Path) -> None:
        told = set(self.acknowledged)
        folder.mkdir()
        self.disk.after_power_cut(folder)
        self.lost.append(told - messages(folder / "site.db"))


def messages(store: Path) -> set[str]:
    """The messages in a store after the power has come back."""
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = connection.execute("SELECT client FROM events WHERE client IS NOT NULL")
        return {row[0] for row in found}


@pytest.mark.parametrize("forgets_syncs", [False, True])
def test_nothing_acknowledged_is_lost(
    tmp_path: Path, context: WorldContext, goals: list[StoredGoal], forgets_syncs: bool
) -> None:
    """The second time shows that the first could have failed."""
    (tmp_path / "cuts").mkdir()
    with forgetful_disk(tmp_path) as disk:
        site = Site(Store(store_url(str(tmp_path / "site.db"))), context)
        with closing(site.store):
            site.submit(remember_world).result()
            missing_goals(site, goals[:PAIRS])
            disk.forgets_syncs = forgets_syncs
            cuts, pairs = Cuts(disk, tmp_path / "cuts"), [Pair(site) for _ in range(PAIRS)]
            with ThreadPoolExecutor(PAIRS) as people:
                list(people.map(cuts.talk, pairs))
    assert len(cuts.acknowledged) == 2 * PAIRS * EXCHANGES
    assert any(cuts.lost) is forgets_syncs
