"""Few-shot draws: so many percent of the dialogues of a language, nested, by seed.

The dialogues of 1 % are among those of 5 % of the same seed, and so on; whole dialogues are drawn,
never turns, so that no dialogue is half known.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

from crosstalk.errors import InputError

SHARES: Final = (0, 1, 5, 10, 50, 100)
"""Percent of the target's dialogues; 0 is zero-shot."""
SEEDS: Final = (1, 2, 3)
T = TypeVar("T")


def draw_shots(dialogues: Sequence[T], percent: int, *, seed: int) -> list[T]:
    """At least one dialogue where the share is above 0; rounded up: 10 of 999 are 1 %."""
    refuse_share(percent)
    order = list(range(len(dialogues)))
    Random(f"shots {seed}").shuffle(order)
    count = -(-len(dialogues) * percent // 100)
    return [dialogues[place] for place in order[:count]]


def refuse_share(percent: int) -> None:
    if percent not in SHARES:
        raise InputError(
            f"--shots {percent}: not a share we draw",
            remedy=f"Give {', '.join(map(str, SHARES))} (percent of the target's dialogues).",
        )
