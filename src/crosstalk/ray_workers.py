"""The same function over many tasks on a Ray cluster (`pip install ray`)."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import ray

from crosstalk.errors import InputError
from crosstalk.workers import AHEAD

Task = TypeVar("Task")
Result = TypeVar("Result")


def over_ray(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """In order; connects to the cluster of RAY_ADDRESS or of this machine."""
    connect()
    task = ray.remote(function)
    ahead = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting: deque[ray.ObjectRef[Result]] = deque()
    for each in tasks:
        waiting.append(task.remote(each))
        if len(waiting) >= ahead:
            yield ray.get(waiting.popleft())
    while waiting:
        yield ray.get(waiting.popleft())


def connect() -> None:
    """Raise, in words, where there is no cluster."""
    try:
        if not ray.is_initialized():
            ray.init(address="auto", log_to_driver=False, logging_level=logging.WARNING)
    except ConnectionError as error:
        raise InputError(
            "no Ray cluster was found",
            remedy="Start one (`ray start --head`), or name one in RAY_ADDRESS.",
        ) from error
