"""Checkpoints of the training of a network: one safetensors file, replaced after every epoch."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.files import writing_binary
from crosstalk.model_folders import CHECKPOINT as CHECKPOINT
from crosstalk.training.identity import Identity, cannot_go_on
from crosstalk.training.progress import Progress

try:
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import save
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"training a network needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

CHANCE = "chance"
"""Key of the state of torch's random generator."""
Weights = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file to resume from if it exists, and to write after every epoch."""

    file: Path
    identity: Identity
    writes: bool = True
    """False for all but the first of several processes that train together."""


def copied(network: nn.Module) -> Weights:
    return {name: each.detach().clone() for name, each in network.state_dict().items()}


def save_checkpoint(
    checkpoint: Checkpoint,
    progress: Progress,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    best: Weights,
) -> None:
    if not checkpoint.writes:
        return
    tensors = {f"now.{name}": each for name, each in network.state_dict().items()}
    tensors |= {f"best.{name}": each for name, each in best.items()}
    tensors |= _optimizer_tensors(optimizer)
    tensors[CHANCE] = torch.get_rng_state()
    about = {
        "identity": checkpoint.identity.to_json(),
        "progress": json.dumps(asdict(progress)),
        "groups": json.dumps(optimizer.state_dict()["param_groups"]),
    }
    unshared = {name: each.detach().clone().contiguous() for name, each in tensors.items()}
    with writing_binary(checkpoint.file) as raw:
        raw.write(save(unshared, about))


def load_checkpoint(
    checkpoint: Checkpoint, network: nn.Module, optimizer: torch.optim.Optimizer, best: Weights
) -> Progress:
    """Restore the network, the optimizer and the best weights.

    Where there is no file, nothing has been learnt yet.
    """
    if not checkpoint.file.exists():
        return Progress()
    try:
        with safe_open(checkpoint.file, "pt") as stored:
            about = stored.metadata() or {}
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
        checkpoint.identity.refuse_other(about["identity"], checkpoint.file)
        network.load_state_dict(_below("now.", tensors))
        best.clear()
        best.update(_below("best.", tensors))
        if CHANCE in tensors:
            torch.set_rng_state(tensors[CHANCE])
        optimizer.load_state_dict(_optimizer_state(tensors, json.loads(about["groups"])))
        return Progress(**json.loads(about["progress"]))
    except (OSError, SafetensorError, KeyError, ValueError, TypeError, RuntimeError) as error:
        raise cannot_go_on(checkpoint.file, f"it cannot be read: {error}") from error


def _optimizer_tensors(optimizer: torch.optim.Optimizer) -> Weights:
    return {
        f"optimizer.{number}.{name}": each
        for number, state in optimizer.state_dict()["state"].items()
        for name, each in state.items()
        if isinstance(each, Tensor)
    }


def _optimizer_state(tensors: Weights, groups: list[dict[str, Any]]) -> dict[str, Any]:
    states: dict[int, Weights] = {}
    for name, each in _below("optimizer.", tensors).items():
        number, _, kind = name.partition(".")
        states.setdefault(int(number), {})[kind] = each
    return {"state": states, "param_groups": groups}


def _below(prefix: str, tensors: Weights) -> Weights:
    return {
        name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)
    }
