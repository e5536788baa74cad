"""The dual encoders of the Ubuntu paper: one recurrent network reads both context and response.

Its last states c and r give sigmoid(c' M r + b): how likely r responds to c. `rnn` is plain,
`lstm` has gates with peephole connections and a high initial forget bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem, InputError
from crosstalk.retrieval.array_files import load_arrays, save_arrays
from crosstalk.retrieval.chat_vocabulary import PADDING, RankerVocabulary
from crosstalk.retrieval.encoded_pairs import Ids
from crosstalk.retrieval.scorers import Scores, Vectors
from crosstalk.training.compute import autocast, device
from crosstalk.training.config import read_config, write_config

try:
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"recurrent encoders need {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

BATCH = 256
FORGET_BIAS = 2.0
FIRST_INPUT = 0.01
"""Range of the RNN's initial input weights (uniform in plus or minus), as published."""


@dataclass(frozen=True, slots=True)
class RecurrentConfig:
    """Sizes and training; `as_published` has those of the paper and its program."""

    cell: str = "lstm"
    units: int = 200
    width: int = 300
    """Width of word vectors, unless they come from a file."""
    tokens: int = 160
    """Number of tokens that are read."""
    reads: str = "last"
    """Which tokens of a long text: `last`, or `first` as the released program does."""
    bias: bool = False
    """Whether the score has the paper's bias b; the released program has none."""
    batch: int = 256
    rate: float = 0.001
    clip: float = 10.0
    epochs: int = 20
    """Maximum passes over the whole file."""
    patience: int = 3
    frozen: int = 1
    """Epochs in which vectors from a file are frozen (second release: until it stalls)."""

    def as_published(self) -> "RecurrentConfig":
        """Up to 100 passes, vectors trained from the start, the first words read, and a bias."""
        return replace(self, epochs=100, patience=10, frozen=0, bias=True, reads="first")

    def encoded(self, text: str, vocabulary: RankerVocabulary) -> Ids:
        return vocabulary.encode(text, self.tokens, first=self.reads == "first")


PUBLISHED = {"rnn": RecurrentConfig("rnn", units=50), "lstm": RecurrentConfig("lstm")}


