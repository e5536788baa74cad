"""Encoders of `transformers` that lie on this machine, by folder or by name.

Nothing is ever downloaded: a name finds what is here already. Weights are read from safetensors
only.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read once, when transformers is imported

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
    place = str(Path(name) / FOLDER) if (Path(name) / FOLDER).is_dir() else name
    try:
        config = AutoConfig.from_pretrained(place, local_files_only=True)
        _refuse_other_kinds(name, config)
        tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True)
        network, told = kind.from_pretrained(
            place,
            config=config,
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except InputError:
        raise
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError,
    ) as error:  # fmt: skip
        raise unusable(name, (str(error).strip() or repr(error)).splitlines()[0]) from error
    return LocalEncoder(config, tokenizer, network, tuple(sorted(told["missing_keys"])))


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
