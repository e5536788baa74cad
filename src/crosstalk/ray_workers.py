"""The same function over many tasks on a Ray cluster (`pip install ray`)."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import ray

from crosstalk.errors import InputError
from crosstalk.workers import AHEAD, in_order

Task = TypeVar("Task")
Result = TypeVar("Result")


def over_ray(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """In order; connects to the cluster of RAY_ADDRESS or of this machine."""
    connect()
    cluster: Any = ray  # whose types are there only where it is installed
    task = cluster.remote(_call)
    return in_order(
        tasks,
        submit=lambda each: task.remote(function, each),
        result=cluster.get,
        ahead=AHEAD * max(1, int(cluster.cluster_resources().get("CPU", 1))),
    )


def _call(function: Callable[[Task], Result], task: Task) -> Result:
    return function(task)


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
