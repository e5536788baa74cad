"""The Ray engine: the same sessions on the workers of a Ray cluster (`pip install ray`).

Connects to the cluster that RAY_ADDRESS names, or to the one running on this machine.
"""

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache

import ray

from crosstalk.errors import InputError
from crosstalk.evaluation.engines import AHEAD, Batch, Lines, held
from crosstalk.evaluation.sessions import Rules
from crosstalk.pipelines.build import Setup, Stage, build


def on_ray(batches: Iterable[Batch], setup: Setup, rules: Rules) -> Iterator[Lines]:
    """In order, like every engine; a worker builds its stage with its first batch."""
    task = ray.remote(_held_there)
    ahead = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting: deque[ray.ObjectRef[Lines]] = deque()
    for batch in batches:
        waiting.append(task.remote(batch, setup, rules))
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


def _held_there(batch: Batch, setup: Setup, rules: Rules) -> Lines:
    return held(batch, _stage(setup), rules)


@lru_cache(maxsize=1)
def _stage(setup: Setup) -> Stage:
    return build(setup)
