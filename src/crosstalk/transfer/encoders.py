"""Encoders that are specialised and carried over: any of `transformers`, or `nano` from nothing.

Nothing is ever downloaded: a name finds what lies on this machine already. Weights are read from
safetensors only. The network keeps its masked-word head, so that each objective can follow any
other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

# First of all, because it keeps transformers offline.
from crosstalk.system.local_encoders import EncoderShape, config_of, load_local, unusable  # isort: skip

import torch
from tokenizers import decoders, models
from tokenizers.processors import TemplateProcessing
from torch import Tensor, nn
from transformers import (
    AutoModelForMaskedLM,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForMaskedLM,
)

from crosstalk.errors import InputError
from crosstalk.transfer.specialisation.vocabulary import cutter, learn_pieces

NANO: Final = "nano"
SMALL: Final = 256
"""The width from which on encoders learn at the published pace."""
SPECIAL: Final = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
"""In the order of XLM-R."""
MARKS: Final = ("[URL]", "[SYS]", "[USR]")
"""Added to every vocabulary, as published: web addresses, and who speaks."""
TOKENIZER_TEXTS: Final = 30_000
"""So many texts are enough for a small vocabulary: half a minute of one core."""


@dataclass(frozen=True, slots=True)
class NanoShape(EncoderShape):
    """Of an encoder from nothing: 2 layers of 96, some 0.6 million weights."""

    width: int = 96
    inner: int = 192
    positions: int = 258
    """256 word pieces: XLM-R counts from 2."""
    vocabulary: int = 4000


@dataclass(frozen=True, slots=True)
class TextEncoder:
    """A network that reads word pieces and guesses hidden ones, and what cuts texts into them."""

    network: Any
    """A `transformers` model for masked words."""
    tokenizer: Any
    slips: bool = False
    """Whether rows are filled up with 0 and all but 0 is attended to, as the published code has it.

    In XLM-R padding is 1 and 0 is the first mark, which then is never attended to.
    """

    @property
    def body(self) -> nn.Module:
        """Without the head."""
        body: nn.Module = self.network.base_model
        return body

    @property
    def width(self) -> int:
        return int(self.network.config.hidden_size)

    @property
    def longest(self) -> int:
        """Word pieces that fit, marks included; RoBERTa and its kin count positions from 2."""
        return int(getattr(self.network.config, "max_position_embeddings", 514)) - 2

    def pieces(self, text: str) -> list[int]:
        numbers: list[int] = self.tokenizer.encode(text, add_special_tokens=False, verbose=False)
        return numbers

    def mark(self, mark: str) -> int:
        return int(self.tokenizer.convert_tokens_to_ids(mark))

    def states(self, numbers: Tensor) -> Tensor:
        """The last states, batch by word piece by width; padding is not attended to."""
        seen = (numbers != self._padding).long()
        states: Tensor = self.body(input_ids=numbers, attention_mask=seen).last_hidden_state
        return states

    def guesses(self, numbers: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """The last states, and what the head says of the pieces that are asked about.

        Where the head is one part, it reads those pieces only: it is the dearest part of a small
        network. Where it is several, the network itself is called.
        """
        head = getattr(self.network, "lm_head", None) or getattr(self.network, "cls", None)
        if head is not None:
            states = self.states(numbers)
            return states, head(states[asked])
        seen = (numbers != self._padding).long()
        found = self.network(input_ids=numbers, attention_mask=seen, output_hidden_states=True)
        return found.hidden_states[-1], found.logits[asked]

    def padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        longest = max(map(len, rows))
        return torch.tensor([[*row, *[self._padding] * (longest - len(row))] for row in rows])

    @property
    def _padding(self) -> int:
        return 0 if self.slips else int(self.tokenizer.pad_token_id)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.network.save_pretrained(folder, safe_serialization=True)
        self.tokenizer.save_pretrained(folder)


def is_small(name: str) -> bool:
    """Whether an encoder learns at the pace of those from nothing: `nano`, and what grew of it."""
    return name == NANO or int(config_of(name).hidden_size) < SMALL


def load_encoder(name: str) -> TextEncoder:
    """`name`: a folder, a model folder of ours, or the name of a model in the local cache."""
    loaded = load_local(name, AutoModelForMaskedLM)
    _refuse_other_tokenizers(name, loaded.tokenizer)
    _refuse_other_weights(name, loaded.network, loaded.missing)
    return with_marks(TextEncoder(loaded.network, loaded.tokenizer))


def with_marks(encoder: TextEncoder) -> TextEncoder:
    """The marks as word pieces of their own, with vectors."""
    encoder.tokenizer.add_special_tokens({"additional_special_tokens": list(MARKS)})
    if len(encoder.tokenizer) > encoder.network.get_input_embeddings().num_embeddings:
        encoder.network.resize_token_embeddings(len(encoder.tokenizer), mean_resizing=False)
    return encoder


def _refuse_other_tokenizers(name: str, tokenizer: Any) -> None:
    needed = ("cls_token_id", "sep_token_id", "pad_token_id", "mask_token_id")
    if missing := [each for each in needed if getattr(tokenizer, each, None) is None]:
        raise unusable(name, f"its tokenizer has no {missing[0].removesuffix('_id')}")
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
        raise unusable(name, "there is no tokenizer in this folder, or one that knows no words")


def _refuse_other_weights(name: str, network: Any, missing: Sequence[str]) -> None:
    """A head may be missing, and starts at random; the body may not."""
    prefix = f"{network.base_model_prefix}."
    body = [each for each in missing if each.startswith(prefix)]
    if len(body) > len(list(network.base_model.parameters())) // 2:
        raise unusable(name, f"its weights are of another model: {body[0]} is not among them")


def nano_encoder(texts: Iterable[str], *, seed: int, shape: NanoShape | None = None) -> TextEncoder:
    """A small XLM-R with random weights and a unigram vocabulary learnt from the texts."""
    shape = shape or NanoShape()
    tokenizer = unigram_tokenizer(texts, shape.vocabulary)
    torch.manual_seed(seed)
    config = XLMRobertaConfig(**shape.settings(len(tokenizer)), type_vocab_size=1)
    network = XLMRobertaForMaskedLM(config)  # type: ignore[no-untyped-call]
    return with_marks(TextEncoder(network, tokenizer))


def unigram_tokenizer(texts: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """Unigram pieces, the same ones from the same texts."""
    marks = [*SPECIAL, *MARKS]
    learnt = [
        each for each in learn_pieces(_some(texts), size - len(marks)) if each[0] not in marks
    ]
    vocabulary = [*((mark, 0.0) for mark in marks), *learnt]
    pieces = cutter(models.Unigram(vocabulary, unk_id=marks.index("<unk>")))
    pieces.add_special_tokens(marks)
    pieces.decoder = decoders.Metaspace()
    pieces.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=pieces,
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
    )


def _some(texts: Iterable[str]) -> list[str]:
    """Evenly spread, so that every language of a corpus has its share."""
    kept = list(texts)
    if not kept:
        raise InputError("there is no text to learn a vocabulary from", remedy="Give more text.")
    return kept[:: -(-len(kept) // TOKENIZER_TEXTS)]
