"""Pulled cables under load, and a backup taken meanwhile: pages and store tell the same story."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

from benchmarks.players import Player, Tally, prepare
from tests.web.players import acknowledged, in_a_thread
from tests.web.running import Running

from crosstalk.collection.events import Role
from crosstalk.web.collect.hub import update_message
from crosstalk.web.collect.site import Logs, Site
from crosstalk.web.store.backups import restore, write_backup
from crosstalk.web.store.store import Store, store_url

ROOMS = 5
CUTS = 12
OpenSite = Callable[..., Site]


async def played(players: list[Player], rng: Random, backup: Callable[[], object]) -> None:
    stop, tally = asyncio.Event(), players[0].tally
    tasks = [asyncio.create_task(player.play(stop)) for player in players]
    await acknowledged(tally, ROOMS)
    for number in range(CUTS):
        await acknowledged(tally, rng.randrange(3, 12))
        for player in rng.sample(players, 2):
            player.cut()
        if number == CUTS // 2:
            await asyncio.to_thread(backup)
    await acknowledged(tally, len(players))
    stop.set()
    await asyncio.gather(*tasks)


def test_both_transcripts_are_the_store(address: str, open_site: OpenSite, tmp_path: Path) -> None:
    sessions = prepare(address, people=2 * ROOMS, goals=ROOMS)
    site, tally, file = open_site(address, count=0), Tally(), tmp_path / "backup.jsonl"
    told_before: dict[int, list[tuple[str, int]]] = {}

    def backup() -> None:
        told_before.update({room: list(own) for room, own in tally.acked.items()})
        write_backup(site.store.url, file)

    with Running(site) as server:
        make = partial(Player, server.port, tally=tally, again=0.02)
        players = [
            make(session, role=("user", "wizard")[number % 2], rng=Random(number))
            for number, session in enumerate(sessions)
        ]
        in_a_thread(asyncio.wait_for(played(players, Random(2), backup), 400))

    assert not tally.errors, tally.errors[:5]
    site.logs = Logs()  # as the store has it
    for player in players:
        log = site.log(player.room or 0)
        assert log and log.room.status == "open"
        whole = update_message(site, log, Role(player.role), 0)["events"]
        gap = update_message(site, log, Role(player.role), player.seq)["events"]
        assert player.events + gap == whole
        assert all(log.clients.get(id) == seq for id, seq in tally.acked[log.id])
    with closing(Store(store_url(str(tmp_path / "copy.db")))) as store:
        restore(store, file)
        copy = Site(store, site.context)
        for room, own in told_before.items():
            log = copy.log(room)
            assert log and all(log.clients.get(id) == seq for id, seq in own)
