"""The same function over many tasks on a Ray cluster (`pip install ray`)."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import ray

from crosstalk.errors import InputError
from crosstalk.workers import AHEAD, in_order

Task = TypeVar("Task")
Result = TypeVar("Result")


def over_ray(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """In order."""
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
    """To the cluster of RAY_ADDRESS, else to one on this machine, which is started if need be."""
    if ray.is_initialized():
        return
    try:
        _begin(address="auto")
    except ConnectionError as error:
        if address := os.environ.get("RAY_ADDRESS"):
            raise InputError(
                f"RAY_ADDRESS {address}: no Ray cluster answers there",
                remedy="Start it (`ray start --head`), or unset RAY_ADDRESS to use this machine.",
            ) from error
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
        _begin(include_dashboard=False)  # ends with this process


def _begin(**options: Any) -> None:
    ray.init(log_to_driver=False, logging_level=logging.WARNING, **options)
