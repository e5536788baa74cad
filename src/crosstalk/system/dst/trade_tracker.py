"""TRADE, the neural tracker of the CrossWOZ paper: the network, the tracker, its model folder.

    TradeTracker.load(folder, schema, language="zh").read(turns)

It reads the words of the whole dialogue, anew at every turn, and no acts, forms or tables. One
encoder reads the dialogue; one decoder serves all fields, started with the sum of the vectors of
the field's domain and slot. A gate on the decoder's first attention says whether the field is
filled; its words come from a mixture of the vocabulary and of words copied from the dialogue.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.trade_data import (
    END,
    NONE,
    PADDING,
    SPECIAL,
    UNKNOWN,
    FormField,
    TradeTraining,
    TradeVocabulary,
    dialogue_words,
    form_fields,
    value_of_words,
)
from crosstalk.training.compute import device as network_device
from crosstalk.training.config import write_config
from crosstalk.training.network_files import NetworkKind, save_halves

EMPTY: Final = 0
FILLED: Final = 1
GATES: Final = 2
_UNKNOWN: Final = SPECIAL.index(UNKNOWN)
_PADDING: Final = SPECIAL.index(PADDING)
_END: Final = SPECIAL.index(END)
_SMALLEST: Final = 1e-10


@dataclass(frozen=True, slots=True)
class TradeShape:
    """Sizes of the network."""

    words: int
    hidden: int = 100
    dropout: float = 0.2


@dataclass(frozen=True, slots=True)
class TradeBatch:
    """Dialogues as tensors, padded to one length."""

    words: Tensor
    copies: Tensor
    """Numbers for copying; those beyond the vocabulary are of words new in that dialogue."""
    sizes: Tensor
    new: int
    """How many words are new in the dialogue that has the most of them."""


@dataclass(frozen=True, slots=True)
class FieldRows:
    """Pairs of a dialogue and a field whose value is to be said."""

    sample: Tensor
    field: Tensor


@dataclass(frozen=True, slots=True)
class _Encoded:
    each: Tensor
    last: Tensor
    mask: Tensor
    copies: Tensor
    new: int


@dataclass(frozen=True, slots=True)
class _Decoding:
    """The decoder after one step, for all fields of all dialogues."""

    hidden: Tensor
    weights: Tensor
    """Attention over the words of the dialogue."""
    seen: Tensor
    given: Tensor


class TradeNetwork(nn.Module):
    """Dialogues in; gates of all fields, and words of the fields asked for, out."""

    def __init__(self, shape: TradeShape, fields: Sequence[FormField]) -> None:
        super().__init__()
        self.shape = shape
        names = sorted({name for field in fields for name in field})
        place = {name: number for number, name in enumerate(names)}
        self.register_buffer(
            "fields", torch.tensor([[place[name] for name in field] for field in fields]), False
        )
        self.vectors = nn.Embedding(shape.words, shape.hidden, padding_idx=_PADDING)
        self.names = nn.Embedding(len(names), shape.hidden)
        for embedding in (self.vectors, self.names):
            nn.init.normal_(embedding.weight, 0, 0.1)
        self.onwards = nn.GRU(shape.hidden, shape.hidden, batch_first=True)
        self.backwards = nn.GRU(shape.hidden, shape.hidden, batch_first=True)
        self.decoder = nn.GRUCell(shape.hidden, shape.hidden)
        self.switch = nn.Linear(3 * shape.hidden, 1)
        self.gate = nn.Linear(shape.hidden, GATES)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(
        self, batch: TradeBatch, rows: FieldRows, wanted: Tensor, *, teach: bool
    ) -> tuple[Tensor, Tensor]:
        """Gates of all fields, and how likely each wanted word of the rows is.

        `teach`: each word follows the wanted one, else the one the network would have said.
        """
        encoded = self._encoded(batch)
        decoding = self._begun(encoded)
        gates, found = self.gate(decoding.seen), []
        for word in wanted.unbind(dim=1):
            odds = self._odds(encoded, rows, decoding)
            found.append(odds.gather(1, word.unsqueeze(1)))
            decoding = self._next(encoded, rows, decoding, word if teach else odds.argmax(dim=-1))
        return gates, torch.cat(found, dim=1)

    @torch.no_grad()
    def read(self, batch: TradeBatch, longest: int) -> list[dict[int, list[int]]]:
        """Of each dialogue, the words of the fields whose gate says that they are filled."""
        encoded = self._encoded(batch)
        decoding = self._begun(encoded)
        filled = self.gate(decoding.seen).argmax(dim=-1) == FILLED
        rows = FieldRows(*filled.nonzero(as_tuple=True))
        said = []
        for _ in range(longest):
            best = self._odds(encoded, rows, decoding).argmax(dim=-1)
            said.append(best)
            decoding = self._next(encoded, rows, decoding, best)
        read: list[dict[int, list[int]]] = [{} for _ in range(len(filled))]
        pairs = zip(rows.sample.tolist(), rows.field.tolist(), strict=True)
        for (sample, number), words in zip(pairs, torch.stack(said, 1).tolist(), strict=True):
            read[sample][number] = words[: words.index(_END)] if _END in words else words
        return read

    def _encoded(self, batch: TradeBatch) -> _Encoded:
        words = batch.words
        if self.training:  # some words go unknown, so that copying is learnt
            kept = torch.rand(words.shape, device=words.device) >= self.shape.dropout
            words = torch.where(kept | (words == _PADDING), words, _UNKNOWN)
        seen = self.dropout(self.vectors(words))
        turned = _turned(batch.sizes.to(words.device), words.shape[1])
        onwards, _ = self.onwards(seen)
        backwards, _ = self.backwards(_taken(seen, turned))
        ends = (batch.sizes - 1).to(words.device).view(-1, 1)
        last = _taken(onwards + backwards, ends).squeeze(1)
        each = onwards + _taken(backwards, turned)
        return _Encoded(each, last, words != _PADDING, batch.copies, batch.new)

    def _begun(self, encoded: _Encoded) -> _Decoding:
        """All fields begin with their own vector where the encoder ended."""
        fields = self.fields
        assert isinstance(fields, Tensor)
        starts = self.dropout(self.names(fields).sum(dim=1))
        given = starts.unsqueeze(0).expand(len(encoded.last), -1, -1)
        return self._decoded(encoded, encoded.last.unsqueeze(1).expand_as(given), given)

    def _next(
        self, encoded: _Encoded, rows: FieldRows, before: _Decoding, words: Tensor
    ) -> _Decoding:
        """After these words of the rows; those beyond the vocabulary are read as unknown."""
        known = words.where(words < self.shape.words, _UNKNOWN)
        given = before.given.index_put((rows.sample, rows.field), self.vectors(known))
        return self._decoded(encoded, before.hidden, given)

    def _decoded(self, encoded: _Encoded, hidden: Tensor, given: Tensor) -> _Decoding:
        flat = self.decoder(given.flatten(0, 1), hidden.flatten(0, 1))
        now = flat.view_as(hidden)
        scores = torch.bmm(now, encoded.each.transpose(1, 2))
        scores = scores.masked_fill(~encoded.mask.unsqueeze(1), float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return _Decoding(now, weights, torch.bmm(weights, encoded.each), given)

    def _odds(self, encoded: _Encoded, rows: FieldRows, decoding: _Decoding) -> Tensor:
        """How likely every word is to be said next, those to be copied included."""
        at = (rows.sample, rows.field)
        hidden, seen, given = decoding.hidden[at], decoding.seen[at], decoding.given[at]
        spoken = torch.softmax(hidden @ self.vectors.weight.T, dim=-1)
        share = torch.sigmoid(self.switch(torch.cat([hidden, seen, given], dim=-1)))
        mixed = nn.functional.pad(share * spoken, (0, encoded.new))
        return mixed.scatter_add(1, encoded.copies[rows.sample], (1 - share) * decoding.weights[at])


def _turned(sizes: Tensor, longest: int) -> Tensor:
    """The places of each row in reverse; those of its padding stay.

    Quicker than packed sequences, whose gradients take the square of the length on a processor.
    """
    places = torch.arange(longest, device=sizes.device).unsqueeze(0)
    back = sizes.unsqueeze(1) - 1 - places
    return torch.where(back >= 0, back, places)


def _taken(vectors: Tensor, places: Tensor) -> Tensor:
    return vectors.gather(1, places.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))


def all_rows(samples: int, fields: int, device: torch.device) -> FieldRows:
    sample = torch.arange(samples, device=device).repeat_interleave(fields)
    return FieldRows(sample, torch.arange(fields, device=device).repeat(samples))


def trade_loss(gates: Tensor, likelihoods: Tensor, filled: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy of the words that count plus that of all gates.

    `weights`: 1 for a word that counts, 0 for padding.
    """
    words = -(likelihoods + _SMALLEST).log() * weights
    of_gates = nn.functional.cross_entropy(gates.flatten(0, 1), filled.flatten())
    return words.sum() / weights.sum().clamp(min=1) + of_gates


