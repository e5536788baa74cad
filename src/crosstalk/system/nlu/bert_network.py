"""The network of BERTNLU (torch): tokenizer, encoder, and a head each for tags and labels.

With context, the pooled vector of the previous utterances, from the same encoder, is concatenated
to every vector of the utterance; gradients flow through both.

Encoders are those of `transformers`, by name or folder, or a small one with random weights. Nothing
is downloaded: a name refers to the local cache. Weights are read from safetensors only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

# Imported before transformers, because it sets the variables that keep transformers offline.
from crosstalk.training.transformer_encoders import (  # isort: skip
    EncoderShape,
    TransformerEncoder,
    UnusableEncoder,
    load_transformer,
    pad_rows,
)

import torch
from torch import Tensor, nn
from transformers import AutoModel, PreTrainedModel, PreTrainedTokenizerBase

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.schema import Schema
from crosstalk.system.nlu.bert_data import OUTSIDE, Outputs, is_span
from crosstalk.training.small_encoders import character_bert

Values = Literal["raw", "wordpiece"]
"""How values are spelled: as they stand in the text, or as their wordpieces joined (published)."""
SPELLINGS: Final = ("raw", "wordpiece")

REMEMBERED: Final = 20_000
"""Texts whose wordpieces are kept: every utterance is in the context of the next three."""
MARKS: Final = ("##", "\u2581")
"""Prefixes of wordpieces: BERT marks those inside a word, SentencePiece those that begin one."""


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """The wordpieces of a text."""

    tokens: tuple[str, ...]
    numbers: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    """Start and end of each wordpiece in the text."""


class Wordpieces:
    """The tokenizer of an encoder, as BERTNLU uses it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, longest: int) -> None:
        self.tokenizer = tokenizer
        self.padding = int(tokenizer.pad_token_id)
        self._start, self._end = int(tokenizer.cls_token_id), int(tokenizer.sep_token_id)
        self._longest = longest
        self.cut = lru_cache(REMEMBERED)(self._cut)

    def _cut(self, text: str) -> TokenizedText:
        found = self.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        numbers = tuple(found["input_ids"])
        tokens = tuple(self.tokenizer.convert_ids_to_tokens(list(numbers)))
        return TokenizedText(tokens, numbers, tuple(found["offset_mapping"]))

    def utterance(self, text: str, longest: int | None = None) -> list[int]:
        """Token ids between [CLS] and [SEP], truncated to `longest` or the encoder's limit."""
        size = min(longest or self._longest, self._longest - 2)
        return [self._start, *self.cut(text).numbers[:size], self._end]

    def context(self, texts: Sequence[str]) -> list[int]:
        """Earlier utterances separated by [SEP]; [CLS] is doubled, as in the published code."""
        between: list[int] = []
        for text in texts:
            between += [*([self._end] if between else []), *self.cut(text).numbers]
        size = self._longest - 3
        return [self._start, self._start, *between[-size:], self._end]

    def tags(self, text: str, acts: Sequence[Act], outputs: Outputs) -> list[int]:
        """One tag per wordpiece; if two acts claim a wordpiece, the first in sort order gets it."""
        tags = [OUTSIDE] * len(self.cut(text).numbers)
        for act in sorted(acts):
            begin, at = outputs.begin(act), text.find(act.value)
            if begin is None or not act.value or at < 0:
                continue
            start = len(self.cut(text[:at]).numbers)
            for place in range(start, start + len(self.cut(act.value).numbers)):
                if place < len(tags) and tags[place] == OUTSIDE:
                    tags[place] = begin if place == start else begin + 1
        return tags

    def spelled(self, text: str, start: int, end: int, values: Values) -> str:
        """The value written by the wordpieces from `start` to `end`."""
        pieces = self.cut(text)
        if values == "raw":
            return text[pieces.places[start][0] : pieces.places[end - 1][1]]
        return joined(pieces.tokens[start:end])

    def true_act(self, act: Act, text: str, schema: Schema, values: Values) -> Act:
        """The gold act as predictions spell it; values that do not occur in the text stay."""
        if values == "raw" or not is_span(act, schema) or act.value not in text:
            return act
        return replace(act, value=joined(self.cut(act.value).tokens))


def joined(tokens: Sequence[str]) -> str:
    """The wordpieces as one lower-case string without prefixes and spaces."""
    text = ""
    for token in tokens:
        for mark in MARKS:
            token = token.removeprefix(mark)
        text += token
    return text.lower().replace(" ", "")


MARGIN: Final = 2
"""RoBERTa and its relatives count positions from 2."""


@dataclass(frozen=True, slots=True)
class BertEncoder:
    """A pretrained network with its tokenizer."""

    transformer: TransformerEncoder
    words: Wordpieces

    @property
    def network(self) -> PreTrainedModel:
        network: PreTrainedModel = self.transformer.network
        return network

    def save(self, folder: Path) -> None:
        self.transformer.save_in_half_precision(folder)


