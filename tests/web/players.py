"""Players of the benchmarks, in tests: run them, and wait until they have said enough."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.players import Tally


def in_a_thread(work: Coroutine[Any, Any, None]) -> None:
    """Another test of the same process may have left an event loop in the main thread."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def acknowledged(tally: Tally, more: int) -> None:
    """Wait until so many more messages were acknowledged: the server is in the midst of others."""
    wanted = more + sum(map(len, tally.acked.values()))
    while sum(map(len, tally.acked.values())) < wanted:
        await asyncio.sleep(0.005)
