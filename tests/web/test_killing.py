"""kill -9 under load: nothing acknowledged is lost or doubled, no room is aborted."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random

from benchmarks.killable_server import free_port, killable
from benchmarks.players import Player, Tally, prepare
from sqlalchemy import select, text
from tests.web.players import acknowledged, in_a_thread

from crosstalk.web.store.sql_tables import EVENTS, ROOMS
from crosstalk.web.store.store import Store, store_url

KILLS = 10
ROOMS_PLAYED = 6


async def played(players: list[Player], start: Callable[[], int], rng: Random) -> None:
    stop = asyncio.Event()
    server = await asyncio.to_thread(start)
    tasks = [asyncio.create_task(player.play(stop)) for player in players]
    for _ in range(KILLS):
        await acknowledged(players[0].tally, rng.randrange(5, 20))
        os.kill(server, signal.SIGKILL)
        server = await asyncio.to_thread(start)
    await acknowledged(players[0].tally, 5 * len(players))
    stop.set()
    await asyncio.gather(*tasks)
    os.kill(server, signal.SIGKILL)


def test_killed_under_load(tmp_path: Path) -> None:
    address, port = str(tmp_path / "site.db"), free_port()
    sessions = prepare(address, people=2 * ROOMS_PLAYED, goals=ROOMS_PLAYED)
    tally, rng = Tally(), Random(1)
    players = [
        Player(port, session, ("user", "wizard")[number % 2], tally, again=0.05, rng=Random(number))
        for number, session in enumerate(sessions)
    ]
    with killable(address, port) as start:
        in_a_thread(asyncio.wait_for(played(players, start, rng), 400))

    assert not tally.errors, tally.errors[:5]
    store = Store(store_url(address))
    try:
        rooms = store.read(lambda connection: connection.execute(select(ROOMS)).all())
        events = store.read(lambda connection: connection.execute(select(EVENTS)).all())
        health = store.read(
            lambda connection: connection.execute(text("PRAGMA integrity_check")).scalar()
        )
    finally:
        store.close()
    assert health == "ok"
    assert [room.status for room in rooms] == ["open"] * ROOMS_PLAYED
    kept = {(event.room, event.client): event.seq for event in events if event.client}
    assert len(kept) == len([event for event in events if event.client]), "a message twice"
    acked = [(room, id, seq) for room, own in tally.acked.items() for id, seq in own]
    assert len(acked) > 10 * ROOMS_PLAYED
    assert all(kept.get((room, id)) == seq for room, id, seq in acked), "an acknowledged one lost"
    for player in players:
        shown = [event["seq"] for event in player.events]
        assert shown == sorted(set(shown)), "a page saw a gap or something twice"
