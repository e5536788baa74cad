"""The network of TRADE: one encoder, one decoder for all fields, copying words from the dialogue.

Each field starts the decoder with the sum of its domain's and its slot's vector. A gate on what
the decoder first looks at says whether the field is filled; its words then come from a mixture of
the vocabulary, whose vectors are those of the words read, and the words of the dialogue.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

from crosstalk.system.dst.trade_words import END, PADDING, SPECIAL, UNKNOWN, Field

EMPTY: Final = 0
FILLED: Final = 1
GATES: Final = 2
_UNKNOWN: Final = SPECIAL.index(UNKNOWN)
_PADDING: Final = SPECIAL.index(PADDING)
_END: Final = SPECIAL.index(END)
_SMALLEST: Final = 1e-10


@dataclass(frozen=True, slots=True)
class TradeShape:
    """How large a network is."""

    words: int
    hidden: int = 100
    dropout: float = 0.2


@dataclass(frozen=True, slots=True)
class Stories:
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

    story: Tensor
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
    """Where the decoder stands, for all fields of all dialogues."""

    hidden: Tensor
    weights: Tensor
    """How much each word of the dialogue is looked at."""
    seen: Tensor
    given: Tensor


class TradeNetwork(nn.Module):
    """Dialogues in; gates of all fields, and words of the fields asked for, out."""

    def __init__(self, shape: TradeShape, fields: Sequence[Field]) -> None:
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
        self, told: Stories, rows: FieldRows, wanted: Tensor, *, teach: bool
    ) -> tuple[Tensor, Tensor]:
        """Gates of all fields, and how likely each wanted word of the rows is.

        `teach`: each word follows the wanted one, else the one the network would have said.
        """
        encoded = self._encoded(told)
        decoding = self._begun(encoded)
        gates, found = self.gate(decoding.seen), []
        for word in wanted.unbind(dim=1):
            odds = self._odds(encoded, rows, decoding)
            found.append(odds.gather(1, word.unsqueeze(1)))
            decoding = self._next(encoded, rows, decoding, word if teach else odds.argmax(dim=-1))
        return gates, torch.cat(found, dim=1)

    @torch.no_grad()
    def read(self, told: Stories, longest: int) -> list[dict[int, list[int]]]:
        """Of each dialogue, the words of the fields whose gate says that they are filled."""
        encoded = self._encoded(told)
        decoding = self._begun(encoded)
        filled = self.gate(decoding.seen).argmax(dim=-1) == FILLED
        rows = FieldRows(*filled.nonzero(as_tuple=True))
        said = []
        for _ in range(longest):
            best = self._odds(encoded, rows, decoding).argmax(dim=-1)
            said.append(best)
            decoding = self._next(encoded, rows, decoding, best)
        read: list[dict[int, list[int]]] = [{} for _ in range(len(filled))]
        pairs = zip(rows.story.tolist(), rows.field.tolist(), strict=True)
        for (story, field), words in zip(pairs, torch.stack(said, 1).tolist(), strict=True):
            read[story][field] = words[: words.index(_END)] if _END in words else words
        return read

    def _encoded(self, told: Stories) -> _Encoded:
        words = told.words
        if self.training:  # some words go unknown, so that copying is learnt
            kept = torch.rand(words.shape, device=words.device) >= self.shape.dropout
            words = torch.where(kept | (words == _PADDING), words, _UNKNOWN)
        seen = self.dropout(self.vectors(words))
        turned = _turned(told.sizes.to(words.device), words.shape[1])
        onwards, _ = self.onwards(seen)
        backwards, _ = self.backwards(_taken(seen, turned))
        ends = (told.sizes - 1).to(words.device).view(-1, 1)
        last = _taken(onwards + backwards, ends).squeeze(1)
        each = onwards + _taken(backwards, turned)
        return _Encoded(each, last, words != _PADDING, told.copies, told.new)

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
        given = before.given.index_put((rows.story, rows.field), self.vectors(known))
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
        at = (rows.story, rows.field)
        hidden, seen, given = decoding.hidden[at], decoding.seen[at], decoding.given[at]
        spoken = torch.softmax(hidden @ self.vectors.weight.T, dim=-1)
        share = torch.sigmoid(self.switch(torch.cat([hidden, seen, given], dim=-1)))
        mixed = nn.functional.pad(share * spoken, (0, encoded.new))
        return mixed.scatter_add(1, encoded.copies[rows.story], (1 - share) * decoding.weights[at])


def _turned(sizes: Tensor, longest: int) -> Tensor:
    """The places of each row in reverse; those of its padding stay.

    Quicker than packed sequences, whose gradients take the square of the length on a processor.
    """
    places = torch.arange(longest, device=sizes.device).unsqueeze(0)
    back = sizes.unsqueeze(1) - 1 - places
    return torch.where(back >= 0, back, places)


def _taken(vectors: Tensor, places: Tensor) -> Tensor:
    return vectors.gather(1, places.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))


def all_rows(stories: int, fields: int, device: torch.device) -> FieldRows:
    story = torch.arange(stories, device=device).repeat_interleave(fields)
    return FieldRows(story, torch.arange(fields, device=device).repeat(stories))


def trade_loss(
    gates: Tensor, likelihoods: Tensor, filled: Tensor, wanted: Tensor, weights: Tensor
) -> Tensor:
    """Cross-entropy of the words that count plus that of all gates.

    `weights`: 1 for a word that counts, 0 for padding.
    """
    words = -(likelihoods + _SMALLEST).log() * weights
    of_gates = nn.functional.cross_entropy(gates.flatten(0, 1), filled.flatten())
    return words.sum() / weights.sum().clamp(min=1) + of_gates
