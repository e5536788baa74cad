"""The one place that decides on what networks are computed: device, precision and threads.

    with computing(Compute("cuda:1", "bf16")):
        train_into(job, source, data=file)

Every command that trains or scores a network has `--device` and `--precision`, which come here. The
number of processes is torchrun's (`processes.py`). torch is imported only when a network is built.
"""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crosstalk.errors import InputError

if TYPE_CHECKING:
    import torch

AUTO: Final = "auto"
PRECISIONS: Final = (AUTO, "fp32", "bf16")
DEVICE: Final = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


@dataclass(frozen=True, slots=True)
class Compute:
    """What was asked for; `auto` takes the best that the machine has."""

    device: str = AUTO
    """auto, cpu, cuda, cuda:N or mps."""
    precision: str = AUTO
    """fp32; bf16: mixed precision, weights in fp32; auto: bf16 on GPUs that compute with it."""

    def __post_init__(self) -> None:
        if not DEVICE.fullmatch(self.device):
            raise InputError(
                f"--device {self.device}: unknown", remedy="Give auto, cpu, cuda, cuda:N or mps."
            )
        if self.precision not in PRECISIONS:
            raise InputError(
                f"--precision {self.precision}: unknown",
                remedy=f"Give {', '.join(PRECISIONS)}.",
            )


VARIABLES: Final = ("CROSSTALK_DEVICE", "CROSSTALK_PRECISION")
"""Environment variables, as torchrun's are: worker processes inherit what was asked for."""


def chosen() -> Compute:
    """What `computing` was given, or the environment says; else everything is `auto`."""
    return Compute(*(os.environ.get(name) or AUTO for name in VARIABLES))


@contextmanager
def computing(compute: Compute) -> Iterator[None]:
    """Networks that are trained or used inside, and in processes begun there, are computed so."""
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(zip(VARIABLES, (compute.device, compute.precision), strict=True))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})


def device() -> "torch.device":
    """The device of networks; raises `InputError` if this machine does not have what was asked."""
    import torch

    wanted = chosen().device
    if wanted == AUTO:
        wanted = _best_device()
    if wanted.startswith("cuda"):
        return _gpu(wanted)
    if wanted == "mps" and not torch.backends.mps.is_available():
        raise _absent(wanted)
    return torch.device(wanted)


def _best_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() and _processes() == 1 else "cpu"


def _gpu(wanted: str) -> "torch.device":
    """The GPU of that number; of several processes each has its own."""
    import torch

    _, _, number = wanted.partition(":")
    if number and _processes() > 1:
        raise InputError(
            f"--device {wanted}: {_processes()} processes cannot share it",
            remedy="Give --device cuda: each process takes a GPU of its own.",
        )
    place = int(number or os.environ.get("LOCAL_RANK", "0"))
    if not torch.cuda.is_available() or place >= torch.cuda.device_count():
        raise _absent(f"cuda:{place}")
    return torch.device("cuda", place)


def _processes() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Tell whether this is the only process, or the first one of torchrun."""
    return os.environ.get("RANK", "0") == "0"


def _absent(wanted: str) -> InputError:
    return InputError(
        f"--device {wanted}: torch finds no such device on this machine",
        remedy="Give --device cpu, or install a build of torch for the device.",
    )


def precision() -> str:
    """`fp32` or `bf16`."""
    import torch

    wanted = chosen().precision
    if wanted != AUTO:
        return wanted
    return "bf16" if device().type == "cuda" and torch.cuda.is_bf16_supported() else "fp32"


def autocast() -> AbstractContextManager[object]:
    """A context in which networks compute in the precision that was asked for."""
    import torch

    if precision() == "fp32":
        return nullcontext()
    return torch.autocast(device().type, torch.bfloat16)


def use_single_thread() -> None:
    """Use one thread of a CPU, for small networks.

    Sums then have one order, so that weights have the same bytes on any number of cores; and small
    products are slower on several threads, which wait for each other.
    """
    import torch

    torch.set_num_threads(1)
