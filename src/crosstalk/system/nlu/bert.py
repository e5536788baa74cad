"""BERTNLU, the NLU of the CrossWOZ paper, and its model folder.

    BertNLU.load(folder, schema).understand(turn, history)

It reads the utterance and, with context, the three before it; no tables and no acts.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.files import read_json, writing
from crosstalk.system.nlu.bert_data import (
    OUTSIDE,
    BertTraining,
    LabelledUtterance,
    Outputs,
    context_of,
)
from crosstalk.system.nlu.bert_network import (
    BertEncoder,
    EncodedUtterance,
    JointNetwork,
    Values,
    WordpieceBatch,
    load_encoder,
)
from crosstalk.system.nlu.understanding import Acts
from crosstalk.training.compute import autocast, device, use_single_thread
from crosstalk.training.config import write_config
from crosstalk.training.network_files import NetworkKind, save_halves
from crosstalk.training.transformer_encoders import FOLDER, WEIGHTS

HEADS: Final = "heads.safetensors"
VOCABULARY: Final = "vocabulary.json"
BERTNLU: Final = NetworkKind(
    "bertnlu", 1, "BERTNLU", "crosstalk train nlu --model bert --out models"
)
SMALL: Final = 10_000_000
"""Bytes of weights below which an encoder is small."""
AT_ONCE: Final = 32
"""Utterances understood together."""


@dataclass(frozen=True, slots=True)
class BertConfig:
    """`config.json` of a model folder."""

    context: bool
    world: str = ""
    language: str = ""
    encoder: str = ""
    """Pretrained encoder it started from; empty: a small encoder with random weights."""
    training: BertTraining = field(default_factory=BertTraining)
    kind: str = BERTNLU.kind
    version: int = BERTNLU.version


@dataclass(frozen=True, slots=True)
class BertModel:
    """A network with its tokenizer and its outputs."""

    network: JointNetwork
    encoder: BertEncoder
    outputs: Outputs

    def coded(self, heard: LabelledUtterance, longest: int | None = None) -> EncodedUtterance:
        """The utterance as token ids and targets; acts unknown to the model are left out."""
        words, outputs = self.encoder.words, self.outputs
        labels = [outputs.label(act) for act in heard.acts]
        return EncodedUtterance(
            words.utterance(heard.text, longest),
            words.context(heard.context) if self.network.context else [words.padding],
            words.tags(heard.text, heard.acts, outputs) if heard.acts else [],
            [label for label in labels if label is not None],
        )

    def batch(self, coded: Sequence[EncodedUtterance], device: torch.device) -> WordpieceBatch:
        return WordpieceBatch.of(
            coded, len(self.outputs.labels), self.encoder.words.padding, device
        )


def new_model(
    encoder: BertEncoder, outputs: Outputs, *, context: bool, training: BertTraining
) -> BertModel:
    network = JointNetwork(
        encoder.network,
        outputs.tags,
        max(1, len(outputs.labels)),
        context=context,
        dropout=training.dropout,
    )
    if training.xavier:
        network.tags.begin_as_published()
        network.labels.begin_as_published()
    return BertModel(network, encoder, outputs)


class BertNLU:
    """NLU with a trained network."""

    def __init__(self, model: BertModel, schema: Schema, *, values: Values = "raw") -> None:
        self.model = model
        self._schema = schema
        self._values: Values = values

    @classmethod
    def load(cls, folder: Path, schema: Schema, *, values: Values = "raw") -> "BertNLU":
        """Load a model folder; refuse a damaged one and one of another kind."""
        config = BERTNLU.read_config(folder, BertConfig)
        encoder = load_encoder(str(folder / FOLDER), whole=True)
        outputs = _read_outputs(folder / VOCABULARY)
        model = new_model(encoder, outputs, context=config.context, training=config.training)
        known = encoder.network.state_dict(prefix="encoder.")
        BERTNLU.load(folder / HEADS, model.network, known)
        model.network.to(device())
        return cls(model, schema, values=values)

    def save(self, folder: Path, config: BertConfig) -> None:
        """Write weights (half precision), config and vocabulary; the caller writes the card."""
        self.model.encoder.save(folder / FOLDER)
        heads = dict(_heads(self.model.network.state_dict()))
        save_halves(folder / HEADS, heads, {})
        _write_outputs(folder / VOCABULARY, self.model.outputs)
        write_config(folder, config)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        return self._understood([LabelledUtterance(utterance.text, context_of(history), ())])[0]

    def understand_all(self, turns: Sequence[Turn]) -> list[Acts]:
        """The acts of a whole dialogue: same result as turn by turn, in batches."""
        heard = [
            LabelledUtterance(turn.text, context_of(turns[:place]), ())
            for place, turn in enumerate(turns)
        ]
        several = [heard[at : at + AT_ONCE] for at in range(0, len(heard), AT_ONCE)]
        return [acts for each in several for acts in self._understood(each)]

    def with_values(self, values: Values) -> "BertNLU":
        """The same network with another spelling of values (`SPELLINGS`)."""
        return BertNLU(self.model, self._schema, values=values)

    def as_judged(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue with its gold values spelled as this model spells them."""
        words = self.model.encoder.words
        turns = (
            replace(turn, acts=tuple(sorted(self._spelled(turn, words)))) for turn in dialogue.turns
        )
        return replace(dialogue, turns=tuple(turns))

    def _spelled(self, turn: Turn, words: Any) -> set[Act]:
        return {words.true_act(act, turn.text, self._schema, self._values) for act in turn.acts}

    @torch.no_grad()
    def _understood(self, heard: Sequence[LabelledUtterance]) -> list[Acts]:
        network = self.model.network.eval()
        where = next(network.parameters()).device
        batch = self.model.batch([self.model.coded(each) for each in heard], where)
        with autocast():
            tags, labels = network(batch)
        best, lit = tags.argmax(dim=-1).tolist(), (labels > 0).tolist()
        return [
            tuple(sorted({*self._labelled(lit[row]), *self._tagged(each.text, best[row])}))
            for row, each in enumerate(heard)
        ]

    def _labelled(self, lit: Sequence[bool]) -> Iterator[Act]:
        return (act for act, on in zip(self.model.outputs.labels, lit, strict=False) if on)

    def _tagged(self, text: str, tags: Sequence[int]) -> Iterator[Act]:
        """Acts from BIO tags: a begin tag and the inside tags of the same span that follow it."""
        words = self.model.encoder.words
        size = min(len(words.cut(text).numbers), len(tags) - 2)
        inner = [*tags[1 : 1 + size], OUTSIDE]  # without [CLS]
        for start, tag in enumerate(inner):
            if tag % 2 == 0:  # outside, or inside a span that began before
                continue
            end = start + 1
            while inner[end] == tag + 1:
                end += 1
            span = self.model.outputs.spans[tag // 2]
            yield Act(*span, words.spelled(text, start, end, self._values))


def spare_threads(folder: Path) -> None:
    """Use one thread for a small encoder: several would mostly wait for each other."""
    if (folder / FOLDER / WEIGHTS).stat().st_size < SMALL:
        use_single_thread()


def _heads(state: dict[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    return ((name, each) for name, each in state.items() if not name.startswith("encoder."))


def _write_outputs(file: Path, outputs: Outputs) -> None:
    labels = [[act.intent, act.domain, act.slot, act.value] for act in outputs.labels]
    with writing(file) as text:
        json.dump({"spans": outputs.spans, "labels": labels}, text, ensure_ascii=False, indent=1)


def _read_outputs(file: Path) -> Outputs:
    content = read_json(file)
    try:
        spans = tuple((intent, domain, slot) for intent, domain, slot in content["spans"])
        labels = tuple(Act(*four) for four in content["labels"])
    except (KeyError, TypeError, ValueError) as error:
        raise BERTNLU.unusable(file, "expected spans of three words and labels of four") from error
    return Outputs(spans, labels)
