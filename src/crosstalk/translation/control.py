"""Stage 3: which dialogues are judged. A share of them, stratified, the same for a seed.

Every split gives its share: a tenth of 1,000 and 1,000 is 100 and 100. Inside a split, strata are
the domains a dialogue talks about, so that a tenth has a tenth of each; what is left over by
rounding goes to the largest remainders, among equal ones by the seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from crosstalk.errors import InputError
from crosstalk.files import making_folder
from crosstalk.translation.appendix_b import blind, write_judgements
from crosstalk.translation.names import refuse_names
from crosstalk.translation.segments import Segment, by_dialogue
from crosstalk.translation.staff import everybody_ever
from crosstalk.translation.work import Work, refuse_unedited

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


@dataclass(frozen=True, slots=True)
class ControlOptions:
    """Who judges how much of a translation."""

    annotators: tuple[str, ...] = ("annotator-1", "annotator-2")
    share: float = 0.1
    """Of the dialogues; the paper's is a tenth."""
    seed: int = 0
    unedited: bool = False
    """The machine's text is judged where nobody has edited."""


def write_control(work: Work, out: Path, options: ControlOptions) -> list[Segment]:
    """Draw a sample, write it blind for each of two annotators, and return what was drawn."""
    refuse_annotators(options.annotators, work, out)
    drawn = draw(work.segments, options.share, options.seed)
    if not options.unedited:
        remedy = "Let the editors finish, or give --unedited to judge what is there."
        refuse_unedited(drawn, "drawn are not edited yet", remedy)
    judgements = [blind(segment) for segment in drawn]
    with making_folder(out):
        for name in options.annotators:
            write_judgements(judgements, answers_file(out, name))
    return drawn


def answers_file(folder: Path, annotator: str) -> Path:
    return folder / f"{annotator}.json"


def refuse_annotators(names: Sequence[str], work: Work, out: Path) -> None:
    """Raise unless there are two, who have not edited, and whose answers are not there yet."""
    refuse_names(names)
    if len(names) != 2:
        raise InputError(
            f"{len(names)} annotators", remedy="Give --annotator twice: agreement is of two."
        )
    editors = {name.casefold() for name in everybody_ever(work.events)}
    if both := [name for name in names if name.casefold() in editors]:
        raise InputError(
            f"{both[0]} is an editor of this translation",
            remedy="Fresh annotators judge: name others.",
        )
    if there := [name for name in names if answers_file(out, name).exists()]:
        raise InputError(
            f"{answers_file(out, there[0])} exists already",
            remedy="Choose another --out: answers are not written over.",
        )


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
