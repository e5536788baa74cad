"""How wizards widen a number so that what they found fits: `100-150元` becomes `60-150元` for 64.

On CrossWOZ val nine in ten values that wizards changed by themselves are of these kinds: one end
is opened, or moved to the number of the place they then offered, to the round number beyond it,
or to next to nothing.
"""

from collections.abc import Iterator
from math import ceil, floor

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Band, Domain, Slot, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds, say_band
from crosstalk.system.dst.candidates import CandidateSource

STEPS = {
    SlotKind.NUMBER: (
        (CandidateSource.WIDENED_TENS, 10.0),
        (CandidateSource.WIDENED_FIFTIES, 50.0),
        (CandidateSource.WIDENED_HUNDREDS, 100.0),
    ),
    SlotKind.RATING: ((CandidateSource.WIDENED_TENS, 0.5), (CandidateSource.WIDENED_HUNDREDS, 1.0)),
}
LEAST = (1.0, 10.0)
"""Low ends that stand for none."""


def widened(
    language: LanguagePack, domain: Domain, slot: Slot, text: str, number: float
) -> Iterator[tuple[CandidateSource, str]]:
    """Texts that say more than `text` and take in `number`; none where it is taken in already."""
    forms = forms_of(language, domain.key, slot)
    bounds = read_bounds(forms, text)
    if bounds is None or bounds.hold(number):
        return
    ways = _lowered if bounds.low is not None and number < bounds.low else _raised
    for source, wider in ways(slot, bounds, number):
        yield source, say_band(forms, Band(wider.low, wider.high))


def _lowered(slot: Slot, bounds: Bounds, number: float) -> Iterator[tuple[CandidateSource, Bounds]]:
    high = None if bounds.high == bounds.low else bounds.high
    if high is not None:
        yield CandidateSource.WIDENED_OPEN, Bounds(None, high)
    yield CandidateSource.WIDENED_EXACT, Bounds(number, high)
    for source, step in STEPS[slot.kind]:
        if low := floor(number / step) * step:
            yield source, Bounds(low, high)
    if slot.kind is SlotKind.NUMBER:
        yield from (
            (CandidateSource.WIDENED_LEAST, Bounds(low, high)) for low in LEAST if low < number
        )


def _raised(slot: Slot, bounds: Bounds, number: float) -> Iterator[tuple[CandidateSource, Bounds]]:
    if bounds.low:
        yield CandidateSource.WIDENED_OPEN, Bounds(bounds.low, None)
    yield CandidateSource.WIDENED_EXACT, Bounds(bounds.low or None, number)
    for source, step in STEPS[slot.kind]:
        yield source, Bounds(bounds.low or None, ceil(number / step) * step)
