"""Rooms beside an abusive worker: `python -m benchmarks.collection abuse [ROOMS SECONDS]`.

The same rooms talk for so many seconds in quiet, and then for as long while one worker sends 2,000
messages a second, a socket asks for much and reads nothing, 1,000 requests stay half sent, and 60
connections try names and passwords, each as fast as it is answered. All of it stays on this machine
and ends with the measurement.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Final

import httpx2 as httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from benchmarks.collection_server import Figures, memory, served, spread
from benchmarks.killable_server import ROOT, free_port
from benchmarks.players import Player, Tally, prepare

FLOOD: Final = 2000
"""Messages a second."""
HALF_SENT: Final = 1000
GUESSING: Final = 60
"""Connections that log in; more than the threads that answer requests."""
PAUSE: Final = (1.0, 3.0)
SETTLE: Final = 3.0
"""Seconds between coming in and measuring."""


async def measured(
    players: list[Player], tally: Tally, abusers: list[str], port: int, seconds: float, process: int
) -> Figures:
    """Latencies and memory in quiet, then under abuse."""
    stop = asyncio.Event()
    tasks = [asyncio.create_task(player.play(stop)) for player in players]
    while any(player.room is None for player in players):
        await asyncio.sleep(0.1)
    await asyncio.sleep(SETTLE)
    quiet, before, _ = await _during(tally, seconds, process)
    with _abusers(port, abusers) as done:
        loud, _, most = await _during(tally, seconds, process)
    stop.set()
    await asyncio.gather(*tasks)
    p95 = [spread(each)["p95_ms"] for each in (quiet, loud)]
    return {
        "quiet": {"messages": len(quiet), **spread(quiet)},
        "abused": {"messages": len(loud), **spread(loud)},
        "p95_ratio": round(p95[1] / p95[0], 2) if p95[0] else None,
        "memory_growth_megabytes": round(most - before, 1),
        "half_sent": HALF_SENT,
        **done,
        "errors": len(tally.errors),
    }


async def _during(tally: Tally, seconds: float, process: int) -> tuple[list[float], float, float]:
    """(latencies, memory at first, most memory) of the next seconds."""
    tally.latencies.clear()
    first = most = memory(process)
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        await asyncio.sleep(min(0.5, seconds))
        most = max(most, memory(process))
    return list(tally.latencies), first, most


@contextlib.contextmanager
def _abusers(port: int, sessions: list[str]) -> Iterator[Figures]:
    """Abuse from another process, so that it delays no measured message; what it did, at last."""
    command = [sys.executable, "-m", "benchmarks.collection_abuse", str(port), *sessions]
    done: Figures = {}
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()  # it has begun
        yield done
        process.stdin.close()
        done.update(json.loads(process.stdout.readline()))


async def _abuse(port: int, flooding: str, deaf: str) -> Figures:
    """Abuse until stdin is closed."""
    sent, guesses = [0], Counter[int]()
    tasks = [
        asyncio.create_task(_flood(port, flooding, sent)),
        asyncio.create_task(_ask_and_read_nothing(port, deaf)),
        asyncio.create_task(_send_halves(port)),
        asyncio.create_task(_guess(port, guesses)),
    ]
    print("begun", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {"flood_sent": sent[0], "logins": dict(sorted(guesses.items()))}


def _socket(port: int, session: str) -> connect:
    return connect(
        f"ws://127.0.0.1:{port}/ws",
        origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        additional_headers={"Cookie": f"crosstalk_{port}={session}"},
        compression=None,
        open_timeout=20,
        close_timeout=1,
    )


HELLO: Final = json.dumps({"do": "hello", "room": None, "last": 0})
LOST: Final = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError)


async def _flood(port: int, session: str, sent: list[int]) -> None:
    """As many messages as asked for, coming back each time one is sent away."""
    while True:
        with contextlib.suppress(*LOST):
            async with _socket(port, session) as socket:
                await socket.send(HELLO)
                while True:
                    for _ in range(FLOOD // 100):
                        await socket.send(HELLO)
                        sent[0] += 1
                    await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)


async def _ask_and_read_nothing(port: int, session: str) -> None:
    while True:
        with contextlib.suppress(*LOST):
            async with _socket(port, session) as socket:
                socket.transport.pause_reading()
                for _ in range(100):
                    await asyncio.wait_for(socket.send(HELLO), 1)
                    await asyncio.sleep(0.06)
                await asyncio.sleep(1)
        await asyncio.sleep(0.05)


async def _send_halves(port: int) -> None:
    writers = list[asyncio.StreamWriter]()
    try:
        for _ in range(HALF_SENT):
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ")
                writers.append(writer)
        await asyncio.Event().wait()
    finally:
        for writer in writers:
            writer.close()


async def _guess(port: int, answers: Counter[int]) -> None:
    """Try one name after the other with a wrong password; counts answers by status."""
    limits = httpx.Limits(max_connections=GUESSING)
    url = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits, verify=False) as browser:
        token = {"X-CSRF-Token": (await browser.get("/api/me")).json()["csrf"]}

        async def one_after_the_other(number: int) -> None:
            for name in count():
                wrong = {"name": f"guest {number} {name}", "password": "a wrong password"}
                with contextlib.suppress(httpx.HTTPError, OSError):
                    answer = await browser.post("/api/login", json=wrong, headers=token)
                    answers[answer.status_code] += 1

        await asyncio.gather(*map(one_after_the_other, range(GUESSING)))


def abused(
    rooms: int,
    seconds: float,
    player: Callable[[int, str, int, Tally, tuple[float, float]], Player],
    check: Callable[[str, Tally], Figures],
) -> Figures:
    """`player` makes a player, `check` finds what was acknowledged in the store."""
    with tempfile.TemporaryDirectory() as folder:
        store, port = str(Path(folder) / "site.db"), free_port()
        sessions = prepare(store, people=2 * rooms + 2, goals=rooms)
        tally = Tally()
        players = [
            player(port, each, number, tally, PAUSE) for number, each in enumerate(sessions[:-2])
        ]
        with served(store, port) as (process, _):
            figures = asyncio.run(measured(players, tally, sessions[-2:], port, seconds, process))
        return {"rooms": rooms, "seconds_each": seconds, **figures, **check(store, tally)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_abuse(int(sys.argv[1]), *sys.argv[2:]))), flush=True)
