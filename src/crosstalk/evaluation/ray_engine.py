"""The Ray engine: the same sessions on the workers of a Ray cluster (`pip install ray`).

Connects to the cluster that RAY_ADDRESS names, or to one on this machine, started if need be.
"""

from collections.abc import Iterable, Iterator

from crosstalk.evaluation.engines import Batch, Holder, Lines
from crosstalk.evaluation.sessions import Rules
from crosstalk.ray_workers import connect, over_ray
from crosstalk.simulation.build import Setup

__all__ = ["connect", "on_ray"]


def on_ray(batches: Iterable[Batch], setup: Setup, rules: Rules) -> Iterator[Lines]:
    """In order, like every engine."""
    return over_ray(Holder(setup, rules), batches)
