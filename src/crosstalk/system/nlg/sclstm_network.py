"""The semantically conditioned LSTM (Wen et al., 2015): an LSTM that ticks off what it has said.

Beside its cell it carries the condition vector; at every word a reading gate decides how much of
each feature is still to be said. Needs torch (extra `neural`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crosstalk.errors import InputError
from crosstalk.system.nlg.sclstm_words import END, PAD, SPECIAL, START

try:
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"the SC-LSTM needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

LONGEST: Final = 100
"""Words of an utterance, at which even a network that finds no end stops."""


@dataclass(frozen=True, slots=True)
class SclstmShape:
    """The sizes of a network; the defaults are the published ones."""

    words: int
    features: int
    hidden: int = 100
    dropout: float = 0.25


class DecoderState(NamedTuple):
    """What is carried from word to word; one row an utterance."""

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
        """The logits after every word; both arguments have one row an utterance."""
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
        """The log-probabilities of the next word after one more word a row."""
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
    """A finished way through the beam."""

    words: tuple[int, ...]
    """Without start and end."""
    likelihood: float
    """The log-probability of a word, on average, the end included."""


@torch.no_grad()
def beam_search(network: SCLSTM, condition: Tensor, width: int = 10) -> list[BeamHypothesis]:
    """The finished utterances, likeliest first, of a beam so wide; `condition` is one vector.

    Ends when so many are finished as the beam is wide.
    """
    network.eval()
    memory = network.start(condition[None])
    said = torch.tensor([[SPECIAL.index(START)]])
    likelihoods = torch.zeros(1)
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
    """One utterance a row of start, words and end."""
    for row, likelihood in zip(said.tolist(), likelihoods.tolist(), strict=True):
        yield BeamHypothesis(tuple(row[1:-1]), likelihood / (len(row) - 1))
