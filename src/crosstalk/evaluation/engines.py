"""Engines: who holds the sessions. The lines come back in the order of the sessions, always.

Hence a run is the same, byte for byte, however many workers there are and wherever they are.
"""

import json
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

from crosstalk.errors import CrosstalkError
from crosstalk.evaluation.sessions import Rules, Session, hold
from crosstalk.formats.encoding import encode_dialogue
from crosstalk.pipelines.build import Setup, Stage, build

BATCH = 10
"""Sessions handed out at once: about a tenth of a second of work."""
AHEAD = 4
"""Batches waiting or finished early, for each worker; bounds what is kept in memory."""

Batch = tuple[Session, ...]
Lines = list[str]


class WorkerLost(CrosstalkError):
    """A worker process died."""


def here(batches: Iterable[Batch], setup: Setup, rules: Rules) -> Iterator[Lines]:
    """One after the other, in this process."""
    stage = build(setup)
    return (held(batch, stage, rules) for batch in batches)


def in_processes(
    batches: Iterable[Batch], setup: Setup, rules: Rules, *, workers: int
) -> Iterator[Lines]:
    """In processes of this machine; each builds its own stage once."""
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),  # the same on every system
        initializer=_prepare,
        initargs=(setup, rules),
    )
    try:
        yield from in_order(batches, lambda batch: pool.submit(_held_here, batch), AHEAD * workers)
    except BrokenProcessPool as error:
        raise WorkerLost(
            "a worker process died: it was killed, ran out of memory, or a participant crashed it",
            remedy="What was finished is kept; run the command again with --resume.",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(
    batches: Iterable[Batch], submit: Callable[[Batch], "Future[Lines]"], ahead: int
) -> Iterator[Lines]:
    """The lines of every batch in order, with at most `ahead` of them under way."""
    waiting: deque[Future[Lines]] = deque()
    for batch in batches:
        waiting.append(submit(batch))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def batched(sessions: Iterable[Session], size: int = BATCH) -> Iterator[Batch]:
    remaining = iter(sessions)
    while batch := tuple(islice(remaining, size)):
        yield batch


def held(batch: Batch, stage: Stage, rules: Rules) -> Lines:
    """The dialogues of a batch, one line of the native format each."""
    return [
        json.dumps(encode_dialogue(hold(session, stage, rules)), ensure_ascii=False) + "\n"
        for session in batch
    ]


# In the worker processes


@dataclass(slots=True)
class _Worker:
    """What one worker process built when it started."""

    stage: Stage
    rules: Rules


_workers: list[_Worker] = []


def _prepare(setup: Setup, rules: Rules) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _workers[:] = [_Worker(build(setup), rules)]


def _leave_with_parent() -> None:
    """A killed parent cannot tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _held_here(batch: Batch) -> Lines:
    (worker,) = _workers
    return held(batch, worker.stage, worker.rules)
