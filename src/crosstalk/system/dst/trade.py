"""TRADE, the neural tracker of the CrossWOZ paper, and the folder its model lies in.

    TradeTracker.load(folder, schema).read(turns)

It reads the words of the whole dialogue, anew at every turn; no act, no form, no table.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import torch

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.trade_config import TradeTraining
from crosstalk.system.dst.trade_network import Stories, TradeNetwork, TradeShape
from crosstalk.system.dst.trade_words import (
    NONE,
    PADDING,
    SPECIAL,
    Field,
    TradeVocabulary,
    fields_of,
    spelled,
    told,
)
from crosstalk.system.network_files import NetworkKind, save_halves
from crosstalk.training.config import write_config

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
    """A network and what it needs to be read."""

    network: TradeNetwork
    vocabulary: TradeVocabulary
    fields: tuple[Field, ...]
    several: frozenset[Field]
    """Fields whose values are several terms, kept apart."""
    config: TradeConfig

    def stories(
        self, said: Sequence[Sequence[str]], device: torch.device
    ) -> tuple[Stories, list[list[str]]]:
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
        batch = Stories(words.to(device), copies.to(device), sizes, max(map(len, new)))
        return batch, new


def new_model(
    vocabulary: TradeVocabulary, schema: Schema, several: frozenset[Field], config: TradeConfig
) -> TradeModel:
    fields = fields_of(schema)
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
        if fields != fields_of(schema):
            raise InputError(
                f"the TRADE in {folder} was trained for the form of {config.world}, which has "
                "other fields",
                remedy="Name its --world, or train it: crosstalk train dst --model trade",
            )
        model = new_model(vocabulary, schema, several, config)
        TRADE.load(folder / WEIGHTS, model.network, {})
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
        said = [told(history, model.config.language) for history in histories]
        batch, new = model.stories(said, next(network.parameters()).device)
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
            value = spelled(spoken, language, several=several)
            form = form.with_domain(form.get(domain).with_slot(slot, value))
        return form


def _read_lists(file: Path) -> tuple[TradeVocabulary, tuple[Field, ...], frozenset[Field]]:
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