class Cell(nn.Module):
    """A recurrent layer with a learnt initial state."""

    def __init__(self, kind: str, width: int, units: int) -> None:
        super().__init__()
        self.gated = kind == "lstm"
        gates = 4 if self.gated else 1
        self.of_input = nn.Linear(width, gates * units)
        self.of_state = nn.Parameter(torch.empty(gates * units, units))
        self.first = nn.Parameter(torch.zeros(2, units))
        self.peepholes = nn.Parameter(torch.zeros(3, units))
        self._begin(units)

    def _begin(self, units: int) -> None:
        for gate in torch.split(self.of_state.data, units):
            nn.init.orthogonal_(gate)
        nn.init.zeros_(self.of_input.bias)
        if self.gated:
            for gate in torch.split(self.of_input.weight.data, units):
                nn.init.orthogonal_(gate)
            self.of_input.bias.data[units : 2 * units] = FORGET_BIAS
        else:
            nn.init.uniform_(self.of_input.weight, -FIRST_INPUT, FIRST_INPUT)

    def forward(self, vectors: Tensor, sizes: Sequence[int]) -> Tensor:
        """The last states of texts that end together, the longest first.

        `vectors` are the words place by place, `sizes` how many texts have begun at each place.
        """
        state, cell = self.first[0].expand(0, -1), self.first[1].expand(0, -1)
        for inputs in self.of_input(vectors).split(list(sizes)):
            begun = len(inputs) - len(state)
            if begun:
                state = torch.cat([state, self.first[0].expand(begun, -1)])
                cell = torch.cat([cell, self.first[1].expand(begun, -1)])
            state, cell = self._step(inputs + state @ self.of_state.T, cell)
        return state

    def _step(self, sums: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        if not self.gated:
            return torch.tanh(sums), cell
        write, keep, new, show = sums.chunk(4, dim=1)
        kept = torch.sigmoid(keep + self.peepholes[1] * cell) * cell
        cell = kept + torch.sigmoid(write + self.peepholes[0] * cell) * torch.tanh(new)
        return torch.sigmoid(show + self.peepholes[2] * cell) * torch.tanh(cell), cell


class RecurrentEncoder(nn.Module):
    """Shared embeddings and cell, and the bilinear matrix M, initialised as the identity."""

    def __init__(self, config: RecurrentConfig, vectors: NDArray[np.float32]) -> None:
        super().__init__()
        self.words = nn.Embedding(len(vectors), vectors.shape[1], padding_idx=PADDING)
        self.words.weight.data = torch.from_numpy(vectors.copy())
        self.cell = Cell(config.cell, vectors.shape[1], config.units)
        self.between = nn.Parameter(torch.eye(config.units))
        self.bias = nn.Parameter(torch.zeros(1)) if config.bias else None

    def read(self, texts: Sequence[Ids]) -> Tensor:
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        words, sizes = by_place([texts[at] for at in order])
        numbers = torch.from_numpy(words).to(self.between.device)
        states: Tensor = self.cell(self.words(numbers), sizes)
        return states[torch.from_numpy(np.argsort(order)).to(states.device)]

    def forward(self, contexts: Sequence[Ids], responses: Sequence[Ids]) -> Tensor:
        """Return logits."""
        scores = (self.read(contexts) @ self.between * self.read(responses)).sum(dim=1)
        return scores if self.bias is None else scores + self.bias


@dataclass(frozen=True, slots=True)
class RecurrentScorer:
    """A trained network with its vocabulary."""

    config: RecurrentConfig
    vocabulary: RankerVocabulary
    network: RecurrentEncoder

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        before, said = self.context_vectors(contexts), self.response_vectors(responses)
        scores = np.asarray(np.einsum("ij,ij->i", before, said), np.float64)
        return scores if self.network.bias is None else scores + float(self.network.bias.detach())

    def context_vectors(self, contexts: Sequence[str]) -> Vectors:
        return np.asarray(self.states(contexts) @ self.network.between.detach().cpu().numpy())

    def response_vectors(self, responses: Sequence[str]) -> Vectors:
        return self.states(responses)

    def states(self, texts: Sequence[str]) -> Vectors:
        """Return the last states; distinct texts are read once, in batches of similar length."""
        different = list(dict.fromkeys(texts))
        ids = [self.config.encoded(text, self.vocabulary) for text in different]
        order = np.argsort([len(each) for each in ids], kind="stable")
        rows = np.zeros((len(ids), self.config.units), dtype=np.float32)
        self.network.to(device())
        with torch.no_grad(), autocast():
            for at in range(0, len(order), BATCH):
                chosen = order[at : at + BATCH]
                read = self.network.read([ids[each] for each in chosen])
                rows[chosen] = read.float().cpu().numpy()
        places = {text: number for number, text in enumerate(different)}
        return rows[[places[text] for text in texts]]

    def save(self, folder: Path) -> None:
        write_config(folder, self.config)
        self.vocabulary.save(folder)
        weights = {name: each.cpu().numpy() for name, each in self.network.state_dict().items()}
        save_arrays(folder, weights)

    @classmethod
    def load(cls, folder: Path) -> "RecurrentScorer":
        config, vocabulary = read_config(folder, RecurrentConfig), RankerVocabulary.load(folder)
        arrays = load_arrays(folder, {"words.weight": (len(vocabulary), None)})
        network = RecurrentEncoder(config, arrays["words.weight"])
        try:
            network.load_state_dict({name: torch.from_numpy(each) for name, each in arrays.items()})
        except RuntimeError as error:
            raise FileProblem(
                f"{folder}: the weights do not fit config.json", remedy="Train the model anew."
            ) from error
        network.eval()
        return cls(config, vocabulary, network)


def by_place(texts: Sequence[Ids]) -> tuple[Ids, list[int]]:
    """All first words, all second ones ... and how many each are, of texts that end together.

    The longest text comes first: by_place([6 7 8], [5]) gives 6 7 8 5 and 1 1 2.
    """
    longest = len(texts[0])
    places = np.concatenate([np.arange(longest - len(text), longest) for text in texts])
    words = np.concatenate(texts)[np.argsort(places, kind="stable")]
    return words, np.bincount(places).tolist()
