"""The SC-LSTM generator of the CrossWOZ paper (Wen et al., 2015): network, beam search, folder.

    SclstmGenerator.load(folder, keys, language="zh", protocol="corrected").say(acts, Random(0))

Beside its cell the LSTM carries the condition vector; at every word a reading gate decides how much
of each feature is still to be said. The likeliest utterance of the beam is said, so equal acts
always get the same words. Needs torch (extra `neural`).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from crosstalk.dialogue.acts import Act
from crosstalk.errors import FileProblem, InputError
from crosstalk.files import read_json, writing, writing_binary
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.sclstm_data import (
    END,
    PAD,
    SPECIAL,
    START,
    SclstmConditions,
    SclstmTrainingConfig,
    SclstmVocabulary,
    condition_features,
    spoken_text,
)
from crosstalk.system.nlg.template_bank import values_of
from crosstalk.training.compute import device, use_single_thread
from crosstalk.training.config import read_config, write_config
from crosstalk.training.progress import Progress

try:
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"the SC-LSTM needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

LONGEST: Final = 100
"""Longest utterance, in words; generation stops there even without an end."""


@dataclass(frozen=True, slots=True)
class SclstmShape:
    """The sizes of a network; the defaults are the published ones."""

    words: int
    features: int
    hidden: int = 100
    dropout: float = 0.25


class DecoderState(NamedTuple):
    """The recurrent state; one row per utterance."""

    output: Tensor
    cell: Tensor
    condition: Tensor
    """How much of each feature is still to be said."""

    def rows(self, which: Tensor) -> "DecoderState":
        return DecoderState(*(part[which] for part in self))


class SCLSTM(nn.Module):
    """One layer; words go in and come out as numbers of the vocabulary."""

    def __init__(self, shape: SclstmShape) -> None:
        super().__init__()
        hidden = shape.hidden
        self.shape = shape
        self.embedding = nn.Embedding(shape.words, hidden)
        self.word_gates = nn.Linear(hidden, 4 * hidden)
        self.past_gates = nn.Linear(hidden, 4 * hidden, bias=False)
        self.word_reads = nn.Linear(hidden, shape.features)
        self.past_reads = nn.Linear(hidden, shape.features, bias=False)
        self.condition_cell = nn.Linear(shape.features, hidden, bias=False)
        self.speak = nn.Linear(hidden, shape.words)
        self.dropout = nn.Dropout(shape.dropout)

    def start(self, condition: Tensor) -> DecoderState:
        empty = condition.new_zeros(len(condition), self.shape.hidden)
        return DecoderState(empty, empty, condition)

    def forward(self, words: Tensor, condition: Tensor) -> Tensor:
        """The logits after every word; both arguments have one row per utterance."""
        embedded = self.dropout(self.embedding(words))
        gates, reads = self.word_gates(embedded), self.word_reads(embedded)
        memory = self.start(condition)
        outputs = []
        for position in range(words.shape[1]):
            memory = self._step(gates[:, position], reads[:, position], memory)
            outputs.append(memory.output)
        logits: Tensor = self.speak(self.dropout(torch.stack(outputs, dim=1)))
        return logits

    def after(self, words: Tensor, memory: DecoderState) -> tuple[Tensor, DecoderState]:
        """The log-probabilities of the next word, after one more word per row."""
        embedded = self.embedding(words)
        memory = self._step(self.word_gates(embedded), self.word_reads(embedded), memory)
        return torch.log_softmax(self.speak(memory.output), dim=-1), memory

    def _step(self, gates: Tensor, reads: Tensor, memory: DecoderState) -> DecoderState:
        gates = gates + self.past_gates(memory.output)
        enter, forget, leave, new = gates.chunk(4, dim=-1)
        reading = torch.sigmoid(reads + self.past_reads(memory.output))
        condition = reading * memory.condition
        cell = torch.sigmoid(forget) * memory.cell + torch.sigmoid(enter) * torch.tanh(new)
        cell = cell + torch.tanh(self.condition_cell(condition))
        return DecoderState(torch.sigmoid(leave) * torch.tanh(cell), cell, condition)


def ones(lit: Sequence[int], size: int) -> Tensor:
    vector = torch.zeros(size)
    vector[list(lit)] = 1
    return vector


@dataclass(frozen=True, slots=True)
class BeamHypothesis:
    """A finished hypothesis of the beam search."""

    words: tuple[int, ...]
    """Without start and end."""
    likelihood: float
    """Mean log-probability per word, the end included."""


@torch.no_grad()
def beam_search(network: SCLSTM, condition: Tensor, width: int = 10) -> list[BeamHypothesis]:
    """Finished utterances, likeliest first; `condition` is one vector.

    The search ends when as many are finished as the beam is wide.
    """
    network.eval()
    condition = condition.to(next(network.parameters()).device)
    said = torch.tensor([[SPECIAL.index(START)]], device=condition.device)
    likelihoods = torch.zeros(1, device=condition.device)
    memory = network.start(condition[None])
    finished: list[BeamHypothesis] = []
    for _ in range(LONGEST):
        chances, memory = network.after(said[:, -1], memory)
        chances[:, [SPECIAL.index(PAD), SPECIAL.index(START)]] = -torch.inf
        total = (likelihoods[:, None] + chances).flatten()
        likelihoods, places = total.topk(min(width - len(finished), total.numel()))
        rows, words = places // chances.shape[1], places % chances.shape[1]
        said = torch.cat([said[rows], words[:, None]], dim=1)
        ended = words == SPECIAL.index(END)
        finished += _finished(said[ended], likelihoods[ended])
        going = ~ended & likelihoods.isfinite()
        said, likelihoods, memory = said[going], likelihoods[going], memory.rows(rows[going])
        if not len(said):
            break
    finished += _finished(torch.nn.functional.pad(said, (0, 1)), likelihoods)
    return sorted(finished, key=lambda each: -each.likelihood)


def _finished(said: Tensor, likelihoods: Tensor) -> Iterator[BeamHypothesis]:
    """One utterance per row of start, words and end."""
    for row, likelihood in zip(said.tolist(), likelihoods.tolist(), strict=True):
        yield BeamHypothesis(tuple(row[1:-1]), likelihood / (len(row) - 1))


try:
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save
except ModuleNotFoundError as error:
    raise InputError(
        f"the SC-LSTM needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

WEIGHTS: Final = "weights.safetensors"
VOCABULARY: Final = "vocabulary.json"
PROTOCOLS: Final = ("paper", "corrected")
COMMAND: Final = "crosstalk train nlg --model sclstm --side usr|sys --out models"


@dataclass(frozen=True, slots=True)
class TrainedSclstm:
    """A network with its vocabulary and conditions."""

    network: SCLSTM
    conditions: SclstmConditions
    vocabulary: SclstmVocabulary
    progress: Progress


@dataclass(frozen=True, slots=True)
class SclstmConfig:
    """`config.json` of a model folder: side, language and training settings."""

    side: str
    language: str
    training: SclstmTrainingConfig


class SclstmGenerator:
    """Generates with a trained network; utterances are cached by condition."""

    def __init__(
        self,
        network: SCLSTM,
        conditions: SclstmConditions,
        vocabulary: SclstmVocabulary,
        keys: ActKeys,
        *,
        language: str,
        protocol: str = "corrected",
        width: int = 10,
    ) -> None:
        if protocol not in PROTOCOLS:
            known = ", ".join(PROTOCOLS)
            raise InputError(f"there is no protocol called {protocol!r}", remedy=f"Known: {known}.")
        self._network = network
        self._conditions = conditions
        self._vocabulary = vocabulary
        self._keys = keys
        self._language = language
        self._as_published = protocol == "paper"
        self._width = width
        self._said: dict[tuple[int, ...], tuple[str, ...]] = {}

    @classmethod
    def load(
        cls, folder: Path, keys: ActKeys, *, language: str, protocol: str = "corrected"
    ) -> "SclstmGenerator":
        """The model of a folder; one of another side or language, or a damaged one, is refused."""
        config = read_config(folder, SclstmConfig)
        for name, found, wanted in (
            ("side", config.side, str(keys.speaker)),
            ("language", config.language, language),
        ):
            if found != wanted:
                raise InputError(
                    f"the SC-LSTM in {folder} was trained for {name} {found!r}, not {wanted!r}",
                    remedy=f"Name another folder, or train it: {COMMAND}",
                )
        use_single_thread()
        words, features = _read_lists(folder)
        hidden, dropout = config.training.hidden, config.training.dropout
        network = _read_network(folder, SclstmShape(len(words), len(features), hidden, dropout))
        return cls(
            network,
            SclstmConditions(features),
            SclstmVocabulary(words),
            keys,
            language=language,
            protocol=protocol,
        )

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        spoken = self._keys.in_order(acts)
        group = [each.key for each in spoken]
        features = condition_features(group, self._keys, facility_defect=self._as_published)
        words = self.words(self._conditions.lit(features))
        return spoken_text(
            words, values_of(spoken), language=self._language, keep_open=self._as_published
        )

    def words(self, lit: Sequence[int]) -> tuple[str, ...]:
        """The words generated for these features, holes unfilled."""
        if tuple(lit) not in self._said:
            condition = ones(lit, len(self._conditions.features))
            best = beam_search(self._network, condition, self._width)[0]
            self._said[tuple(lit)] = tuple(self._vocabulary.words[word] for word in best.words)
        return self._said[tuple(lit)]


def save_sclstm(
    folder: Path, trained: TrainedSclstm, *, side: str, language: str, config: SclstmTrainingConfig
) -> None:
    """Weights (in half precision), config and vocabulary; the same network gives the same bytes."""
    tensors = {name: each.half().cpu() for name, each in trained.network.state_dict().items()}
    lists = {"words": trained.vocabulary.words, "features": trained.conditions.features}
    with writing_binary(folder / WEIGHTS) as raw:
        raw.write(save(tensors))
    with writing(folder / VOCABULARY) as text:
        json.dump(lists, text, ensure_ascii=False, indent=1)
    write_config(folder, SclstmConfig(side, language, config))


def _read_lists(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words and features: names of the network's outputs and inputs."""
    content = read_json(folder / VOCABULARY)
    lists = [content.get(name) for name in ("words", "features")] if _is_object(content) else []
    for each in lists or [None]:
        if not isinstance(each, list) or not all(isinstance(item, str) for item in each):
            raise _damaged(folder / VOCABULARY, "expected lists of words and of features")
    words, features = map(tuple, lists)
    if words[: len(SPECIAL)] != SPECIAL or len(set(words)) < len(words):
        raise _damaged(folder / VOCABULARY, f"expected {', '.join(SPECIAL)} first, each word once")
    return words, features


def _is_object(content: object) -> bool:
    return isinstance(content, dict)


def _read_network(folder: Path, shape: SclstmShape) -> SCLSTM:
    network = SCLSTM(shape)
    try:
        tensors = load_file(folder / WEIGHTS)
        network.load_state_dict({name: each.float() for name, each in tensors.items()})
    except (OSError, SafetensorError, RuntimeError) as error:
        problem = str(error).splitlines()[-1].strip()
        raise _damaged(folder / WEIGHTS, f"they do not fit the vocabulary: {problem}") from error
    if not all(bool(torch.isfinite(each).all()) for each in network.state_dict().values()):
        raise _damaged(folder / WEIGHTS, "some weights are not numbers")
    return network.to(device()).eval()


def _damaged(file: Path, problem: str) -> FileProblem:
    return FileProblem(
        f"{file}: this SC-LSTM cannot be used: {problem}",
        remedy=f"Restore the folder, or train it anew: {COMMAND}",
    )
