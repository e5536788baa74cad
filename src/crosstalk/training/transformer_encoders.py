"""The one loader and wrapper of pretrained transformers: tokenizer, network, batching, pooling.

    load_transformer("models/xlm-r", AutoModel).mean_vectors(["a cheap hotel"])

A name is a folder or a model in the local cache of `transformers`; nothing is downloaded. Weights
are read from safetensors only. BERTNLU, the published retriever and tracker, specialisation and the
sentence rankers use it; encoders with random weights are in `small_encoders.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.files import sha256_of
from crosstalk.training.compute import autocast, device
from crosstalk.training.encoder_conversion import COMMAND, OLD, needs_conversion

try:
    import torch
    from safetensors import SafetensorError
    from torch import Tensor, nn
    from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer
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
LARGEST = {
    "vocab_size": 2_000_000,
    "hidden_size": 16_384,
    "intermediate_size": 65_536,
    "num_hidden_layers": 200,
    "max_position_embeddings": 1_000_000,
}
"""Field of a config -> the largest size that is loaded."""
UNREADABLE: Final = (
    OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError,
)  # fmt: skip
"""What `transformers` raises for folders that are not what it expects."""
DIALOGUE_TOKENS: Final = ("[URL]", "[SYS]", "[USR]")
"""Added to the vocabulary of masked language models, as published: addresses, and speakers."""
POSITION_OFFSET: Final = 2
"""RoBERTa and its relatives count positions from 2."""


class UnusableEncoder(InputError):
    """A name or folder that is not a usable encoder; `problem` says why."""

    def __init__(self, name: str, problem: str, remedy: str = "") -> None:
        self.problem = problem
        super().__init__(
            f"--encoder {name}: cannot be used: {problem}",
            remedy=remedy
            or "Give a folder with config.json, model.safetensors and the files of a "
            "tokenizer, as save_pretrained of transformers writes them for BERT, XLM-R and their "
            "kin. Nothing is downloaded; a small encoder from nothing needs none.",
        )


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """The size of an encoder with random weights."""

    layers: int = 2
    width: int = 128
    heads: int = 4
    inner: int = 256
    positions: int = 512

    def settings(self, vocabulary: int) -> dict[str, Any]:
        """Return keyword arguments for a configuration class of `transformers`."""
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
class TransformerEncoder:
    """A network with its tokenizer; the network may have a head (masked language model)."""

    network: Any
    tokenizer: Any
    missing: tuple[str, ...] = ()
    """Weights that were not in the folder and start at random."""
    slips: bool = False
    """Whether rows are padded with 0 and all but 0 is attended to, as the published code does.

    In XLM-R padding is 1 and 0 is the start token, which is then never attended to.
    """

    @property
    def body(self) -> nn.Module:
        """The network without its head."""
        body: nn.Module = self.network.base_model
        return body

    @property
    def width(self) -> int:
        return int(self.network.config.hidden_size)

    @property
    def longest(self) -> int:
        """Maximum number of word pieces, special tokens included."""
        positions = getattr(self.network.config, "max_position_embeddings", 512 + POSITION_OFFSET)
        return int(positions) - POSITION_OFFSET

    def pieces(self, text: str) -> list[int]:
        """Word piece ids of a text, without special tokens."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False, verbose=False)
        return ids

    def mark(self, token: str) -> int:
        """The id of a special token such as `[SYS]`."""
        return int(self.tokenizer.convert_tokens_to_ids(token))

    def padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        return pad_rows(rows, self._padding)[0]

    def states(self, ids: Tensor) -> Tensor:
        """The last hidden states, batch x pieces x width, on the network's device.

        Padding is not attended to.
        """
        ids = ids.to(self._device)
        attended = (ids != self._padding).long()
        states: Tensor = self.body(input_ids=ids, attention_mask=attended).last_hidden_state
        return states

    def masked_predictions(self, ids: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """The last hidden states, and the head's logits for the pieces marked in `asked`.

        Where the head is one module it sees those pieces only: it is the most expensive part of a
        small network. Where it is several, the whole network is called.
        """
        ids, asked = ids.to(self._device), asked.to(self._device)
        head = getattr(self.network, "lm_head", None) or getattr(self.network, "cls", None)
        if head is not None:
            states = self.states(ids)
            return states, head(states[asked])
        attended = (ids != self._padding).long()
        found = self.network(input_ids=ids, attention_mask=attended, output_hidden_states=True)
        return found.hidden_states[-1], found.logits[asked]

    def mean_vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector per text: the mean of the last hidden states over its word pieces."""
        self.network.to(device())
        batch = self.tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
        batch = batch.to(self._device)
        with torch.no_grad(), autocast():
            states = self.network(**batch).last_hidden_state.float()
        mask = batch["attention_mask"].unsqueeze(-1)
        return np.asarray(((states * mask).sum(1) / mask.sum(1)).cpu().numpy(), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Write the folder that `load_transformer` reads, in full precision."""
        folder.mkdir(parents=True, exist_ok=True)
        self.network.save_pretrained(folder, safe_serialization=True)
        self.tokenizer.save_pretrained(folder)

    def save_in_half_precision(self, folder: Path) -> None:
        from crosstalk.training.network_files import save_halves

        folder.mkdir(parents=True, exist_ok=True)
        self.network.config.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        save_halves(folder / WEIGHTS, self.network.state_dict(), {"format": "pt"})

    @property
    def _device(self) -> torch.device:
        found: torch.device = self.network.device
        return found

    @property
    def _padding(self) -> int:
        return 0 if self.slips else int(self.tokenizer.pad_token_id)


def pad_rows(rows: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
    """Rows of ids as one tensor, and a mask that is 1 where a row has an id."""
    size = max(map(len, rows))
    padded = torch.full((len(rows), size), padding)
    mask = torch.zeros(len(rows), size, dtype=torch.long)
    for row, ids in enumerate(rows):
        padded[row, : len(ids)] = torch.tensor(ids)
        mask[row, : len(ids)] = 1
    return padded, mask


def load_transformer(name: str, kind: Any) -> TransformerEncoder:
    """Load a folder, a model folder of ours, or a model of this name in the local cache.

    `kind` is the class of `transformers` that builds the network: with a head, or without. Raises
    `UnusableEncoder` for anything that is not an encoder.
    """
    place, config = _place(name), config_of(name)
    if needs_conversion(Path(place)):
        raise UnusableEncoder(
            name,
            f"its weights are in {OLD}, which could run code when it is read",
            remedy=f"Convert it, which runs nothing: {COMMAND.format(folder=name)}",
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=True)
        network, info = kind.from_pretrained(
            place,
            config=config,
            local_files_only=True,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    except UNREADABLE as error:
        raise UnusableEncoder(name, _problem(config, error)) from error
    return TransformerEncoder(network, tokenizer, tuple(sorted(info["missing_keys"])))


def load_masked_lm(name: str) -> TransformerEncoder:
    """Load an encoder with its masked-language-model head and add the dialogue tokens.

    The head may be missing, and starts at random; the body may not.
    """
    encoder = load_transformer(name, AutoModelForMaskedLM)
    _check_mask_tokenizer(name, encoder.tokenizer)
    _check_body_weights(name, encoder)
    return with_dialogue_tokens(encoder)


def with_dialogue_tokens(encoder: TransformerEncoder) -> TransformerEncoder:
    """Add `DIALOGUE_TOKENS` to the vocabulary, with vectors."""
    encoder.tokenizer.add_special_tokens({"additional_special_tokens": list(DIALOGUE_TOKENS)})
    if len(encoder.tokenizer) > encoder.network.get_input_embeddings().num_embeddings:
        encoder.network.resize_token_embeddings(len(encoder.tokenizer), mean_resizing=False)
    return encoder


def _check_mask_tokenizer(name: str, tokenizer: Any) -> None:
    needed = ("cls_token_id", "sep_token_id", "pad_token_id", "mask_token_id")
    if missing := [each for each in needed if getattr(tokenizer, each, None) is None]:
        raise UnusableEncoder(name, f"its tokenizer has no {missing[0].removesuffix('_id')}")
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
        raise UnusableEncoder(
            name, "there is no tokenizer in this folder, or one that knows no words"
        )


def _check_body_weights(name: str, encoder: TransformerEncoder) -> None:
    prefix = f"{encoder.network.base_model_prefix}."
    body = [each for each in encoder.missing if each.startswith(prefix)]
    if len(body) > len(list(encoder.body.parameters())) // 2:
        raise UnusableEncoder(
            name, f"its weights are of another model: {body[0]} is not among them"
        )


def config_of(name: str) -> Any:
    """Read `config.json` without the weights; refuses what is not an encoder."""
    place = Path(_place(name))
    if place.is_file():
        raise UnusableEncoder(name, "a file; a folder is expected")
    if place.is_dir() and not (place / "config.json").is_file():
        raise UnusableEncoder(name, "there is no config.json in this folder")
    try:
        config = AutoConfig.from_pretrained(_place(name), local_files_only=True)
    except UNREADABLE as error:
        nowhere = "no such folder is here, and no model of this name lies on this machine"
        raise UnusableEncoder(name, _first_line(error) if place.is_dir() else nowhere) from error
    _refuse_other_kinds(name, config)
    _refuse_huge(name, config)
    return config


def _refuse_huge(name: str, config: Any) -> None:
    """Refuse sizes for which memory would be asked before the weights are seen not to fit."""
    for size, most in LARGEST.items():
        if (found := getattr(config, size, 0) or 0) > most:
            raise UnusableEncoder(name, f"its {size} is {found:,}; at most {most:,} is loaded")


def identity_of(name: str) -> str:
    """Return the digest of a folder's weights; for a model in the local cache, its name."""
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
        raise UnusableEncoder(name, f"a {config.model_type} model writes text; it is no encoder")
    if not isinstance(getattr(config, "hidden_size", None), int):
        raise UnusableEncoder(name, f"a {config.model_type} model has no hidden size")
