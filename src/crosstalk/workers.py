"""The same function over many tasks: here, in processes of this machine, or on a Ray cluster.

Results come back in the order of the tasks, always, so that what is made of them is the same for
any number of workers.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from crosstalk.errors import CrosstalkError

AHEAD = 2
"""Tasks waiting or finished early, for each worker; bounds what is kept in memory."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class WorkerLost(CrosstalkError):
    """A worker process died."""


def over(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, workers: int
) -> Iterator[Result]:
    """`function` must be importable by its name, as worker processes need."""
    return map(function, tasks) if workers <= 1 else _in_processes(function, tasks, workers)


def _in_processes(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[Result]:
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),  # the same on every system
        initializer=prepare_worker,
    )
    try:
        yield from in_order(tasks, lambda task: pool.submit(function, task), AHEAD * workers)
    except BrokenProcessPool as error:
        raise WorkerLost(
            "a worker process died: it was killed or ran out of memory",
            remedy="What was finished is kept; run the command again with --resume.",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(
    tasks: Iterable[Task], submit: Callable[[Task], "Future[Result]"], ahead: int
) -> Iterator[Result]:
    """The result of every task in order, with at most `ahead` of them under way."""
    waiting: deque[Future[Result]] = deque()
    for task in tasks:
        waiting.append(submit(task))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def prepare_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """A killed parent cannot tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
