"""The collection website under load: `python -m benchmarks.collection [MEASUREMENT [AMOUNT...]]`.

    steady ROOMS SECONDS      the full turn protocol at the pace of people
    peak MESSAGES SECONDS     so many durable messages a second
    chaos KILLS               kill -9 in the midst of messages
    archive DIALOGUES         a full store: every administrator's request, and the export

Players and server share the machine. Without words: all of them, as large as we answer for.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx2 as httpx
from sqlalchemy import select

from benchmarks.archive import filled_store
from benchmarks.killable_server import ROOT, free_port, killable
from benchmarks.players import Player, Tally, prepare
from crosstalk.web.store.opening import store_url
from crosstalk.web.store.store import Store
from crosstalk.web.store.tables import EVENTS, ROOMS

PER_EXCHANGE = 5
"""Messages of an exchange: fill, say; query, select, say."""
Figures = dict[str, Any]


@contextmanager
def served(store: str, port: int) -> Iterator[tuple[int, str]]:
    """A server as users start it: its process number and the administrator's link."""
    command = [sys.executable, "-m", "crosstalk", "collect", "--store", store, "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--no-machines", "--no-training"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout
    try:
        process.stdout.readline()
        link = process.stdout.readline().split("/enter/")[-1].strip()
        yield process.pid, link
    finally:
        process.terminate()
        process.wait(30)


def memory(process: int) -> float:
    """Megabytes in use."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return round(int(found[1]) / 1024, 1) if found else 0.0


def spread(seconds: list[float]) -> Figures:
    ordered = sorted(seconds) or [0.0]
    return {
        f"p{share}_ms": round(1000 * ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 1)
        for share in (50, 95, 99)
    }


def talked(rooms: int, seconds: float, pause: tuple[float, float]) -> Figures:
    """So many rooms for so long, each side pausing so many seconds before a turn."""
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        sessions = prepare(store, people=2 * rooms, goals=rooms)
        with served(store, port) as (process, _):
            tally, sizes, took = asyncio.run(_talk(sessions, port, seconds, pause, process))
        checked = _check(store, tally)
    return {
        "rooms": rooms,
        "seconds": round(took),
        "messages": len(tally.latencies),
        "per_second": round(len(tally.latencies) / took, 1),
        **spread(tally.latencies),
        "errors": len(tally.errors),
        "memory_megabytes": max(sizes),
        **checked,
    }


async def _talk(
    sessions: list[str], port: int, seconds: float, pause: tuple[float, float], process: int
) -> tuple[Tally, list[float], float]:
    tally, stop, sizes = Tally(), asyncio.Event(), list[float]()
    players = [
        _player(port, session, number, tally, pause) for number, session in enumerate(sessions)
    ]
    tasks = list[asyncio.Task[None]]()
    for number, player in enumerate(players):
        tasks.append(asyncio.create_task(player.play(stop)))
        if number % 20 == 19:
            await asyncio.sleep(0.1)  # people do not all come in the same instant
    while any(player.room is None for player in players):
        await asyncio.sleep(0.1)
    tally.latencies.clear()
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        await asyncio.sleep(min(1.0, seconds))
        sizes.append(memory(process))
    took = time.monotonic() - began
    stop.set()
    await asyncio.gather(*tasks)
    return tally, sizes, took


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
    return talked(rooms, seconds, (0.6 * pause, 1.2 * pause))


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


REQUESTS = (
    "/api/admin/overview",
    "/api/admin/rooms",
    "/api/admin/rooms?status=finished&review=pending",
    "/api/admin/rooms?worker=7",
    "/api/admin/rooms/1000",
    "/api/admin/workers",
    "/api/admin/goals?state=done",
    "/api/admin/statistics",
    "/api/admin/figure.svg",
    "/admin",
    "/admin/rooms",
    "/admin/rooms/1000",
    "/admin/workers",
    "/admin/goals",
    "/admin/statistics",
)


def archive(dialogues: int = 6012, times: int = 20) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        turns = filled_store(store, dialogues)
        with served(store, port) as (process, link):
            pages, export, memories = _administrated(port, link, process, times)
    return {
        "dialogues": dialogues,
        "turns": turns,
        "slowest_page_p95_ms": max(page["p95_ms"] for page in pages.values()),
        "pages": pages,
        "export_seconds": export,
        "memory_megabytes": memories,
    }


def _administrated(
    port: int, link: str, process: int, times: int
) -> tuple[dict[str, Figures], dict[str, float], list[float]]:
    browser = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120)
    with browser:
        csrf = {"X-CSRF-Token": browser.get("/api/me").json()["csrf"]}
        browser.post("/api/enter", json={"token": link}, headers=csrf).raise_for_status()
        before = memory(process)
        pages = {}
        for request in REQUESTS:
            if browser.get(request).status_code == 200:
                pages[request] = spread([_timed(browser, request) for _ in range(times)])
        export = {
            to: round(_timed(browser, f"/api/admin/export?to={to}"), 1)
            for to in ("native", "crosswoz", "chat", "csv")
        }
        return pages, export, [before, memory(process)]


def _timed(browser: httpx.Client, request: str) -> float:
    began = time.monotonic()
    with browser.stream("GET", request) as answer:
        answer.raise_for_status()
        for _ in answer.iter_bytes():
            pass
    return time.monotonic() - began


MEASUREMENTS = {"steady": steady, "peak": peak, "chaos": chaos, "archive": archive}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        amounts = [int(word) for word in sys.argv[2:]]
        print(json.dumps(MEASUREMENTS[sys.argv[1]](*amounts)))
    else:
        print(json.dumps({name: measure() for name, measure in MEASUREMENTS.items()}))
