"""The same function over many tasks: here, in processes of this machine, or on a Ray cluster.

Results come back in the order of the tasks, always, so that what is made of them is the same for
any number of workers.
"""

import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from crosstalk.errors import CrosstalkError, InputError

AHEAD = 4
"""Maximum number of waiting or finished tasks per worker, which bounds memory."""

Task = TypeVar("Task")
Result = TypeVar("Result")
Promise = TypeVar("Promise")


class WorkerLost(CrosstalkError):
    """A worker process died."""


def over(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, workers: int
) -> Iterator[Result]:
    """`function` must be importable by its name, as worker processes need."""
    return map(function, tasks) if workers <= 1 else _in_processes(function, tasks, workers)


def over_cluster(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """The same on a Ray cluster; raises an error at once if there is none."""
    connect()
    import ray

    cluster: Any = ray  # whose types are there only where it is installed
    task = cluster.remote(_call)
    return in_order(
        tasks,
        submit=lambda each: task.remote(function, each),
        result=cluster.get,
        ahead=AHEAD * max(1, int(cluster.cluster_resources().get("CPU", 1))),
    )


def connect() -> None:
    """To the cluster of RAY_ADDRESS, else to one on this machine, which is started if need be."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise InputError(
            "the engine ray needs Ray, which is not installed",
            remedy="pip install 'crosstalk-dialogue[ray]'",
        ) from error
    if ray.is_initialized():
        return
    begin = partial(ray.init, log_to_driver=False, logging_level=logging.WARNING)
    try:
        begin(address="auto")
    except ConnectionError as error:
        if address := os.environ.get("RAY_ADDRESS"):
            raise InputError(
                f"RAY_ADDRESS {address}: no Ray cluster answers there",
                remedy="Start it (`ray start --head`), or unset RAY_ADDRESS to use this machine.",
            ) from error
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
        begin(include_dashboard=False)  # ends with this process


def _call(function: Callable[[Task], Result], task: Task) -> Result:
    return function(task)


def _in_processes(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[Result]:
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),  # the same on every system
        initializer=_prepare_worker,
    )
    try:
        yield from in_order(
            tasks,
            submit=lambda task: pool.submit(function, task),
            result=lambda future: future.result(),
            ahead=AHEAD * workers,
        )
    except BrokenProcessPool as error:
        raise WorkerLost(
            "a worker process died: it was killed, ran out of memory or crashed",
            remedy="What was finished is kept; run the command again with --resume.",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(
    tasks: Iterable[Task],
    *,
    submit: Callable[[Task], Promise],
    result: Callable[[Promise], Result],
    ahead: int,
) -> Iterator[Result]:
    """The result of every task in order, with at most `ahead` of them under way."""
    waiting: deque[Promise] = deque()
    for task in tasks:
        waiting.append(submit(task))
        if len(waiting) >= ahead:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())


def _prepare_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """A killed parent cannot tell its workers to stop."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