WEIGHTS: Final = "weights.safetensors"
VOCABULARY: Final = "vocabulary.json"
TRADE: Final = NetworkKind("trade", 1, "TRADE", "crosstalk train dst --model trade --out models")
AT_ONCE: Final = 16
"""Dialogues read together."""


@dataclass(frozen=True, slots=True)
class TradeConfig:
    """`config.json` of a model folder."""

    language: str
    world: str = ""
    training: TradeTraining = field(default_factory=TradeTraining)
    kind: str = TRADE.kind
    version: int = TRADE.version


@dataclass(frozen=True, slots=True)
class TradeModel:
    """A network with its vocabulary, fields and configuration."""

    network: TradeNetwork
    vocabulary: TradeVocabulary
    fields: tuple[FormField, ...]
    several: frozenset[FormField]
    """Fields whose values are several terms, kept apart."""
    config: TradeConfig

    def batch(
        self, said: Sequence[Sequence[str]], device: torch.device
    ) -> tuple[TradeBatch, list[list[str]]]:
        """Dialogues as tensors, and the words that are new in each of them."""
        copied = [self.vocabulary.copied(words) for words in said]
        size, pad = max(map(len, said)), SPECIAL.index(PADDING)
        words = torch.full((len(said), size), pad)
        copies = torch.full((len(said), size), pad)
        for row, (numbers, _) in enumerate(copied):
            words[row, : len(numbers)] = torch.tensor(self.vocabulary.numbers(said[row]))
            copies[row, : len(numbers)] = torch.tensor(numbers)
        new = [each for _, each in copied]
        sizes = torch.tensor([len(each) for each in said])
        batch = TradeBatch(words.to(device), copies.to(device), sizes, max(map(len, new)))
        return batch, new


