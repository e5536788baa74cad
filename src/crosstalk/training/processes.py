"""One process, or several under `torchrun` that train one network together.

with joined() as processes:
    network = processes.shared(network)
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import torch
from torch import distributed, nn

PATIENCE = timedelta(hours=6)
"""Timeout of the process group: the others wait while the first process validates."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Rank, number and device of this process."""

    rank: int = 0
    count: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @property
    def is_first(self) -> bool:
        """The first process validates, reports and writes; the others only train."""
        return self.rank == 0

    def shared(self, network: nn.Module) -> nn.Module:
        """The network to call in training: gradients are averaged over processes."""
        if self.count == 1:
            return network
        return nn.parallel.DistributedDataParallel(network)

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
    count = int(os.environ.get("WORLD_SIZE", "1"))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if cuda else None
    if count == 1:
        yield Processes(device=device or torch.device("cpu"))
        return
    distributed.init_process_group("nccl" if cuda else "gloo", timeout=PATIENCE)
    try:
        yield Processes(distributed.get_rank(), count, device or torch.device("cpu"))
        distributed.barrier()  # one that leaves while another still talks to it may abort
    finally:
        gc.collect()  # a shared network that outlives its group may abort the process at its end
        distributed.destroy_process_group()
