"""Text between participants: NLU and generator as functions that a session calls.

The two sides share nothing but text: neither sees the acts of the other. What a speaker understood
is stored with its answer (`UNDERSTOOD`), so that a saved dialogue shows where it went wrong.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from crosstalk.corpora.record_encoding import decode_act, encode_act
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import ACTIONS, Speaker, Turn
from crosstalk.errors import FormatError
from crosstalk.system.nlg.generator import Generator, ParaphrasingGenerator
from crosstalk.system.nlu.understanding import Understanding

Acts = tuple[Act, ...]
History = tuple[Turn, ...]
"""The turns so far as one side knows them: its own acts, and the other's as understood."""

Understands = Callable[[Turn, History], Turn]
"""A turn and the history -> the turn with the acts understood."""
Says = Callable[[Acts, History], str]
"""Acts and the history -> text."""

WAYS: Final = 8
"""Wordings that are tried."""

REPETITION_PENALTY: Final = 100
"""Penalty of a wording used before, in act errors; more than any turn can have."""

UNDERSTOOD: Final = "understood"
"""In the extras of a turn: the acts its speaker understood of the turn before."""

VOICE: Final = "voice"
"""In the extras of a user's turn: how a language model phrased it."""


def given_acts(heard: Turn, history: History) -> Turn:
    """The turn itself: at act level its acts are given."""
    return heard


def no_text(acts: Acts, history: History) -> str:
    """Empty: at act level nothing is verbalised."""
    return ""


@dataclass(frozen=True, slots=True)
class NLUAdapter:
    """Understands a turn from its speaker and text alone."""

    understanding: Understanding
    in_context: bool = True
    """False: without the history, as the published simulation does on the user's side."""

    def __call__(self, heard: Turn, history: History) -> Turn:
        bare = Turn(heard.speaker, heard.text)
        known = history if self.in_context else ()
        return replace(bare, acts=self.understanding.understand(bare, known))


@dataclass(frozen=True, slots=True)
class SeededGenerator:
    """A generator whose random draws depend only on the seed and the dialogue so far."""

    generator: Generator
    seed: str

    def __call__(self, acts: Acts, history: History) -> str:
        return self.generator.say(acts, _chance(self.seed, history))


@dataclass(frozen=True, slots=True)
class SelfCheckingGenerator:
    """Says the first wording that its own NLU understands as meant.

    If none of `WAYS` wordings is, the one with the fewest errors is said. Acts said before get
    another wording, since the first had no success.
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
            wrong = act_errors(acts, understood) + REPETITION_PENALTY * (text in said)
            if wrong < least:
                best, least = text, wrong
            if not wrong:
                break
        return best


def act_errors(meant: Acts, understood: Acts) -> int:
    """Twice the number of acts missed, plus the number of acts wrongly understood."""
    return 2 * len(set(meant) - set(understood)) + len(set(understood) - set(meant))


def _chance(seed: str, history: History) -> Random:
    last = history[-1].text if history else ""
    return Random(f"words {seed} {len(history)} {last}")


def understood_extras(heard: Turn | None, taken: Turn | None) -> dict[str, Any]:
    """Extras for the answer to a turn: the acts understood; empty at act level."""
    if taken is None or taken is heard:
        return {}
    return {UNDERSTOOD: [encode_act(act) for act in taken.acts]}


def with_calls(taken: Turn, heard: Turn) -> Turn:
    """A turn as understood, with the actions done in it: a user knows these, whatever is said."""
    if taken is heard or ACTIONS not in heard.extras:
        return taken
    return replace(taken, extras={**taken.extras, ACTIONS: heard.extras[ACTIONS]})


def understood_acts(answer: Turn) -> Acts | None:
    """The acts that the speaker of a turn understood of the turn before; None at act level."""
    records: Iterable[Mapping[str, Any]] | None = answer.extras.get(UNDERSTOOD)
    try:
        return None if records is None else tuple(decode_act(dict(record)) for record in records)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"a turn whose {UNDERSTOOD!r} are no acts: {records!r:.80}") from error
