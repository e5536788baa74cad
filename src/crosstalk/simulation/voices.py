"""Words for what was said in acts: every turn of a finished talk, as its side would say it."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlg.generator import Generator

Voices = Mapping[Speaker, Generator]
"""Who puts the acts of each side into words; empty: nobody does."""


def in_words(turns: tuple[Turn, ...], voices: Voices, seed: str) -> tuple[Turn, ...]:
    """The turns with their text; the same seed gives the same words."""
    if not voices:
        return turns
    rng = Random(f"words {seed}")
    return tuple(
        replace(turn, text=voices[turn.speaker].say(turn.acts, rng)) if not turn.text else turn
        for turn in turns
    )
