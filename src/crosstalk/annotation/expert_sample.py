"""Samples of dialogues for experts, without existing annotation."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.errors import InputError

T = TypeVar("T")


def sample(dialogues: Sequence[T], share: float, rng: Random) -> list[T]:
    """A random share of the dialogues, at least one, in their order."""
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:g}", remedy="Give a number above 0 and up to 1.")
    if not dialogues:
        raise InputError("there is no dialogue to sample", remedy="Give a corpus that has some.")
    count = max(1, round(share * len(dialogues)))
    return [dialogues[number] for number in sorted(rng.sample(range(len(dialogues)), count))]


def without_acts(dialogue: Dialogue) -> Dialogue:
    """The dialogue without its acts."""
    turns = (replace(turn, acts=(), acts_from="") for turn in dialogue.turns)
    return replace(dialogue, turns=tuple(turns))


def blind(dialogue: Dialogue) -> Dialogue:
    """Only texts and goal: no acts, states, workers or extras."""
    return Dialogue(
        id=dialogue.id,
        turns=tuple(Turn(turn.speaker, turn.text) for turn in dialogue.turns),
        goal=dialogue.goal,
        language=dialogue.language,
        world=dialogue.world,
    )
