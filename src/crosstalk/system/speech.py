"""How a participant understands words, and how it puts acts into words.

Listener and speaker share nothing but the text: what one said in acts the other never sees. What
was understood is kept with the answer to it, so that a saved dialogue tells where it went wrong.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from crosstalk.corpora.record_encoding import decode_act, encode_act
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlg.generator import Generator, ParaphrasingGenerator
from crosstalk.system.nlu.understanding import Understanding

Acts = tuple[Act, ...]
History = tuple[Turn, ...]
"""The turns so far as one side knows them: its own acts, and the other's as understood."""

Understands = Callable[[Turn, History], Turn]
"""A turn as heard, and what went before -> the turn with the acts it is taken for."""
Says = Callable[[Acts, History], str]
"""Acts, and what went before -> words."""

WAYS: Final = 8
"""Ways to say a turn that are tried out."""

VAIN: Final = 100
"""What it counts that the same words were said before, in acts misheard: more than any turn has."""

UNDERSTOOD: Final = "understood"
"""In the extras of a turn: the acts its speaker took the turn before it for."""


def acts_as_given(heard: Turn, history: History) -> Turn:
    """Understanding at act level."""
    return heard


def without_words(acts: Acts, history: History) -> str:
    """Speech at act level."""
    return ""


@dataclass(frozen=True, slots=True)
class NLUAdapter:
    """Understanding from words alone: of what was heard, only speaker and text are looked at."""

    understanding: Understanding
    in_context: bool = True
    """False: every utterance by itself, as the published simulation has it on the user's side."""

    def __call__(self, heard: Turn, history: History) -> Turn:
        bare = Turn(heard.speaker, heard.text)
        known = history if self.in_context else ()
        return replace(bare, acts=self.understanding.understand(bare, known))


@dataclass(frozen=True, slots=True)
class Voice:
    """A generator whose chance depends on the seed and the dialogue so far alone."""

    generator: Generator
    seed: str

    def __call__(self, acts: Acts, history: History) -> str:
        return self.generator.say(acts, _chance(self.seed, history))


@dataclass(frozen=True, slots=True)
class CarefulVoice:
    """Listens to itself before it speaks: says it in the first words it would itself understand.

    Where none of `WAYS` ways is understood as meant, the least misleading one is said. What it has
    to say once more it says in other words: the first ones had no success.
    """

    generator: ParaphrasingGenerator
    listener: Understanding
    speaker: Speaker
    seed: str

    def __call__(self, acts: Acts, history: History) -> str:
        said = {turn.text for turn in history if turn.acts == acts}
        best, least = "", math.inf
        for text in self.generator.ways(acts, _chance(self.seed, history), WAYS):
            understood = self.listener.understand(Turn(self.speaker, text), history)
            wrong = misheard(acts, understood) + VAIN * (text in said)
            if wrong < least:
                best, least = text, wrong
            if not wrong:
                break
        return best


def misheard(meant: Acts, understood: Acts) -> int:
    """Acts lost, counted twice, and acts heard that nobody meant."""
    return 2 * len(set(meant) - set(understood)) + len(set(understood) - set(meant))


def _chance(seed: str, history: History) -> Random:
    last = history[-1].text if history else ""
    return Random(f"words {seed} {len(history)} {last}")


def note(heard: Turn | None, taken: Turn | None) -> dict[str, Any]:
    """Extras for the answer to a turn: what it was taken for; nothing where acts were given."""
    if taken is None or taken is heard:
        return {}
    return {UNDERSTOOD: [encode_act(act) for act in taken.acts]}


def understood_by(answer: Turn) -> Acts | None:
    """What the speaker of a turn took the turn before it for; None at act level."""
    records: Iterable[Mapping[str, Any]] | None = answer.extras.get(UNDERSTOOD)
    return None if records is None else tuple(decode_act(dict(record)) for record in records)
