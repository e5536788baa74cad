"""The network of BERTNLU: an encoder with a head for tags and one for labels.

With context, the pooled vector of the last utterances, by the same encoder, stands beside every
vector of the utterance; gradients flow through both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel

IGNORED: Final = -100
"""The tag of wordpieces that do not count: marks and padding."""


@dataclass(frozen=True, slots=True)
class Coded:
    """An utterance as numbers."""

    words: list[int]
    context: list[int]
    tags: list[int]
    """One a wordpiece, without those of the marks at either end."""
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
        cls, coded: Sequence[Coded], labels: int, padding: int, device: torch.device
    ) -> "WordpieceBatch":
        words, mask = _padded([each.words for each in coded], padding)
        context, context_mask = _padded([each.context for each in coded], padding)
        tags = torch.full_like(words, IGNORED)
        lit = torch.zeros(len(coded), labels)
        for row, each in enumerate(coded):
            size = min(len(each.tags), len(each.words) - 2)
            tags[row, 1 : 1 + size] = torch.tensor(each.tags[:size])
            lit[row, each.labels] = 1
        several = (words, mask, context, context_mask, tags, lit)
        return cls(*(each.to(device) for each in several))


def _padded(rows: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
    size = max(map(len, rows))
    padded = torch.full((len(rows), size), padding)
    mask = torch.zeros(len(rows), size, dtype=torch.long)
    for row, numbers in enumerate(rows):
        padded[row, : len(numbers)] = torch.tensor(numbers)
        mask[row, : len(numbers)] = 1
    return padded, mask


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


class JointNetwork(nn.Module):
    """Wordpieces in, logits of tags and of labels out."""

    def __init__(
        self, encoder: "PreTrainedModel", tags: int, labels: int, *, context: bool, dropout: float
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
        """A vector for each wordpiece and one for all; the first one's where none is pooled."""
        found = self.encoder(input_ids=words, attention_mask=mask)
        each: Tensor = found.last_hidden_state
        pooled = getattr(found, "pooler_output", None)
        return each, each[:, 0] if pooled is None else pooled


def joint_loss(tags: Tensor, labels: Tensor, batch: WordpieceBatch, weights: Tensor) -> Tensor:
    """Cross-entropy of tags plus that of labels, whose rare ones weigh more."""
    of_tags = nn.functional.cross_entropy(
        tags.flatten(0, 1), batch.tags.flatten(), ignore_index=IGNORED
    )
    of_labels = nn.functional.binary_cross_entropy_with_logits(
        labels, batch.labels, pos_weight=weights
    )
    return of_tags + of_labels
