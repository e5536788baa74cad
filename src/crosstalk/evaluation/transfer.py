"""Joint goal accuracy and slot accuracy of trackers across languages, as published.

A turn is right if all slots are; a slot is right if the values are equal, or if the guess is one
of those that the label gives with a bar between. Slots without a value count: a tracker that never
says anything has a slot accuracy of 81 on MultiWOZ.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.evaluation.counts import Share
from crosstalk.evaluation.response_selection import Ranking
from crosstalk.transfer.candidates import candidate_lists
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.slots import NONE, StateSlot
from crosstalk.transfer.states.turns import StateDialogue

AT: Final = (1, 3, 5, 10)


class EncodedCorpus(Protocol):
    """A corpus that a retriever has read."""

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        """A row for each exchange asked, a column for the answer of each candidate."""
        ...


def rank_answers(
    reading: EncodedCorpus, responses: Sequence[str], *, seed: int, distinct: bool = False
) -> Ranking:
    """How the true answer of every exchange stands among its hundred candidates."""
    better, tied = list[int](), list[int]()
    for listed in candidate_lists(len(responses), seed=seed):
        scores = np.asarray(reading.among(listed.asked, listed.candidates), np.float64)
        own = scores.diagonal()[:, None]
        false = np.eye(*scores.shape) == 0
        if distinct:
            false = false & _first_of_text(listed.asked, listed.candidates, responses)
        better += ((scores > own) & false).sum(1).tolist()
        tied += ((scores == own) & false).sum(1).tolist()
    return Ranking(tuple(better), tuple(tied))


def _first_of_text(
    asked: Sequence[int], candidates: Sequence[int], responses: Sequence[str]
) -> NDArray[np.bool_]:
    """Which candidates count: the first of each text, and none that says what the answer says."""
    first = {responses[each]: place for place, each in reversed(list(enumerate(candidates)))}
    counts = np.array([first[responses[each]] == place for place, each in enumerate(candidates)])
    twins = np.array([[responses[a] == responses[c] for c in candidates] for a in asked])
    return np.asarray(counts[None, :] & ~twins)


def figures(ranking: Ranking) -> dict[str, float]:
    return {f"r100@{k}": round(ranking.recall(k) or 0.0, 2) for k in AT}


State = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StateScore:
    """Turns all of whose slots are right, single slots, and which slots were wrong how often."""

    joint: Share = field(default_factory=Share)
    slots: Share = field(default_factory=Share)
    wrong: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "StateScore") -> "StateScore":
        return StateScore(
            self.joint + other.joint, self.slots + other.slots, self.wrong + other.wrong
        )


def score_states(
    guesses: Sequence[Sequence[State]], dialogues: Sequence[StateDialogue], ontology: Ontology
) -> StateScore:
    """`guesses`: one state by value ids a turn."""

    def by_id(dialogue: StateDialogue, state: State) -> State:
        spoken = dialogue.labelled
        return {slot: ontology.id_of(slot, value, spoken) for slot, value in state.items()}

    return _score(guesses, dialogues, ontology.slots, by_id)


def score_labels(
    guesses: Sequence[Sequence[State]],
    dialogues: Sequence[StateDialogue],
    slots: tuple[StateSlot, ...],
) -> StateScore:
    """`guesses`: one state by the strings of the files a turn, as published."""
    return _score(guesses, dialogues, slots, lambda _, state: state)


def _score(
    guesses: Sequence[Sequence[State]],
    dialogues: Sequence[StateDialogue],
    slots: tuple[StateSlot, ...],
    true: Callable[[StateDialogue, State], State],
) -> StateScore:
    score = StateScore()
    keys = [slot.key for slot in slots]
    for dialogue, states in zip(dialogues, guesses, strict=True):
        if len(states) != len(dialogue.turns):
            raise InputError(
                f"dialogue {dialogue.id}: {len(states)} states for {len(dialogue.turns)} turns",
                remedy="Give one state a turn.",
            )
        for turn, state in zip(dialogue.turns, states, strict=True):
            score += score_turn(state, true(dialogue, turn.state), keys)
    return score


def score_turn(guess: State, true: State, slots: Sequence[str]) -> StateScore:
    wrong = [slot for slot in slots if not same_value(guess.get(slot, NONE), true.get(slot, NONE))]
    return StateScore(
        Share(int(not wrong), 1), Share(len(slots) - len(wrong), len(slots)), Counter(wrong)
    )


def same_value(guess: str, true: str) -> bool:
    return guess == true or guess in true.split("|")
