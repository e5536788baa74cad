"""Stage 3: which dialogues are judged. A share of them, stratified, the same for a seed.

Strata are splits and the domains a dialogue talks about, so that a sample of a tenth has a tenth
of each; what is left over by rounding goes to the largest remainders.
"""

from collections.abc import Sequence
from random import Random

from crosstalk.errors import InputError
from crosstalk.translation.segments import Segment, by_dialogue

Stratum = tuple[str, tuple[str, ...]]


def draw(segments: Sequence[Segment], share: float, seed: int) -> list[Segment]:
    """Whole dialogues, in their order; ids decide, so that every language gets the same."""
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:g}", remedy="Give a number above 0 and up to 1.")
    dialogues = by_dialogue(segments)
    if not dialogues:
        raise InputError("there is no dialogue to judge", remedy="Give a file that has some.")
    strata: dict[Stratum, list[str]] = {}
    for id, turns in dialogues.items():
        about = turns[0]
        strata.setdefault((about.split, tuple(sorted(about.services))), []).append(id)
    wanted = max(1, round(share * len(dialogues)))
    drawn: set[str] = set()
    for stratum, count in _shares(strata, share, wanted).items():
        rng = Random(f"control {seed} {stratum}")
        drawn |= set(rng.sample(sorted(strata[stratum]), count))
    return [segment for id, turns in dialogues.items() if id in drawn for segment in turns]


def _shares(strata: dict[Stratum, list[str]], share: float, wanted: int) -> dict[Stratum, int]:
    exact = {stratum: share * len(ids) for stratum, ids in strata.items()}
    counts = {stratum: int(number) for stratum, number in exact.items()}
    remainders = sorted(exact, key=lambda stratum: (counts[stratum] - exact[stratum], stratum))
    for stratum in remainders[: wanted - sum(counts.values())]:
        counts[stratum] += 1
    return counts
