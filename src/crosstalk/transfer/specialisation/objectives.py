"""What an encoder is specialised on: hidden words, right responses, or both for dialogues.

Each objective is a module whose forward takes a batch and gives its loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from crosstalk.training.transformer_encoders import TransformerEncoder

HIDDEN: Final = 0.15
"""The share of word pieces that is to be guessed; 80 % are masked, 10 % exchanged, 10 % left."""
IGNORED: Final = -100


class MaskedWords(nn.Module):
    """MLM, and TLM where the texts hold two languages. A batch is texts and a generator."""

    def __init__(self, encoder: TransformerEncoder, longest: int = 256) -> None:
        super().__init__()
        self.network = encoder.network
        self._encoder = encoder
        self._longest = min(longest, encoder.longest)

    def forward(self, batch: tuple[Sequence[str], Random]) -> Tensor:
        texts, rng = batch
        return hidden_words(self._encoder, [self.row(text) for text in texts], rng)[0]

    def row(self, text: str) -> list[int]:
        start, end = _ends(self._encoder)
        return [start, *self._encoder.pieces(text)[: self._longest - 2], end]


class RightResponse(nn.Module):
    """RS: a pair is read as one, and its first state says whether the response is right."""

    def __init__(self, encoder: TransformerEncoder, side: int = 128) -> None:
        super().__init__()
        self.body = encoder.body
        self.dense = nn.Linear(encoder.width, encoder.width)
        self.out = nn.Linear(encoder.width, 2)
        self._encoder = encoder
        self._side = min(side, encoder.longest // 2)

    def forward(self, batch: Sequence[tuple[str, str, int]]) -> Tensor:
        labels = torch.tensor([label for _, _, label in batch])
        logits = self.logits([(context, response) for context, response, _ in batch])
        return cross_entropy(logits, labels.to(logits.device))

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        numbers = self._encoder.padded([self._row(*pair) for pair in pairs])
        first = self._encoder.states(numbers.to(self.out.weight.device))[:, 0]
        logits: Tensor = self.out(torch.tanh(self.dense(first)))
        return logits

    def _row(self, context: str, response: str) -> list[int]:
        """The end of the context and the start of the response."""
        start, end = _ends(self._encoder)
        before = self._encoder.pieces(context)[-(self._side - 2) :]
        after = self._encoder.pieces(response)[: self._side - 2]
        return [start, *before, end, end, *after, end]


class TalkObjective(nn.Module):
    """TOD: hidden words of a dialogue, and which response of the batch follows it.

    A batch is dialogues as lists of turns, the system's first, and a generator.
    """

    def __init__(
        self, encoder: TransformerEncoder, context: int = 512, response: int = 150
    ) -> None:
        super().__init__()
        self.network = encoder.network
        self._encoder = encoder
        self._context = min(context, encoder.longest)
        self._response = min(response, encoder.longest)

    def forward(self, batch: "tuple[Sequence[Sequence[SpokenTurn]], Random]") -> Tensor:
        dialogues, rng = batch
        pairs = [split_at(turns, rng) for turns in dialogues]
        contexts = [self.row(before, self._context, last=True) for before, _ in pairs]
        responses = [self.row(after, self._response, last=False) for _, after in pairs]
        words, states = hidden_words(self._encoder, contexts, rng)
        first, device = states[:, 0], states.device
        answers = self._encoder.states(self._encoder.padded(responses).to(device))[:, 0]
        return words + cross_entropy(first @ answers.T, torch.arange(len(pairs)).to(device))

    def row(self, turns: "Sequence[SpokenTurn]", room: int, *, last: bool) -> list[int]:
        """`<s>` and the turns, each after its mark; cut on the left, or on the right."""
        pieces: list[int] = []
        for turn in turns:
            pieces += [self._encoder.mark(turn.mark), *self._encoder.pieces(turn.text)]
        kept = pieces[-(room - 1) :] if last else pieces[: room - 1]
        return [_ends(self._encoder)[0], *kept]


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn and who says it."""

    mark: str
    """`[SYS]` or `[USR]`"""
    text: str


def split_at(turns: Sequence[SpokenTurn], rng: Random) -> tuple[list[SpokenTurn], list[SpokenTurn]]:
    """All before a turn of the system, and that turn.

    As published: where both speak more than twice, one is drawn that a user answers and that is not
    the first; else it is the last one.
    """
    systems = [place for place, turn in enumerate(turns) if turn.mark == "[SYS]"]
    fewest = min(len(systems), len(turns) - len(systems))
    place = systems[rng.randint(1, fewest - 1)] if fewest > 2 else max(systems, default=0)
    if not place:
        middle = max(len(turns) // 2, 1)
        return list(turns[:middle]), list(turns[middle:] or turns[:1])
    return list(turns[:place]), [turns[place]]


def hidden_words(
    encoder: TransformerEncoder, rows: Sequence[Sequence[int]], rng: Random
) -> tuple[Tensor, Tensor]:
    """The loss of guessing pieces that are hidden, and the states they were guessed from."""
    hidden, labels = hide(encoder, rows, rng)
    device = next(encoder.network.parameters()).device
    asked = labels != IGNORED
    states, guesses = encoder.masked_predictions(hidden.to(device), asked.to(device))
    return cross_entropy(guesses, labels[asked].to(device)), states


def hide(
    encoder: TransformerEncoder, rows: Sequence[Sequence[int]], rng: Random
) -> tuple[Tensor, Tensor]:
    """The rows with some pieces hidden, and what stood there; marks and padding are exempt."""
    special = set(encoder.tokenizer.all_special_ids)
    mask, words = int(encoder.tokenizer.mask_token_id), len(encoder.tokenizer)
    hidden, labels = [], []
    for row in rows:
        places = [place for place, piece in enumerate(row) if piece not in special]
        chosen = {place for place in places if rng.random() < HIDDEN}
        if places and not chosen:
            chosen = {rng.choice(places)}
        hidden.append([_hidden(row[at], rng, mask, words) if at in chosen else row[at]
                       for at in range(len(row))])  # fmt: skip
        labels.append([row[at] if at in chosen else IGNORED for at in range(len(row))])
    longest = max(map(len, rows))
    padded = [[*row, *[IGNORED] * (longest - len(row))] for row in labels]
    return encoder.padded(hidden), torch.tensor(padded)


def _hidden(piece: int, rng: Random, mask: int, words: int) -> int:
    toss = rng.random()
    if toss < 0.8:
        return mask
    return rng.randrange(words) if toss < 0.9 else piece


def _ends(encoder: TransformerEncoder) -> tuple[int, int]:
    return int(encoder.tokenizer.cls_token_id), int(encoder.tokenizer.sep_token_id)
