"""Which threads are dialogues, and why the others are not."""

from enum import StrEnum

from crosstalk.chatlogs.threads import Thread

FEWEST_TURNS = 3
ONE_SIDED_FROM = 6
"""Lines from which on nobody may speak more than four fifths of them."""
SURE = 0.78
"""Confidence that the links of a dialogue have on average. On annotated days a third of the
two-person dialogues have less; purity is 93.7 % with them and 95.3 % without on days that were held
back from training, and 96.4 against 98.9 % on the dev days, which several people annotated. At 0.84
half are left, with 96.4 and 99.5 %."""


class Dropped(StrEnum):
    """Why a thread is no dialogue."""

    TOO_SHORT = "fewer than three turns"
    ONE_SIDED = "one speaker has more than 80 % of the lines"
    UNSURE = "the linker is not sure of its lines"


def why_dropped(thread: Thread, turns: int, sure: float = 0.0) -> Dropped | None:
    """None for a dialogue worth keeping; `turns` as `count_turns` gives them."""
    if turns < FEWEST_TURNS:
        return Dropped.TOO_SHORT
    if len(thread) >= ONE_SIDED_FROM:
        spoken = [line.speaker for line in thread]
        most = max(map(spoken.count, set(spoken)))
        if 5 * most > 4 * len(thread):
            return Dropped.ONE_SIDED
    return None if is_sure(thread, sure) else Dropped.UNSURE


def is_sure(thread: Thread, sure: float) -> bool:
    """Whether links are trusted so far on average; always, where a method says nothing of it."""
    if not sure:
        return True
    told = [line.confidence for line in thread if line.confidence is not None]
    return sum(told) >= sure * len(told)
