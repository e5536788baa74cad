"""One process, or several under `torchrun` that train one network together.

with joined() as processes:
    network.to(processes.device)
    loss.backward()
    processes.average_gradients(network.parameters())
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from crosstalk.training import compute

import torch  # isort: skip
from torch import Tensor, distributed, nn  # isort: skip

T = TypeVar("T")
PATIENCE = timedelta(hours=6)
"""Timeout of the process group: the others wait while the first process validates."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Rank, number and device of this process."""

    rank: int = 0
    count: int = 1
    device: torch.device = field(default_factory=compute.device)

    @property
    def is_first(self) -> bool:
        """The first process validates, reports and writes; the others only train."""
        return self.rank == 0

    def average_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace every gradient by its mean over all processes, in one message.

        A weight that this process has not used counts as a gradient of zero.
        """
        if self.count == 1:
            return
        learnt = [each for each in parameters if each.requires_grad]
        for each in learnt:
            each.grad = torch.zeros_like(each) if each.grad is None else each.grad
        held: list[Tensor] = [each.grad for each in learnt if each.grad is not None]
        together = torch.cat([gradient.flatten() for gradient in held])
        distributed.all_reduce(together)
        together /= self.count
        parts = torch.split(together, [gradient.numel() for gradient in held])
        for gradient, part in zip(held, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def own(self, batches: Sequence[T]) -> Sequence[T]:
        """The batches that fall to this process; every process gets equally many."""
        whole = len(batches) // self.count * self.count or len(batches)
        return batches[self.rank : whole : self.count] or batches[:1]

    def agreed(self, number: float) -> float:
        """The number of the first process, in all processes."""
        if self.count == 1:
            return number
        told = torch.tensor([number], dtype=torch.float64, device=self.device)
        distributed.broadcast(told, src=0)
        return float(told)


@contextmanager
def joined() -> Iterator[Processes]:
    """The process group of torchrun, read from the environment; one process without torchrun."""
    count, device = int(os.environ.get("WORLD_SIZE", "1")), compute.device()
    if count == 1:
        yield Processes(device=device)
        return
    backend = "nccl" if device.type == "cuda" else "gloo"
    distributed.init_process_group(backend, timeout=PATIENCE)
    try:
        yield Processes(distributed.get_rank(), count, device)
        distributed.barrier()  # one that leaves while another still talks to it may abort
    finally:
        distributed.destroy_process_group()
