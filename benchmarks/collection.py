"""The collection website under load: `python -m benchmarks.collection [MEASUREMENT [AMOUNT...]]`.

    steady ROOMS SECONDS      the full turn protocol at the pace of people
    peak MESSAGES SECONDS     so many durable messages a second
    chaos KILLS               kill -9 in the midst of messages
    flaky ROOMS SECONDS       cables pulled at random, for up to ten seconds
    soak --rooms 20 --minutes 90   the messages of eight hours with long pauses, in so many minutes
    abuse ROOMS SECONDS       quiet, then beside a worker who floods, reads nothing, sends halves
    archive DIALOGUES         a full store: every administrator's request, and the export

Players and server share the machine. Without words: steady, peak, chaos and archive, as large as
we answer for.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import select

from benchmarks.collection_abuse import abused
from benchmarks.collection_archive import archive
from benchmarks.collection_server import Figures, memory, processor, served, spread
from benchmarks.killable_server import free_port, killable
from benchmarks.players import Player, Tally, prepare
from crosstalk.web.store.sql_tables import EVENTS, ROOMS
from crosstalk.web.store.store import Store, store_url

PER_EXCHANGE = 5
"""Messages of an exchange: fill, say; query, select, say."""


def talked(
    rooms: int,
    seconds: float,
    pause: tuple[float, float],
    flat_after: float | None = None,
    dialogues: int = 1,
) -> Figures:
    """So many rooms for so long, each side pausing so many seconds before a turn.

    `flat_after`: seconds after which memory should not grow; default: two fifths of the time.
    `dialogues`: how many there may be in each room's place, one after the other.
    """
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        sessions = prepare(store, people=2 * rooms, goals=dialogues * rooms)
        with served(store, port) as (process, _):
            endless = dialogues > 1
            tally, usage = asyncio.run(_talk(sessions, port, seconds, pause, process, endless))
        checked = _check(store, tally)
    return {
        "rooms": rooms,
        "seconds": round(usage.seconds),
        "messages": len(tally.latencies),
        "per_second": round(len(tally.latencies) / usage.seconds, 1),
        **spread(tally.latencies),
        "errors": len(tally.errors),
        "memory_megabytes": max(usage.sizes),
        "memory_growth_percent": usage.growth(flat_after),
        "memory_by_minute": usage.sizes[::60],
        "server_cores": round(usage.server / usage.seconds, 2),
        "players_cores": round(usage.players / usage.seconds, 2),
        **checked,
    }


@dataclass
class Usage:
    """What the server took while people talked."""

    seconds: float = 0.0
    sizes: list[float] = field(default_factory=list)
    """Megabytes, once a second."""
    server: float = 0.0
    """Seconds of processor time."""
    players: float = 0.0

    def growth(self, after: float | None = None) -> float:
        """Per cent of memory added after so many seconds; default: two fifths of all."""
        place = len(self.sizes) * 2 // 5
        if after is not None and after < self.seconds:
            place = int(len(self.sizes) * after / self.seconds)
        early = self.sizes[place]
        return round(100 * (self.sizes[-1] / early - 1), 1)


async def _talk(
    sessions: list[str],
    port: int,
    seconds: float,
    pause: tuple[float, float],
    process: int,
    endless: bool = False,
) -> tuple[Tally, Usage]:
    tally, stop, usage = Tally(), asyncio.Event(), Usage()
    players = [
        _player(port, session, number, tally, pause) for number, session in enumerate(sessions)
    ]
    for player in players:
        player.endless = endless
    tasks = list[asyncio.Task[None]]()
    for number, player in enumerate(players):
        tasks.append(asyncio.create_task(player.play(stop)))
        if number % 20 == 19:
            await asyncio.sleep(0.1)  # people do not all come in the same instant
    while any(player.room is None for player in players):
        await asyncio.sleep(0.1)
    tally.latencies.clear()
    began, server, own = time.monotonic(), processor(process), time.process_time()
    while time.monotonic() - began < seconds:
        await asyncio.sleep(min(1.0, seconds))
        usage.sizes.append(memory(process))
    usage.seconds = time.monotonic() - began
    usage.server, usage.players = processor(process) - server, time.process_time() - own
    stop.set()
    await asyncio.gather(*tasks)
    return tally, usage


def _player(
    port: int, session: str, number: int, tally: Tally, pause: tuple[float, float]
) -> Player:
    rng = Random(number)
    role = ("user", "wizard")[number % 2]
    return Player(port, session, role, tally, pause=lambda: rng.uniform(*pause), rng=rng)


def _check(address: str, tally: Tally) -> Figures:
    """Whether everything acknowledged is there, once."""
    store = Store(store_url(address))
    try:
        events = store.read(
            lambda connection: connection.execute(
                select(EVENTS.c.room, EVENTS.c.seq, EVENTS.c.client).where(
                    EVENTS.c.client.is_not(None)
                )
            ).all()
        )
        statuses = store.read(
            lambda connection: list(connection.execute(select(ROOMS.c.status)).scalars())
        )
    finally:
        store.close()
    kept = {(room, client): seq for room, seq, client in events}
    acked = [(room, id, seq) for room, own in tally.acked.items() for id, seq in own]
    return {
        "acknowledged": len(acked),
        "lost": sum(kept.get((room, id)) != seq for room, id, seq in acked),
        "doubled": len(events) - len(kept),
        "aborted_rooms": statuses.count("closed"),
    }


def steady(rooms: int = 200, seconds: float = 300) -> Figures:
    """Each side reads, thinks and types for some seconds before a turn."""
    return talked(rooms, seconds, (2.0, 6.0))


def peak(messages: int = 500, seconds: float = 60) -> Figures:
    rooms = 200
    pause = rooms * PER_EXCHANGE / messages / 2
    return talked(rooms, seconds, (0.5 * pause, 1.2 * pause))


def chaos(kills: int = 50, rooms: int = 20) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        sessions = prepare(store, people=2 * rooms, goals=rooms)
        with killable(store, port) as start:
            tally, restarts = asyncio.run(_killed(sessions, port, kills, start))
        checked = _check(store, tally)
    return {
        "kills": kills,
        "rooms": rooms,
        "errors": len(tally.errors),
        "serving_again": spread(restarts),
        "clients_resumed": spread(tally.resumed),
        **checked,
    }


async def _killed(
    sessions: list[str], port: int, kills: int, start: Any
) -> tuple[Tally, list[float]]:
    tally, stop, rng, restarts = Tally(), asyncio.Event(), Random(1), list[float]()
    server = await asyncio.to_thread(start)
    players = [
        _player(port, each, number, tally, (0.0, 0.2)) for number, each in enumerate(sessions)
    ]
    tasks = [asyncio.create_task(player.play(stop)) for player in players]
    for _ in range(kills):
        wanted = len(tally.latencies) + rng.randrange(20, 100)
        while len(tally.latencies) < wanted:
            await asyncio.sleep(0.01)
        os.kill(server, signal.SIGKILL)
        began = time.monotonic()
        server = await asyncio.to_thread(start)
        restarts.append(time.monotonic() - began)
    wanted = len(tally.latencies) + len(players)
    while len(tally.latencies) < wanted:
        await asyncio.sleep(0.01)
    stop.set()
    await asyncio.gather(*tasks)
    os.kill(server, signal.SIGKILL)
    return tally, restarts


EIGHT_HOURS = 8 * 60
"""Minutes of the soak at the pace of people."""


def soak(rooms: int = 20, minutes: float = EIGHT_HOURS) -> Figures:
    """As many messages as eight hours with long pauses bring, in fewer minutes if asked."""
    share = minutes / EIGHT_HOURS
    return talked(rooms, 60 * minutes, (10.0 * share, 60.0 * share), flat_after=600, dialogues=20)


def abuse(rooms: int = 20, seconds: float = 60) -> Figures:
    return abused(rooms, seconds, _player, _check)


def flaky(rooms: int = 100, seconds: float = 120) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        sessions = prepare(store, people=2 * rooms, goals=rooms)
        with served(store, port):
            tally, cuts, doubled = asyncio.run(_cut(sessions, port, seconds))
        checked = _check(store, tally)
    resumed = spread(tally.resumed)
    figures = {"rooms": rooms, "cuts": cuts, "errors": len(tally.errors), "events_twice": doubled}
    return {**figures, "clients_resumed": resumed, **checked}


async def _cut(sessions: list[str], port: int, seconds: float) -> tuple[Tally, int, int]:
    tally, stop, rng, cuts = Tally(), asyncio.Event(), Random(1), 0
    players = [
        _player(port, each, number, tally, (0.5, 2.0)) for number, each in enumerate(sessions)
    ]
    tasks = [asyncio.create_task(player.play(stop)) for player in players]
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        await asyncio.sleep(0.2)
        player = rng.choice(players)
        player.again = rng.uniform(0.0, 10.0)
        player.cut()
        cuts += 1
    stop.set()
    await asyncio.gather(*tasks)
    shown = [[event["seq"] for event in player.events] for player in players]
    return tally, cuts, sum(len(each) - len(set(each)) for each in shown)


def _amounts(words: list[str]) -> tuple[list[int], dict[str, int]]:
    """Amounts in order, and those with a name, such as `--minutes 90`."""
    amounts, named, rest = list[int](), dict[str, int](), iter(words)
    for word in rest:
        if word.startswith("--"):
            named[word.removeprefix("--")] = int(next(rest))
        else:
            amounts.append(int(word))
    return amounts, named


ANSWERED_FOR = {"steady": steady, "peak": peak, "chaos": chaos, "archive": archive}
MEASUREMENTS = {**ANSWERED_FOR, "flaky": flaky, "soak": soak, "abuse": abuse}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        amounts, named = _amounts(sys.argv[2:])
        print(json.dumps(MEASUREMENTS[sys.argv[1]](*amounts, **named)))
    else:
        print(json.dumps({name: measure() for name, measure in ANSWERED_FOR.items()}))
