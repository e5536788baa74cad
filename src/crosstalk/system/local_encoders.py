"""Encoders of `transformers` that lie on this machine, by folder or by name.

Nothing is ever downloaded: a name finds what is here already. Weights are read from safetensors
only.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.files import sha256_of

try:
    import torch
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoTokenizer
    from transformers.utils import logging
except ModuleNotFoundError as error:
    raise InputError(
        f"encoders need {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

logging.set_verbosity_error()  # type: ignore[no-untyped-call]
logging.disable_progress_bar()  # type: ignore[no-untyped-call]

FOLDER: Final = "encoder"
"""Inside a model folder: an encoder that `transformers` itself can load."""
WEIGHTS: Final = "model.safetensors"
UNREADABLE: Final = (
    OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError,
)  # fmt: skip
"""What `transformers` raises for folders that are not what it expects."""


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """Of an encoder that starts from nothing."""

    layers: int = 2
    width: int = 128
    heads: int = 4
    inner: int = 256
    positions: int = 512

    def settings(self, vocabulary: int) -> dict[str, Any]:
        """What a configuration of `transformers` calls it."""
        return {
            "vocab_size": vocabulary,
            "hidden_size": self.width,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.inner,
            "max_position_embeddings": self.positions,
            # dropout costs a third of the time on a processor; heads may have theirs
            "attention_probs_dropout_prob": 0.0,
            "hidden_dropout_prob": 0.0,
        }


@dataclass(frozen=True, slots=True)
class LocalEncoder:
    """What was loaded."""

    config: Any
    tokenizer: Any
    network: Any
    missing: tuple[str, ...]
    """Weights that were not there and start at random."""


def load_local(name: str, kind: Any) -> LocalEncoder:
    """`name`: a folder, a model folder of ours, or the name of a model in the local cache.

    `kind` is the class of `transformers` that builds the network: with a head, or without.
    """
    place, config = _place(name), config_of(name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True)
        network, told = kind.from_pretrained(
            place,
            config=config,
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except UNREADABLE as error:
        raise unusable(name, _problem(config, error)) from error
    return LocalEncoder(config, tokenizer, network, tuple(sorted(told["missing_keys"])))


def config_of(name: str) -> Any:
    """What `config.json` says, without the weights."""
    place = Path(_place(name))
    if place.is_file():
        raise unusable(name, "a file; a folder is expected")
    if place.is_dir() and not (place / "config.json").is_file():
        raise unusable(name, "there is no config.json in this folder")
    try:
        config = AutoConfig.from_pretrained(_place(name), local_files_only=True)
    except UNREADABLE as error:
        nowhere = "no such folder is here, and no model of this name lies on this machine"
        raise unusable(name, _first_line(error) if place.is_dir() else nowhere) from error
    _refuse_other_kinds(name, config)
    return config


def identity_of(name: str) -> str:
    """The digest of a folder's weights; a name in the local cache stands for itself."""
    weights = Path(_place(name)) / WEIGHTS
    return sha256_of(weights) if weights.is_file() else name


def _place(name: str) -> str:
    inside = Path(name) / FOLDER
    return str(inside) if inside.is_dir() else name


def _problem(config: Any, error: Exception) -> str:
    if isinstance(error, SafetensorError):
        return f"{WEIGHTS} is damaged: {_first_line(error)}"
    if "Unrecognized configuration class" in str(error):
        return f"a {config.model_type} model is not of the kind that is needed; it is no encoder"
    return _first_line(error)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or repr(error)).splitlines()[0]


def _refuse_other_kinds(name: str, config: Any) -> None:
    if getattr(config, "is_encoder_decoder", False) or getattr(config, "is_decoder", False):
        raise unusable(name, f"a {config.model_type} model writes text; it is no encoder")
    if not isinstance(getattr(config, "hidden_size", None), int):
        raise unusable(name, f"a {config.model_type} model has no hidden size")


def unusable(name: str, problem: str) -> InputError:
    return InputError(
        f"--encoder {name}: cannot be used: {problem}",
        remedy="Give a folder with config.json, model.safetensors and the files of a tokenizer, "
        "as save_pretrained of transformers writes them for BERT, XLM-R and their kin. Nothing is "
        "downloaded; a small encoder from nothing needs none.",
    )
