"""Where a training of the SC-LSTM stands, on disk: one safetensors file, exchanged every epoch."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import writing_binary

try:
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import save
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"training the SC-LSTM needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

Parts = tuple[nn.Module, torch.optim.Optimizer, dict[str, Tensor]]
"""The network, Adam, and the weights of the best epoch so far."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training has come; losses are those of the validation, a word on average."""

    epoch: int = 0
    loss: float = float("inf")
    best_epoch: int = 0
    best_loss: float = float("inf")
    seconds: float = 0
    """Spent on all epochs together."""

    @property
    def stale(self) -> int:
        """Epochs since the best one."""
        return self.epoch - self.best_epoch

    def after(self, loss: float, seconds: float) -> "Progress":
        """One epoch later, which took so many seconds."""
        epoch, spent = self.epoch + 1, round(self.seconds + seconds, 1)
        if loss < self.best_loss:
            return Progress(epoch, loss, epoch, loss, spent)
        return Progress(epoch, loss, self.best_epoch, self.best_loss, spent)


def save_checkpoint(file: Path, identity: str, progress: Progress, parts: Parts) -> None:
    """`identity` names what is trained, so that nothing else goes on from here."""
    network, optimizer, best = parts
    tensors = {f"now.{name}": each for name, each in network.state_dict().items()}
    tensors |= {f"best.{name}": each for name, each in best.items()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{name}": each for name, each in state.items()}
    about = {"identity": identity, "progress": json.dumps(asdict(progress))}
    with writing_binary(file) as raw:
        raw.write(save(tensors, about))


def load_checkpoint(file: Path, identity: str, parts: Parts) -> Progress:
    """Puts the network, Adam and the best weights where they stood."""
    try:
        with safe_open(file, "pt") as stored:
            about = stored.metadata() or {}
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
        if about.get("identity") == identity:
            _restore(tensors, parts)
            return Progress(**json.loads(about["progress"]))
    except (OSError, SafetensorError, KeyError, ValueError, TypeError, RuntimeError) as error:
        raise _unusable(file, f"it cannot be read: {error}") from error
    raise _unusable(file, "it belongs to a training on other data or with other settings")


def _restore(tensors: dict[str, Tensor], parts: Parts) -> None:
    network, optimizer, best = parts
    network.load_state_dict(_below("now.", tensors))
    best.update(_below("best.", tensors))
    states: dict[int, dict[str, Tensor]] = {}
    for name, each in _below("adam.", tensors).items():
        number, _, kind = name.partition(".")
        states.setdefault(int(number), {})[kind] = each
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): each for name, each in tensors.items() if name.startswith(prefix)
    }


def _unusable(file: Path, problem: str) -> FileProblem:
    return FileProblem(
        f"{file}: a training cannot go on from here: {problem}",
        remedy="Remove the file to start anew, or name another folder with --out.",
    )
