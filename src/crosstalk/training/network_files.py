"""The files of a network: weights in half precision, and a config that says what they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing_binary
from crosstalk.training.config import CONFIG, read_config

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NetworkKind:
    """What a folder should hold, and how a person makes one."""

    kind: str
    """As its config says it."""
    version: int
    name: str
    """For people."""
    command: str
    """That trains one."""

    def read_config(self, folder: Path, config: type[T]) -> T:
        """The typed config of a folder; one of another kind or version is refused."""
        raw = read_json(folder / CONFIG)
        if not isinstance(raw, dict) or raw.get("kind") != self.kind:
            raise self.unusable(folder / CONFIG, f"it does not describe a {self.name}")
        if (found := raw.get("version")) != self.version:
            raise self.unusable(folder / CONFIG, f"its version is {found!r}, not {self.version}")
        return read_config(folder, config)

    def load(self, file: Path, network: nn.Module, known: Mapping[str, Tensor]) -> None:
        """Fill the network from a file, and from what is `known` already."""
        try:
            found = {name: each.float() for name, each in load_file(file).items()}
            network.load_state_dict({**known, **found})
        except (OSError, SafetensorError, RuntimeError) as error:
            problem = str(error).splitlines()[-1].strip()
            raise self.unusable(file, f"they do not fit the vocabulary: {problem}") from error
        if not all(bool(torch.isfinite(each).all()) for each in network.state_dict().values()):
            raise self.unusable(file, "some weights are not numbers")

    def unusable(self, file: Path, problem: str) -> FileProblem:
        return FileProblem(
            f"{file}: this {self.name} cannot be used: {problem}",
            remedy=f"Restore the folder, or train it: {self.command}",
        )


def save_halves(file: Path, tensors: Mapping[str, Tensor], about: dict[str, str]) -> None:
    halves = {name: each.half().cpu().contiguous() for name, each in tensors.items()}
    with writing_binary(file) as raw:
        raw.write(save(halves, about))
