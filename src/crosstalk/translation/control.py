"""Stage 3: which dialogues are judged. A share of them, stratified, the same for a seed.

Every split gives its share: a tenth of 1,000 and 1,000 is 100 and 100. Inside a split, strata are
the domains a dialogue talks about, so that a tenth has a tenth of each; what is left over by
rounding goes to the largest remainders, among equal ones by the seed.
"""

from collections.abc import Sequence
from random import Random

from crosstalk.errors import InputError
from crosstalk.translation.segments import Segment, by_dialogue

Strata = dict[tuple[str, ...], list[str]]
"""Domains to the dialogues that talk about them."""


def draw(segments: Sequence[Segment], share: float, seed: int) -> list[Segment]:
    """Whole dialogues, in their order; ids decide, so that every language gets the same."""
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:g}", remedy="Give a number above 0 and up to 1.")
    dialogues = by_dialogue(segments)
    if not dialogues:
        raise InputError("there is no dialogue to judge", remedy="Give a file that has some.")
    splits: dict[str, Strata] = {}
    for id, turns in dialogues.items():
        strata = splits.setdefault(turns[0].split, {})
        strata.setdefault(tuple(sorted(turns[0].services)), []).append(id)
    drawn: set[str] = set()
    for split, strata in splits.items():
        drawn |= _drawn(strata, share, Random(f"control {seed} {split}"))
    return [segment for id, turns in dialogues.items() if id in drawn for segment in turns]


def _drawn(strata: Strata, share: float, rng: Random) -> set[str]:
    """One split's share, one dialogue at least."""
    found: set[str] = set()
    for domains, count in _counts(strata, share, rng).items():
        found |= set(rng.sample(sorted(strata[domains]), count))
    return found


def _counts(strata: Strata, share: float, rng: Random) -> dict[tuple[str, ...], int]:
    exact = {domains: share * len(strata[domains]) for domains in sorted(strata)}
    counts = {domains: int(number) for domains, number in exact.items()}
    wanted = max(1, round(share * sum(map(len, strata.values()))))
    order = rng.sample(list(exact), len(exact))
    order.sort(key=lambda domains: counts[domains] - exact[domains])
    for domains in order[: wanted - sum(counts.values())]:
        counts[domains] += 1
    return counts