def new_model(
    vocabulary: TradeVocabulary, schema: Schema, several: frozenset[FormField], config: TradeConfig
) -> TradeModel:
    fields = form_fields(schema)
    shape = TradeShape(len(vocabulary.words), config.training.hidden, config.training.dropout)
    return TradeModel(TradeNetwork(shape, fields), vocabulary, fields, several, config)


class TradeTracker:
    """Tracks with a trained network."""

    def __init__(self, model: TradeModel, schema: Schema) -> None:
        self.model = model
        self._empty = empty_form(schema)

    @classmethod
    def load(cls, folder: Path, schema: Schema, *, language: str) -> "TradeTracker":
        """The model of a folder; one of another kind, world or language is refused."""
        config = TRADE.read_config(folder, TradeConfig)
        if config.language != language:
            raise InputError(
                f"the TRADE in {folder} was trained for language {config.language!r}, "
                f"not {language!r}",
                remedy="Name another folder, or train it: crosstalk train dst --model trade",
            )
        vocabulary, fields, several = _read_lists(folder / VOCABULARY)
        if fields != form_fields(schema):
            raise InputError(
                f"the TRADE in {folder} was trained for the form of {config.world}, which has "
                "other fields",
                remedy="Name its --world, or train it: crosstalk train dst --model trade",
            )
        model = new_model(vocabulary, schema, several, config)
        TRADE.load(folder / WEIGHTS, model.network, {})
        model.network.to(network_device())
        return cls(model, schema)

    def save(self, folder: Path) -> None:
        """Weights in half precision, config and vocabulary; the card is the caller's."""
        model = self.model
        save_halves(folder / WEIGHTS, model.network.state_dict(), {})
        lists = {
            "words": model.vocabulary.words,
            "fields": model.fields,
            "several": sorted(model.several),
        }
        with writing(folder / VOCABULARY) as text:
            json.dump(lists, text, ensure_ascii=False, indent=0)
        write_config(folder, model.config)

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        """Reads the words of the history only; what was believed before does not count."""
        return replace(belief, form=self._forms([history])[0])

    def read(self, turns: Sequence[Turn]) -> list[SystemState]:
        """The form after each user turn of a dialogue."""
        histories = [
            turns[: place + 1] for place, turn in enumerate(turns) if turn.speaker is Speaker.USER
        ]
        parts = [histories[at : at + AT_ONCE] for at in range(0, len(histories), AT_ONCE)]
        return [form for part in parts for form in self._forms(part)]

    def _forms(self, histories: Sequence[Sequence[Turn]]) -> list[SystemState]:
        model, network = self.model, self.model.network.eval()
        said = [dialogue_words(history, model.config.language) for history in histories]
        batch, new = model.batch(said, next(network.parameters()).device)
        read = network.read(batch, model.config.training.longest)
        return [self._form(values, words) for values, words in zip(read, new, strict=True)]

    def _form(self, values: dict[int, list[int]], new: Sequence[str]) -> SystemState:
        form = self._empty
        words = (*self.model.vocabulary.words, *new)
        for number, said in values.items():
            domain, slot = self.model.fields[number]
            spoken = [words[each] for each in said if each < len(words)]
            if spoken == [NONE]:
                continue
            language, several = self.model.config.language, (domain, slot) in self.model.several
            value = value_of_words(spoken, language, several=several)
            form = form.with_domain(form.get(domain).with_slot(slot, value))
        return form


def _read_lists(file: Path) -> tuple[TradeVocabulary, tuple[FormField, ...], frozenset[FormField]]:
    content = read_json(file)
    try:
        words = tuple(content["words"])
        fields = tuple((domain, slot) for domain, slot in content["fields"])
        several = frozenset((domain, slot) for domain, slot in content["several"])
    except (KeyError, TypeError, ValueError) as error:
        raise TRADE.unusable(file, "expected lists of words and of fields") from error
    if words[: len(SPECIAL)] != SPECIAL or not all(isinstance(word, str) for word in words):
        raise TRADE.unusable(file, f"expected {', '.join(SPECIAL)} first")
    return TradeVocabulary(words), fields, several