def load_encoder(name: str, *, whole: bool = False) -> BertEncoder:
    """`name`: a folder, one of our BERTNLU folders, or the name of a model in the local cache.

    `whole` refuses an encoder with missing weights. Otherwise they start at random, as the pooler
    of many published encoders has to.
    """
    loaded = load_transformer(name, AutoModel)
    if whole and loaded.missing:
        raise UnusableEncoder(name, f"weights are missing: {', '.join(loaded.missing[:3])}")
    return BertEncoder(loaded, _wordpieces(name, loaded))


def _wordpieces(name: str, encoder: TransformerEncoder) -> Wordpieces:
    tokenizer, config = encoder.tokenizer, encoder.network.config
    if None in (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id):
        raise UnusableEncoder(name, "its tokenizer has no tokens for start, end and padding")
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise UnusableEncoder(name, "the vocabulary of its tokenizer is missing")
    if len(tokenizer) > config.vocab_size:
        raise UnusableEncoder(name, "its tokenizer has more wordpieces than it has vectors")
    if not tokenizer.is_fast:
        problem = "its tokenizer does not give the positions of wordpieces in a text"
        raise UnusableEncoder(name, problem)
    positions = getattr(config, "max_position_embeddings", 512)
    return Wordpieces(tokenizer, positions - MARGIN)


def fresh_encoder(texts: Iterable[str], shape: EncoderShape) -> BertEncoder:
    """A small BERT with random weights that reads texts character by character."""
    encoder = character_bert(texts, shape)
    return BertEncoder(encoder, _wordpieces("small", encoder))


IGNORED: Final = -100
"""Tag of positions that the loss ignores: special tokens and padding."""


@dataclass(frozen=True, slots=True)
class EncodedUtterance:
    """An utterance as token ids, tags and labels."""

    words: list[int]
    context: list[int]
    tags: list[int]
    """One per wordpiece, without [CLS] and [SEP]."""
    labels: list[int]


@dataclass(frozen=True, slots=True)
class WordpieceBatch:
    """Utterances as tensors, padded to one length."""

    words: Tensor
    mask: Tensor
    context: Tensor
    context_mask: Tensor
    tags: Tensor
    labels: Tensor

    @classmethod
    def of(
        cls, coded: Sequence[EncodedUtterance], labels: int, padding: int, device: torch.device
    ) -> "WordpieceBatch":
        words, mask = pad_rows([each.words for each in coded], padding)
        context, context_mask = pad_rows([each.context for each in coded], padding)
        tags = torch.full_like(words, IGNORED)
        lit = torch.zeros(len(coded), labels)
        for row, each in enumerate(coded):
            size = min(len(each.tags), len(each.words) - 2)
            tags[row, 1 : 1 + size] = torch.tensor(each.tags[:size])
            lit[row, each.labels] = 1
        several = (words, mask, context, context_mask, tags, lit)
        return cls(*(each.to(device) for each in several))


class Head(nn.Module):
    """Two layers with dropout before each."""

    def __init__(self, width: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, outputs)
        self.dropout = nn.Dropout(dropout)

    def forward(self, seen: Tensor) -> Tensor:
        hidden = torch.relu(self.hidden(self.dropout(seen)))
        logits: Tensor = self.out(self.dropout(hidden))
        return logits

    def begin_as_published(self) -> None:
        """Xavier-uniform weights for both layers; biases begin as usual."""
        for layer in (self.hidden, self.out):
            nn.init.xavier_uniform_(layer.weight)


class JointNetwork(nn.Module):
    """Wordpieces in, logits of tags and of labels out."""

    def __init__(
        self, encoder: PreTrainedModel, tags: int, labels: int, *, context: bool, dropout: float
    ) -> None:
        super().__init__()
        width = encoder.config.hidden_size * (2 if context else 1)
        self.encoder = encoder
        self.context = context
        self.tags = Head(width, tags, dropout)
        self.labels = Head(width, labels, dropout)

    def forward(self, batch: WordpieceBatch) -> tuple[Tensor, Tensor]:
        each, pooled = self._encoded(batch.words, batch.mask)
        if self.context:
            _, before = self._encoded(batch.context, batch.context_mask)
            each = torch.cat([before.unsqueeze(1).expand_as(each), each], dim=-1)
            pooled = torch.cat([before, pooled], dim=-1)
        return self.tags(each), self.labels(pooled)

    def _encoded(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """A vector per wordpiece and the pooled one; without a pooler, the vector of [CLS]."""
        found = self.encoder(input_ids=words, attention_mask=mask)
        each: Tensor = found.last_hidden_state
        pooled = getattr(found, "pooler_output", None)
        return each, each[:, 0] if pooled is None else pooled


def joint_loss(tags: Tensor, labels: Tensor, batch: WordpieceBatch, weights: Tensor) -> Tensor:
    """Cross-entropy of tags plus that of labels, where rare labels weigh more."""
    of_tags = nn.functional.cross_entropy(
        tags.flatten(0, 1), batch.tags.flatten(), ignore_index=IGNORED
    )
    of_labels = nn.functional.binary_cross_entropy_with_logits(
        labels, batch.labels, pos_weight=weights
    )
    return of_tags + of_labels
