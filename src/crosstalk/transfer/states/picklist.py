"""The published tracker: an encoder reads the dialogue and picks one value per slot from a list.

The text is `[SYS] ... [USR] ...` of the turns before, a separator, and the turn itself; only its
last word pieces are read. Values are strings, those of both languages side by side in the lists
with nothing to say which of them mean the same, or ids that both languages share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, Final

from crosstalk.corpora.multiwoz_labels import ANY, NONE
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.training.compute import autocast, device
from crosstalk.training.transformer_encoders import TransformerEncoder
from crosstalk.transfer.states.state_dialogues import state_turns
from crosstalk.transfer.states.state_slots import StateSlot
from crosstalk.transfer.step_training import Pace, Schedule, TrainingSetup, train_in_steps

import torch  # isort: skip  # after learning, which says in words that it is missing
from torch import Tensor, nn  # isort: skip
from torch.nn.functional import cross_entropy, gelu  # isort: skip

UNKNOWN: Final = -1
"""The label of a value outside the list; it has no loss."""
VALUE_PIECES: Final = 32
AT_ONCE: Final = 32


@dataclass(frozen=True, slots=True)
class PicklistTraining(Schedule):
    """Settings; those of the published code are `PUBLISHED`."""

    epochs: int = 15
    pieces: int = 256
    spread: bool = False
    """Whether value vectors are standardised; those of an untrained encoder hardly differ."""
    learns_values: bool = True
    """Whether value vectors are trained; as published they stay as the encoder made them."""

    def as_published(self) -> "PicklistTraining":
        """With the defects: gradients never cleared, frozen value vectors, the wrong mask."""
        pace = replace(self.pace, clears=False)
        return replace(self, pace=pace, slips=True, learns_values=False)


PUBLISHED: Final = PicklistTraining(
    Pace(steps=400_000, check_every=4000, rate=5e-5, batch=6, patience=10, falls=False)
)
FROM_NOTHING: Final = PicklistTraining(
    Pace(steps=900, check_every=150, rate=2e-3, batch=24, patience=4, warm_up=60),
    pieces=120,
    epochs=5,
    spread=True,
)
"""For `nano`: about five minutes on one core."""


@dataclass(frozen=True, slots=True)
class Example:
    """The dialogue up to a user turn, and the state after it."""

    before: tuple[str, ...]
    now: tuple[str, str]
    state: Mapping[str, str]


def examples(dialogues: Sequence[Dialogue]) -> list[Example]:
    found = []
    for dialogue in dialogues:
        said: tuple[str, ...] = ()
        for turn in state_turns(dialogue):
            found.append(Example(said, (turn.system, turn.user), turn.state))
            said = (*said, turn.system, turn.user)
    return found


def picklists(
    slots: tuple[StateSlot, ...], listed: Sequence[Mapping[str, Sequence[str]]]
) -> dict[str, list[str]]:
    """`none` and `any` first in every list, then all values by name."""
    return {
        slot.key: [
            NONE,
            ANY,
            *sorted({v for each in listed for v in each.get(slot.key, ())} - {NONE, ANY}),
        ]
        for slot in slots
    }


class Picklist(nn.Module):
    """The network; its forward is the loss of a batch of examples."""

    def __init__(
        self,
        encoder: TransformerEncoder,
        lists: Mapping[str, Sequence[str]],
        training: PicklistTraining,
    ) -> None:
        super().__init__()
        width = encoder.width
        self.body = encoder.body
        self.slots = list(lists)
        self.lists = {slot: list(values) for slot, values in lists.items()}
        self._numbers = {
            slot: {value: number for number, value in enumerate(values)}
            for slot, values in lists.items()
        }
        self.first = nn.ModuleList(nn.Linear(width, width) for _ in lists)
        self.second = nn.ModuleList(nn.Linear(2 * width, width) for _ in lists)
        self.third = nn.ModuleList(nn.Linear(width, 1) for _ in lists)
        self._encoder = replace(encoder, slips=training.slips)
        self._pieces = min(training.pieces, encoder.longest)
        self._cut = lru_cache(60_000)(lambda text: tuple(encoder.pieces(text)))
        self._strings = sorted({value for values in lists.values() for value in values})
        rows = {value: row for row, value in enumerate(self._strings)}
        self._rows = [torch.tensor([rows[value] for value in lists[slot]]) for slot in lists]
        vectors = self._read_values()
        if training.spread:
            vectors = (vectors - vectors.mean(dim=0)) / (vectors.std(dim=0) + 1e-6)
        self.values = nn.Parameter(vectors, requires_grad=training.learns_values)

    @torch.no_grad()
    def _read_values(self) -> Tensor:
        """The vector of each string by the encoder in its present state."""
        start, end = self._encoder.tokenizer.cls_token_id, self._encoder.tokenizer.sep_token_id
        found = []
        for at in range(0, len(self._strings), AT_ONCE):
            some = [
                self._cut(text)[: VALUE_PIECES - 2] for text in self._strings[at : at + AT_ONCE]
            ]
            rows = self._encoder.padded([[start, *pieces, end] for pieces in some])
            found.append(self._encoder.states(rows)[:, 0].float())
        return torch.cat(found).cpu()

    @torch.no_grad()
    def take_over(self, other: "Picklist") -> None:
        """Copy the weights of another network over the same encoder; new values keep theirs."""
        for mine, theirs in ((self.first, other.first), (self.second, other.second),
                             (self.third, other.third)):  # fmt: skip
            mine.load_state_dict(theirs.state_dict())
        rows = {value: row for row, value in enumerate(other._strings)}
        for row, value in enumerate(self._strings):
            if value in rows:
                self.values[row] = other.values[rows[value]]

    def forward(self, batch: Sequence[Example]) -> Tensor:
        """The sum of the losses of all slots, as published."""
        total = torch.zeros((), device=self.values.device)
        for number, logits in enumerate(self._logits(batch)):
            slot = self.slots[number]
            labels = torch.tensor(
                [self._numbers[slot].get(each.state.get(slot, NONE), UNKNOWN) for each in batch],
                device=logits.device,
            )
            if (labels != UNKNOWN).any():
                total = total + cross_entropy(logits, labels, ignore_index=UNKNOWN)
        return total

    def _logits(self, batch: Sequence[Example]) -> list[Tensor]:
        states = self._encoder.states(self._encoder.padded([self.pieces(each) for each in batch]))
        read = states[:, 0]
        found = []
        for number in range(len(self.slots)):
            heard = gelu(self.first[number](read))
            # the layer over text and value side by side, without copying each text for each value
            joint: Any = self.second[number]
            for_text, for_value = joint.weight.split(heard.shape[1], dim=1)
            text = heard @ for_text.T
            values = self.values[self._rows[number]] @ for_value.T + joint.bias
            found.append(self.third[number](gelu(text[:, None] + values[None]))[..., 0])
        return found

    def pieces(self, example: Example) -> list[int]:
        """The start mark, and the last word pieces of everything else."""
        marks = (self._encoder.mark("[SYS]"), self._encoder.mark("[USR]"))
        row: list[int] = []
        for place, text in enumerate(example.before):
            row += [marks[place % 2], *self._cut(text)]
        row.append(int(self._encoder.tokenizer.sep_token_id))
        for mark, text in zip(marks, example.now, strict=True):
            row += [mark, *self._cut(text)]
        return [int(self._encoder.tokenizer.cls_token_id), *row[-(self._pieces - 1) :]]

    @torch.no_grad()
    def track(self, dialogues: Sequence[Dialogue]) -> list[list[dict[str, str]]]:
        """The state after every turn, by the strings of the lists."""
        self.eval()
        self.to(device())
        asked = examples(dialogues)
        states: list[dict[str, str]] = []
        for at in range(0, len(asked), AT_ONCE):
            with autocast():
                logits = self._logits(asked[at : at + AT_ONCE])
            picked = [each.argmax(dim=1).cpu() for each in logits]
            for row in range(len(picked[0])):
                state = {
                    slot: self.lists[slot][int(numbers[row])]
                    for slot, numbers in zip(self.slots, picked, strict=True)
                }
                states.append({slot: value for slot, value in state.items() if value != NONE})
        self.train()
        rest = iter(states)
        return [[next(rest) for _ in state_turns(dialogue)] for dialogue in dialogues]


def train(
    network: Picklist,
    shown: Sequence[Example],
    judged: Sequence[Dialogue],
    pace: Pace,
    course: TrainingSetup,
) -> None:
    """Train; keeps the weights with the best joint goal accuracy on `judged`.

    Without dialogues to judge by, the weights of the last step are kept.
    """

    def draw(rng: Random) -> list[Example]:
        return rng.sample(shown, min(pace.batch, len(shown)))

    train_in_steps(
        network,
        draw,
        lambda: _accuracy(network, judged),
        pace,
        course,
    )


def _accuracy(network: Picklist, dialogues: Sequence[Dialogue]) -> float:
    right: list[bool] = []
    for dialogue, states in zip(dialogues, network.track(dialogues), strict=True):
        right += [
            all(turn.state.get(slot, NONE) == state.get(slot, NONE) for slot in network.slots)
            for turn, state in zip(state_turns(dialogue), states, strict=True)
        ]
    return 100 * sum(right) / len(right) if right else 0.0
